//! Puts texts together: lines, holes, and small expressions by chance.

use testing::Random;

/// Numbers from here on stand for what a run will tell.
pub(in super::super) const FIRST_HOLE: i128 = 990_001;

pub(super) struct Writer<'r> {
    pub(super) random: &'r mut Random,
    lines: Vec<String>,
    depth: usize,
    holes: i128,
    names: usize,
    /// Specifications may say what they should not.
    pub(super) wild: bool,
}

impl<'r> Writer<'r> {
    pub(super) fn new(random: &'r mut Random) -> Writer<'r> {
        let wild = random.chance(1, 3);
        Writer { random, lines: Vec::new(), depth: 0, holes: 0, names: 0, wild }
    }

    /// A line; braces at its ends change the depth of what follows.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        if text.starts_with('}') {
            self.depth = self.depth.saturating_sub(1);
        }
        self.lines.push(format!("{}{text}", "  ".repeat(self.depth)));
        if text.ends_with('{') {
            self.depth += 1;
        }
    }

    pub(super) fn lines(&mut self, text: &str) {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).for_each(|line| self.line(line));
    }

    pub(super) fn finish(self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }

    /// A number that is not known yet.
    pub(super) fn hole(&mut self) -> i128 {
        self.holes += 1;
        FIRST_HOLE + self.holes - 1
    }

    /// `assert e == …;`
    pub(super) fn observe(&mut self, expression: &str) {
        let hole = self.hole();
        self.line(format!("assert {expression} == {hole};"));
    }

    /// Now and then.
    pub(super) fn maybe_observe(&mut self, expression: &str) {
        if self.random.chance(1, 2) {
            self.observe(expression);
        }
    }

    pub(super) fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub(super) fn chance(&mut self, of: usize, out_of: usize) -> bool {
        self.random.chance(of, out_of)
    }

    pub(super) fn number(&mut self, low: i64, high: i64) -> i64 {
        self.random.between(low, high)
    }

    pub(super) fn pick(&mut self, words: &[&str]) -> String {
        self.random.pick(words).map_or_else(String::new, |word| (*word).to_string())
    }

    pub(super) fn one_of(&mut self, words: &[String]) -> String {
        self.random.pick(words).cloned().unwrap_or_default()
    }

    /// A number from these variables.
    pub(super) fn int(&mut self, depth: usize, variables: &[String]) -> String {
        if depth == 0 || variables.is_empty() || self.chance(1, 4) {
            return if variables.is_empty() || self.chance(1, 3) {
                let number = self.number(-2, 5);
                if number < 0 { format!("({number})") } else { number.to_string() }
            } else {
                self.one_of(variables)
            };
        }
        let a = self.int(depth - 1, variables);
        let b = self.int(depth - 1, variables);
        match self.random.below(8) {
            0..=2 => format!("({a} + {b})"),
            3 => format!("({a} - {b})"),
            4 => {
                let factor = self.number(-1, 3);
                format!("({a} * {factor})")
            }
            5 => {
                let by = self.number(2, 4);
                format!("({a} % {by})")
            }
            6 => {
                let by = self.number(2, 3);
                format!("({a} / {by})")
            }
            _ => {
                let condition = self.condition(variables);
                format!("({condition} ? {a} : {b})")
            }
        }
    }

    pub(super) fn condition(&mut self, variables: &[String]) -> String {
        let a = self.int(1, variables);
        let b = self.int(1, variables);
        let operator = self.pick(&["<", "<=", "==", "!=", ">", ">="]);
        format!("{a} {operator} {b}")
    }
}
