//! JSON of tools as the lines that the same tool prints as text: one table of keys, and no second reader for any of them.

use serde_json::Value;
use std::fmt::Write as _;

/// What a tool's JSON holds, and how its text has it.
struct Form {
    /// All of these are in the text.
    signs: &'static [&'static str],
    /// The first line as text, by which its reader knows it; empty: none.
    head: &'static str,
    lines: &'static [Line],
}

/// An object that has all of these keys (`key=value`: with this value) is this text.
///
/// In the text stand `{key}`, `{key.inner}` of an object below, `{key|other}` for the first that is there, `{key?none}` with
/// what stands where it is missing, `{0xkey}` in two digits of base 16, `{@key}` for the name that the object has itself, and
/// `{@depth}` for the branch of a tree. Without a value that has no stand-in the text is left out.
struct Line {
    has: &'static [&'static str],
    text: &'static str,
}

const fn line(has: &'static [&'static str], text: &'static str) -> Line {
    Line { has, text }
}

/// Deeper than any tool nests.
const DEEPEST: usize = 24;
/// Values that are looked at.
const MOST_VALUES: usize = 2_000_000;

/// Sources: smartctl(8) --json, nvme-cli's nvme-print-json.c, lsblk(8) -J, ip(8) -j, ethtool(8) --json, `ceph -f json`,
/// lvmreport(7), storcli's reference manual (J), zpool-status(8) -j,
/// teamdctl(8) state dump.
const FORMS: &[Form] = &[
    Form {
        signs: &["\"smartctl\"", "\"json_format_version\""],
        head: "=== START OF READ SMART DATA SECTION ===",
        lines: &[
            line(&["passed=false"], "SMART overall-health self-assessment test result: FAILED!"),
            line(&["scsi_grown_defect_list"], "Elements in grown defect list: {scsi_grown_defect_list}"),
            line(
                &["thresh", "raw", "when_failed="],
                "{id} {name} 0x00 {value} {worst} {thresh} Old_age Always - {raw.string}",
            ),
            line(
                &["thresh", "raw", "when_failed=now"],
                "{id} {name} 0x00 {value} {worst} {thresh} Old_age Always FAILING_NOW {raw.string}",
            ),
            line(
                &["thresh", "raw", "when_failed=past"],
                "{id} {name} 0x00 {value} {worst} {thresh} Old_age Always In_the_past {raw.string}",
            ),
            line(&["lifetime_hours", "status"], "# 1  {type.string}    {status.string}    {lifetime_hours}"),
            line(&["critical_warning"], NVME_HEALTH),
        ],
    },
    Form {
        signs: &["\"critical_warning\"", "\"media_errors\""],
        head: "=== START OF SMART DATA SECTION ===",
        lines: &[line(&["critical_warning", "media_errors"], NVME_HEALTH)],
    },
    Form {
        signs: &["\"blockdevices\""],
        head: "NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT",
        lines: &[line(
            &["name"],
            "{@depth}{name} {maj:min?-} {rm?0} {size?-} {ro?0} {type?-} {mountpoint|mountpoints?}",
        )],
    },
    Form {
        signs: &["\"ifindex\"", "\"ifname\""],
        head: "",
        lines: &[
            line(
                &["ifindex", "ifname"],
                "{ifindex}: {ifname}: <{flags?}> mtu {mtu} state {operstate?UNKNOWN}",
            ),
            line(
                &["rx", "tx"],
                "    RX:  bytes packets errors dropped missed mcast\n    {rx.bytes} {rx.packets} {rx.errors} {rx.dropped} \
                 {rx.missed_errors|rx.over_errors?0} {rx.multicast?0}\n    TX:  bytes packets errors dropped carrier collsns\n    \
                 {tx.bytes} {tx.packets} {tx.errors} {tx.dropped} {tx.carrier_errors?0} {tx.collisions?0}",
            ),
        ],
    },
    Form {
        signs: &["\"ifname\"", "\"requested\"", "\"fixed\""],
        head: "",
        lines: &[
            line(&["ifname"], "Features for {ifname}:"),
            line(&["active=false", "fixed=false"], "{@key}: off"),
            line(&["active=false", "fixed=true"], "{@key}: off [fixed]"),
        ],
    },
    Form {
        signs: &["\"ifname\"", "\"rx-max\""],
        head: "",
        lines: &[line(
            &["ifname", "rx-max", "rx"],
            "Ring parameters for {ifname}:\nPre-set maximums:\nRX: {rx-max}\nTX: {tx-max?n/a}\nCurrent hardware settings:\nRX: {rx}\nTX: {tx?n/a}",
        )],
    },
    Form {
        signs: &["\"ifname\"", "\"rx_"],
        head: "NIC statistics:",
        lines: &[line(&["ifname"], EACH_NUMBER)],
    },
    Form {
        signs: &["\"team_device\"", "\"link_watches\""],
        head: "",
        lines: &[line(
            &["ifinfo", "link_watches"],
            "team port {@key}: carrier={link.up?1} watched={link_watches.up?1}",
        )],
    },
    Form {
        signs: &["\"osd_perf_infos\""],
        head: "osd  commit_latency(ms)  apply_latency(ms)",
        lines: &[line(
            &["id", "perf_stats"],
            "{id} {perf_stats.commit_latency_ms} {perf_stats.apply_latency_ms}",
        )],
    },
    Form {
        signs: &["\"checks\"", "HEALTH_"],
        head: "  cluster:",
        lines: &[
            line(&["checks", "status"], "    health: {status}"),
            line(&["summary", "severity", "muted=false"], "[{severity}] {@key}: {summary.message}"),
            line(&["message", "severity"], "[{severity}] {@key}: {message}"),
        ],
    },
    Form {
        signs: &["\"report\"", "\"lv_attr\""],
        head: "  LV VG Attr LSize",
        lines: &[line(
            &["lv_name", "lv_attr"],
            "  {lv_name} {vg_name?-} {lv_attr} {lv_size?-} {data_percent?} {metadata_percent?}",
        )],
    },
    Form {
        signs: &["\"report\"", "\"pv_attr\""],
        head: "  PV VG Fmt Attr PSize PFree",
        lines: &[line(
            &["pv_name", "pv_attr"],
            "  {pv_name} {vg_name?-} {pv_fmt?-} {pv_attr} {pv_size?-} {pv_free?-}",
        )],
    },
    Form {
        signs: &["\"report\"", "\"vg_attr\""],
        head: "  VG #PV #LV #SN Attr VSize VFree",
        lines: &[line(
            &["vg_name", "vg_attr"],
            "  {vg_name} {pv_count?-} {lv_count?-} {snap_count?-} {vg_attr} {vg_size?-} {vg_free?-}",
        )],
    },
    Form {
        signs: &["\"Controllers\"", "\"Command Status\""],
        head: "DG/VD TYPE State Access Consist Cache Cac sCC Size Name",
        lines: &[
            line(
                &["DG/VD", "State", "Cache"],
                "{DG/VD} {TYPE?-} {State} {Access?-} {Consist?-} {Cache} {Cac?-} {sCC?-} {Size?-} {Name?}",
            ),
            line(
                &["EID:Slt", "State", "Med"],
                "{EID:Slt} {DID?-} {State} {DG?-} {Size?-} {Intf?-} {Med} {Model?}",
            ),
            line(
                &["Row", "Type", "State"],
                "{DG?-} {Arr?-} {Row} {EID:Slot?-} {DID?-} {Type} {State} {BT?-} {Size?-}",
            ),
            line(&["Property", "Value"], "{Property}: {Value}"),
        ],
    },
    Form {
        signs: &["\"pools\"", "\"vdev_type\""],
        head: "",
        lines: &[
            line(&["pool_guid", "state"], "  pool: {name}\n state: {state}\nconfig:\n"),
            line(
                &["vdev_type", "state"],
                "\t{name} {state} {read_errors?0} {write_errors?0} {checksum_errors?0}",
            ),
        ],
    },
];

/// The health of an NVMe device as smartctl prints it.
const NVME_HEALTH: &str = "Critical Warning: 0x{0xcritical_warning.value|critical_warning}\nAvailable Spare: {available_spare|avail_spare?100}%\n\
                           Percentage Used: {percentage_used|percent_used?0}%\nMedia and Data Integrity Errors: {media_errors?0}";

/// In place of a text: a line for each number of the object.
const EACH_NUMBER: &str = "";

/// The text of a tool's JSON; `None`: it is no JSON, or of no tool that is known here.
pub(crate) fn as_text(text: &str) -> Option<String> {
    let text = text.trim();
    let form = FORMS.iter().find(|form| form.signs.iter().all(|sign| text.contains(sign)))?;
    let document: Value = fullwire_model::json::read(text.as_bytes()).ok()?;
    let mut teller = Teller { form, out: String::new(), left: MOST_VALUES };
    if !form.head.is_empty() {
        teller.out.push_str(form.head);
        teller.out.push('\n');
    }
    teller.value(&document, "", 0, 0);
    Some(teller.out)
}

struct Teller<'a> {
    form: &'a Form,
    out: String,
    left: usize,
}

impl Teller<'_> {
    /// A value with all that is below it; `told` counts those around it that became lines.
    fn value(&mut self, value: &Value, key: &str, depth: usize, told: usize) {
        if depth > DEEPEST || self.left == 0 {
            return;
        }
        self.left -= 1;
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.value(value, key, depth + 1, told)),
            Value::Object(fields) => {
                let length = self.out.len();
                for line in self.form.lines.iter().filter(|line| line.fits(value)) {
                    if line.text == EACH_NUMBER {
                        let numbers = fields.iter().filter(|(_, value)| value.is_number());
                        numbers.for_each(|(name, value)| _ = writeln!(self.out, "     {name}: {value}"));
                    } else if let Some(text) = filled(line.text, value, key, told) {
                        self.out.push_str(text.trim_end_matches(' '));
                        self.out.push('\n');
                    }
                }
                let told = told + usize::from(self.out.len() > length);
                fields.iter().for_each(|(key, value)| self.value(value, key, depth + 1, told));
            }
            _ => {}
        }
    }
}

impl Line {
    fn fits(&self, value: &Value) -> bool {
        self.has.iter().all(|wanted| match wanted.split_once('=') {
            Some((key, wanted)) => match value.get(key) {
                Some(Value::Bool(flag)) => wanted == if *flag { "true" } else { "false" },
                Some(Value::String(text)) => text == wanted,
                _ => false,
            },
            None => value.get(*wanted).is_some(),
        })
    }
}

/// A line's text with the values of an object.
fn filled(text: &str, object: &Value, key: &str, told: usize) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}')?;
        out.push_str(before);
        rest = behind;
        match name {
            "@key" => out.push_str(key),
            "@depth" if told > 0 => _ = write!(out, "{}\u{2514}\u{2500}", "  ".repeat(told - 1)),
            "@depth" => {}
            _ => {
                let (names, instead) =
                    name.split_once('?').map_or((name, None), |(names, instead)| (names, Some(instead)));
                let (hex, names) = names.strip_prefix("0x").map_or((false, names), |names| (true, names));
                let found = names.split('|').find_map(|name| plain(at(object, name)?, hex));
                out.push_str(&found.or(instead.map(str::to_owned))?);
            }
        }
    }
    out.push_str(rest);
    Some(out)
}

fn at<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    name.split('.').try_fold(object, |value, part| value.get(part))
}

/// A value in a line of text; `None`: there is nothing in it.
fn plain(value: &Value, hex: bool) -> Option<String> {
    let text = match value {
        Value::Number(number) if hex => {
            number.as_u64().map_or_else(|| number.to_string(), |number| format!("{number:02x}"))
        }
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Bool(flag) => u8::from(*flag).to_string(),
        Value::Array(values) => {
            values.iter().filter_map(|value| plain(value, hex)).collect::<Vec<_>>().join(",")
        }
        Value::Null | Value::Object(_) => String::new(),
    };
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tool's JSON and what its text then has, whatever is beside it.
    #[test]
    fn each_tool_is_told_as_its_text() {
        for (json, lines) in [
            (
                r#"{"json_format_version":[1,0],"smartctl":{},"smart_status":{"passed":false},"ata_smart_attributes":{"table":[
                   {"id":5,"name":"Reallocated_Sector_Ct","value":90,"worst":90,"thresh":36,"when_failed":"","raw":{"value":1,"string":"812"}}]}}"#,
                &[
                    "SMART overall-health self-assessment test result: FAILED!",
                    "5 Reallocated_Sector_Ct 0x00 90 90 36 Old_age Always - 812",
                ][..],
            ),
            (
                r#"{"critical_warning":4,"avail_spare":3,"media_errors":7,"percent_used":101}"#,
                &[
                    "Critical Warning: 0x04",
                    "Available Spare: 3%",
                    "Percentage Used: 101%",
                    "Media and Data Integrity Errors: 7",
                ],
            ),
            (
                r#"{"blockdevices":[{"name":"sdq","maj:min":"65:0","rm":false,"size":"1T","ro":true,"type":"disk","mountpoints":[null],
                   "children":[{"name":"sdq1","ro":true,"type":"part","mountpoints":["/u01"]}]}]}"#,
                &[
                    "NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT",
                    "sdq 65:0 0 1T 1 disk",
                    "\u{2514}\u{2500}sdq1 - 0 - 1 part /u01",
                ],
            ),
            (
                r#"[{"ifindex":7,"ifname":"eth7","flags":["UP"],"mtu":1500,"stats64":{"rx":{"bytes":1,"packets":2,"errors":3,"dropped":4},
                   "tx":{"bytes":5,"packets":6,"errors":7,"dropped":8}}}]"#,
                &["7: eth7: <UP> mtu 1500 state UNKNOWN", "    1 2 3 4 0 0", "    5 6 7 8 0 0"],
            ),
            (r#"[{"ifname":"eth7","rx_crc_errors":812}]"#, &["NIC statistics:", "     rx_crc_errors: 812"]),
            (
                r#"[{"ifname":"eth7","rx-checksumming":{"active":false,"fixed":false,"requested":false}}]"#,
                &["Features for eth7:", "rx-checksumming: off"],
            ),
            (
                r#"{"health":{"status":"HEALTH_WARN","checks":{"OSD_NEARFULL":{"severity":"HEALTH_WARN","muted":false,"summary":{"message":"1 nearfull osd(s)"}}}}}"#,
                &["    health: HEALTH_WARN", "[HEALTH_WARN] OSD_NEARFULL: 1 nearfull osd(s)"],
            ),
            (
                r#"{"report":[{"lv":[{"lv_name":"tp0","vg_name":"vg0","lv_attr":"twi-aotzD-","lv_size":"9g","data_percent":"100.00","metadata_percent":"7.00"}]}]}"#,
                &["  tp0 vg0 twi-aotzD- 9g 100.00 7.00"],
            ),
            (
                r#"{"Controllers":[{"Command Status":{},"Response Data":{"VD LIST":[{"DG/VD":"0/0","TYPE":"RAID1","State":"Dgrd","Cache":"NRWTD"}]}}]}"#,
                &["0/0 RAID1 Dgrd - - NRWTD - - -"],
            ),
            (
                r#"{"pools":{"tank":{"name":"tank","state":"ONLINE","pool_guid":"7","vdevs":{"tank":{"name":"tank","vdev_type":"root","state":"ONLINE",
                   "vdevs":{"sdq":{"name":"sdq","vdev_type":"disk","state":"FAULTED","read_errors":"12"}}}}}}}"#,
                &["  pool: tank", " state: ONLINE", "\tsdq FAULTED 12 0 0"],
            ),
        ] {
            let text = as_text(json).expect(json);
            let found: Vec<&str> = text.lines().collect();
            for line in lines {
                assert!(found.contains(line), "{line}\nin\n{text}");
            }
        }
        assert_eq!(as_text(r#"{"blockdevices": [ "#), None);
        assert_eq!(as_text(r#"{"anything": 7}"#), None);
    }
}
