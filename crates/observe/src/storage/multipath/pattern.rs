//! Extended regular expressions as sections of products have them (`^DGC`, `LUN.*`, `(HP|HPE)`, `HSV1[01]1|MSA 2`), of
//! regex(7): alternatives, groups, bracket lists, `.`, `*`, `+`, `?`, the two anchors and `\`.

/// Steps of one comparison; hand-made patterns can take exponential time.
const STEPS: usize = 20_000;
/// Groups within groups.
const DEPTH: usize = 16;

/// Found anywhere in the text. An expression that makes no sense, or is too much work, is not found.
pub(super) fn is_found(expression: &str, text: &str) -> bool {
    let expression: Vec<char> = expression.chars().collect();
    let Some(node) = Parser { rest: &expression, depth: 0 }.whole() else { return false };
    let text: Vec<char> = text.chars().collect();
    let mut matcher = Matcher { text: &text, steps: STEPS };
    (0..=text.len()).any(|start| matcher.alternatives(&node, start, &mut |_, _| true))
}

/// Alternatives, each a chain of items.
type Alternatives = Vec<Vec<Item>>;

struct Item {
    atom: Atom,
    /// `+` and none need it once.
    needed: bool,
    /// `*` and `+`.
    repeats: bool,
}

enum Atom {
    Any,
    Start,
    End,
    One(char),
    Among { not: bool, ranges: Vec<(char, char)> },
    Group(Alternatives),
}

struct Parser<'a> {
    rest: &'a [char],
    depth: usize,
}

impl Parser<'_> {
    fn whole(mut self) -> Option<Alternatives> {
        let found = self.alternatives()?;
        self.rest.is_empty().then_some(found)
    }

    fn next(&mut self) -> Option<char> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn alternatives(&mut self) -> Option<Alternatives> {
        let mut all = vec![Vec::new()];
        while let Some(c) = self.rest.first().copied().filter(|c| *c != ')' || self.depth == 0) {
            self.next();
            if c == '|' {
                all.push(Vec::new());
                continue;
            }
            let atom = self.atom(c)?;
            let (needed, repeats) = match self.rest.first() {
                Some('*') => (false, true),
                Some('+') => (true, true),
                Some('?') => (false, false),
                _ => (true, false),
            };
            if repeats || !needed {
                self.next();
            }
            all.last_mut()?.push(Item { atom, needed, repeats });
        }
        Some(all)
    }

    fn atom(&mut self, first: char) -> Option<Atom> {
        Some(match first {
            '.' => Atom::Any,
            '^' => Atom::Start,
            '$' => Atom::End,
            '\\' => Atom::One(self.next()?),
            '[' => self.list()?,
            '(' => {
                self.depth += 1;
                let inner = (self.depth <= DEPTH).then(|| self.alternatives()).flatten()?;
                self.depth -= 1;
                (self.next() == Some(')')).then_some(Atom::Group(inner))?
            }
            // A repetition of nothing; bounds (`{2}`) occur in no section that is known.
            '*' | '+' | '?' | '{' => return None,
            plain => Atom::One(plain),
        })
    }

    fn list(&mut self) -> Option<Atom> {
        let not = self.rest.first() == Some(&'^');
        if not {
            self.next();
        }
        let mut ranges = Vec::new();
        loop {
            let low = self.next()?;
            if low == ']' && !ranges.is_empty() {
                return Some(Atom::Among { not, ranges });
            }
            let high = match self.rest {
                ['-', high, ..] if *high != ']' => {
                    let high = *high;
                    self.rest = &self.rest[2..];
                    high
                }
                _ => low,
            };
            ranges.push((low, high));
        }
    }
}

/// What has to match after a position.
type Then<'a> = &'a mut dyn FnMut(&mut Matcher, usize) -> bool;

struct Matcher<'a> {
    text: &'a [char],
    steps: usize,
}

impl Matcher<'_> {
    fn alternatives(&mut self, all: &Alternatives, at: usize, then: Then) -> bool {
        all.iter().any(|items| self.chain(items, at, then))
    }

    fn chain(&mut self, items: &[Item], at: usize, then: Then) -> bool {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            return false;
        }
        let Some((item, rest)) = items.split_first() else { return then(self, at) };
        let once = self.atom(&item.atom, at, &mut |matcher, next| {
            let again = item.repeats && next > at && matcher.again(item, rest, next, then);
            again || matcher.chain(rest, next, then)
        });
        once || !item.needed && self.chain(rest, at, then)
    }

    /// One more of a repeated item, which is no longer needed.
    fn again(&mut self, item: &Item, rest: &[Item], at: usize, then: Then) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0
            && self.atom(&item.atom, at, &mut |matcher, next| {
                next > at && (matcher.again(item, rest, next, then) || matcher.chain(rest, next, then))
            })
    }

    fn atom(&mut self, atom: &Atom, at: usize, then: Then) -> bool {
        let taken = |wanted: &dyn Fn(char) -> bool| self.text.get(at).is_some_and(|c| wanted(*c));
        let one = match atom {
            Atom::Group(inner) => return self.alternatives(inner, at, then),
            Atom::Start => return at == 0 && then(self, at),
            Atom::End => return at == self.text.len() && then(self, at),
            Atom::Any => taken(&|_| true),
            Atom::One(own) => taken(&|c| c == *own),
            Atom::Among { not, ranges } => {
                taken(&|c| ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *not)
            }
        };
        one && then(self, at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::is_found;

    #[test]
    fn the_forms_that_sections_of_products_have() {
        let found = [
            ("", "2145"),
            ("2145", "2145"),
            ("^2145", "2145"),
            ("LUN.*", "LUN C-Mode"),
            (".*", ""),
            ("(HP|HPE)", "HPE"),
            ("^MSA (1|2)0[0-9]+$", "MSA 2050"),
            ("HSV1[01]1|HSV2[01]0", "HSV210"),
            ("^1(72[0246]|8[0-9]+).?", "1814"),
            ("\\(C\\)COMPAQ", "MSA (C)COMPAQ"),
            ("a(b|c)*d", "abcbd"),
            ("[^ ]x", "ax"),
        ];
        for (expression, text) in found {
            assert!(is_found(expression, text), "{expression} in {text}");
        }
        let not = [
            ("^145", "2145"),
            ("LUN$", "LUN C-Mode"),
            ("VV", "LUN"),
            ("(", "("),
            ("*", "*"),
            ("[a", "a"),
            ("a+", ""),
        ];
        for (expression, text) in not {
            assert!(!is_found(expression, text), "{expression} in {text}");
        }
    }

    #[test]
    fn an_expression_that_is_too_much_work_is_not_found() {
        assert!(!is_found("(a*)*(a*)*(a*)*b", &"a".repeat(200)));
        assert!(!is_found(&"(".repeat(100_000), "a"));
    }
}
