//! CPUs: saturation, steal, frequency, interrupts.

rules! {
    cpu_governor,
    cpu_idle_states,
    cpu_saturated,
    cpu_steal,
    generator_saturated,
    load_rising,
    numa_imbalance,
    softirq_one_cpu,
    tasks_blocked,
    thermal_throttling,
    thread_saturated,
    tuned_profile,
}
