//! The method under attack: what it requires, what it does, what it claims.

use super::Writer;

impl Writer<'_> {
    pub(super) fn method(&mut self) {
        let data = if self.has("T") { ", t: T" } else { "" };
        self.fixed(format!(
            "method m(x: Ref, y: Ref, i: Int, b: Bool, p: Perm, s: Set[Ref], q: Seq[Ref]{data}) returns (v: Int, w: Int)"
        ));
        self.indent += 1;
        self.in_contract = true;
        self.preconditions();
        self.postconditions();
        self.in_contract = false;
        self.indent -= 1;
        self.fixed("{");
        self.indent += 1;
        self.fixed("var o: Ref := x");
        self.fixed("var k: Int := 0");
        self.statements_left = 6 + self.random.below(10);
        self.statements(0);
        self.indent -= 1;
        self.fixed("}");
    }

    pub(super) fn object(&mut self) -> &'static str {
        let objects: &[&str] =
            if self.in_contract { &["x", "x", "y"] } else { &["x", "x", "x", "y", "y", "o"] };
        self.random.word(objects)
    }

    /// An object that permission was asked for, most of the time.
    pub(super) fn owner(&mut self) -> &'static str {
        let mut owners = Vec::new();
        for object in if self.in_contract { ["x", "y", "x"] } else { ["x", "y", "o"] } {
            if self.held.iter().any(|resource| resource.starts_with(&format!("acc({object}.f"))) {
                owners.push(object);
            }
        }
        if self.random.chance(1, 5) {
            self.object()
        } else {
            self.random.pick(&owners).copied().unwrap_or("x")
        }
    }

    pub(super) fn number(&mut self) -> String {
        match self.random.below(8) {
            0 | 1 => self.random.between(-1, 4).to_string(),
            2 => "i".to_string(),
            3 if !self.in_contract => "k".to_string(),
            4 => "v".to_string(),
            5 => format!("{}.f", self.owner()),
            6 => format!("{}.f + {}", self.owner(), self.random.between(0, 2)),
            _ => "i + 1".to_string(),
        }
    }

    pub(super) fn amount(&mut self) -> &'static str {
        self.random.word(&["", "", "", ", 1/2", ", 1/2", ", wildcard", ", 1/3", ", p"])
    }

    pub(super) fn condition(&mut self) -> String {
        match self.random.below(8) {
            0 => "b".to_string(),
            1 => "x == y".to_string(),
            2 => format!("i > {}", self.random.between(-1, 2)),
            3 => format!("{} in s", self.object()),
            4 => format!("{}.f > {}", self.owner(), self.random.between(-1, 2)),
            5 => format!("perm({}.f) > none", self.object()),
            6 => "k < i".to_string(),
            _ => format!("v == {}", self.random.between(0, 2)),
        }
    }

    /// Permission to something, often to what was spoken of before.
    pub(super) fn resource(&mut self) -> String {
        if self.random.chance(1, 2)
            && let Some(known) = self.random.pick(&self.held).cloned()
            && !(self.in_contract && known.contains("(o"))
        {
            return known;
        }
        let resource = self.new_resource();
        self.held.push(resource.clone());
        resource
    }

    fn new_resource(&mut self) -> String {
        let object = self.object();
        let amount = self.amount();
        match self.random.below(14) {
            0 | 1 => format!("acc({object}.f{amount})"),
            2 => format!("acc({object}.g{amount})"),
            3 => format!("acc({object}.n{amount})"),
            4 | 5 if self.has("P") => match amount {
                "" => format!("P({object})"),
                _ => format!("acc(P({object}){amount})"),
            },
            6 if self.has("Q") => format!("Q({object}, {})", self.random.word(&["1/2", "p", "write", "1/3"])),
            7 if self.has("L") => format!("L({object})"),
            8 | 9 => format!("(forall r: Ref :: {{ r.f }} r in s ==> acc(r.f{amount}))"),
            10 => {
                format!("(forall j: Int :: {{ q[j] }} 0 <= j && j < |q| ==> acc(q[j].f{amount}))")
            }
            11 if self.has("loc") && self.random.chance(1, 3) => {
                let amount = self.random.word(&[", 1/(j + 2)", ", wildcard", ", 1/2", ""]);
                format!("(forall j: Int :: {{ loc(j) }} 0 <= j ==> acc(loc(j).f{amount}))")
            }
            11 if self.has("loc") => {
                format!("(forall j: Int :: {{ loc(j) }} 0 <= j && j < 3 ==> acc(loc(j).f{amount}))")
            }
            12 => format!("({} ==> acc({object}.f{amount}))", self.random.word(&["b", "i > 0", "x != y"])),
            13 if self.has("P") => "(forall r: Ref :: r in s ==> P(r))".to_string(),
            _ => format!("acc({object}.f{amount})"),
        }
    }

    fn preconditions(&mut self) {
        let bounds = self.random.word(&["none <= p && p <= write", "none < p && p < write", "p == 1/2"]);
        self.fixed(format!("requires {bounds}"));
        if self.random.chance(4, 5) {
            self.line("requires forall a: Int, c: Int :: 0 <= a && a < c && c < |q| ==> q[a] != q[c]");
        }
        let first = format!("acc({}.f{})", self.random.word(&["x", "x", "y"]), self.amount());
        let folded = match self.random.below(4) {
            0 if self.has("P") => Some(self.random.word(&["P(x)", "P(y)", "acc(P(x), 1/2)"])),
            1 if self.has("L") => Some(self.random.word(&["L(x)", "L(y)"])),
            _ => None,
        };
        let first = folded.map_or(first, str::to_string);
        self.line(format!("requires {first}"));
        self.held.push(first);
        for _ in 0..self.random.below(4) {
            let resource = self.new_resource();
            self.held.push(resource.clone());
            self.line(format!("requires {resource}"));
        }
        for _ in 0..self.random.below(3) {
            let fact = match self.random.below(9) {
                0 => "x != y".to_string(),
                1 => "i >= 0".to_string(),
                2 => "x in s".to_string(),
                3 => "i < |q| && 0 <= i".to_string(),
                4 => "|s| == 2".to_string(),
                5 => "x != null".to_string(),
                6 => "x.f == i".to_string(),
                7 => "!(null in s)".to_string(),
                _ => "x.f > 0".to_string(),
            };
            self.line(format!("requires {fact}"));
        }
    }

    fn postconditions(&mut self) {
        for _ in 0..self.random.below(3) {
            let resource = self.resource();
            self.line(format!("ensures {resource}"));
        }
        for _ in 0..self.random.below(4) {
            let claim = self.claim();
            self.line(format!("ensures {claim}"));
        }
    }

    fn statements(&mut self, depth: usize) {
        while self.statements_left > 0 {
            self.statements_left -= 1;
            self.statement(depth);
            for _ in 0..self.random.weighted(&[2, 4, 2]) {
                let claim = self.claim();
                self.line(format!("assert {claim}"));
            }
            if depth > 0 && self.random.chance(1, 3) {
                return;
            }
        }
    }

    fn statement(&mut self, depth: usize) {
        let object = self.owner();
        let amount = self.amount();
        match self.random.below(30) {
            0 | 1 => {
                let value = self.number();
                self.line(format!("{object}.f := {value}"));
            }
            2 => self.line(format!("{object}.f := {object}.f + 1")),
            3 => {
                let value = self.number();
                self.line(format!("v := {value}"));
            }
            4 => self.line(format!("k := {object}.f")),
            5 | 6 => {
                let resource = self.resource();
                self.line(format!("exhale {resource}"));
            }
            7 => {
                let resource = self.resource();
                self.line(format!("inhale {resource}"));
            }
            8 => {
                self.line(format!("exhale acc({object}.f{amount})"));
                self.line(format!("inhale acc({object}.f{amount})"));
            }
            9..=11 if self.has("P") => {
                let access = match amount {
                    "" => format!("P({object})"),
                    _ => format!("acc(P({object}){amount})"),
                };
                let word = self.random.word(&["fold", "unfold"]);
                self.line(format!("{word} {access}"));
            }
            12 if self.has("Q") => {
                let word = self.random.word(&["fold", "unfold"]);
                let amount = self.random.word(&["1/2", "p", "write", "perm(x.g)"]);
                self.line(format!("{word} Q({object}, {amount})"));
            }
            13 | 14 if self.has("L") => {
                let word = self.random.word(&["fold", "unfold", "unfold"]);
                self.line(format!("{word} L({object})"));
            }
            15 => {
                self.line("o := new(f, g, n)");
                self.held.push("acc(o.f)".to_string());
            }
            16 => {
                let value = self.random.word(&["x", "y", "x.n", "null", "q[i]"]);
                self.line(format!("o := {value}"));
            }
            17 | 18 => self.call(),
            19 => {
                let label = format!("l{}", self.labels.len());
                self.fixed(format!("label {label}"));
                if depth == 0 {
                    self.labels.push(label);
                }
            }
            20 | 21 if depth < 2 => self.branch(depth),
            22 if depth < 1 => self.repeat(),
            23 | 24 => self.wand(),
            25 => {
                let condition = self.condition();
                let word = self.random.word(&["assume", "inhale"]);
                self.line(format!("{word} {condition}"));
            }
            26 => {
                let what = self.random.word(&["v := |s|", "v := |q|", "k := k + 1", "w := i", "w := v - k"]);
                self.line(what);
            }
            27 => {
                let (from, to) = (self.amount(), self.amount());
                self.line(format!("exhale forall r: Ref :: r in s && r != {object} ==> acc(r.f{from})"));
                self.line(format!("inhale forall r: Ref :: r in s && r != {object} ==> acc(r.f{to})"));
            }
            28 => {
                let step = self.random.below(2);
                self.line(format!("x.f := y.f + {step}"));
            }
            _ => {
                let function = self.term();
                self.line(format!("w := {function}"));
            }
        }
    }

    fn call(&mut self) {
        let object = self.owner();
        let known: Vec<&'static str> = ["inc", "half", "wild", "swap", "usesP", "pick", "all", "give"]
            .into_iter()
            .filter(|n| self.has(n))
            .collect();
        match self.random.pick(&known).copied() {
            Some("swap") => self.line(format!("swap({object}, y)")),
            Some("usesP") => self.line(format!("usesP({object})")),
            Some("pick") => self.line("o := pick(s)"),
            Some("all") => self.line("all(s)"),
            Some("give") => self.line("o := give()"),
            Some(name) => self.line(format!("v := {name}({object})")),
            None => self.line(format!("v := {object}.f")),
        }
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        self.fixed(format!("if ({condition}) {{"));
        self.indent += 1;
        self.statements(depth + 1);
        self.indent -= 1;
        if self.random.chance(1, 2) {
            self.fixed("} else {");
            self.indent += 1;
            self.statements(depth + 1);
            self.indent -= 1;
        }
        self.fixed("}");
    }

    fn repeat(&mut self) {
        self.fixed("k := 0");
        let bound = self.random.word(&["i", "3", "|q|", "|s|"]);
        self.fixed(format!("while (k < {bound})"));
        self.indent += 1;
        self.in_contract = true;
        if self.random.chance(3, 4) {
            self.line("invariant 0 <= k");
        }
        let upper = self.random.word(&["k <= i", "k <= 3", "k <= |q|", "k <= |s|"]);
        self.line(format!("invariant {upper}"));
        for _ in 0..self.random.below(3) {
            let resource = self.resource();
            self.line(format!("invariant {resource}"));
        }
        for _ in 0..self.random.below(3) {
            let claim = self.claim();
            self.line(format!("invariant {claim}"));
        }
        self.in_contract = false;
        self.indent -= 1;
        self.fixed("{");
        self.indent += 1;
        for _ in 0..self.random.below(3) {
            self.statement(2);
        }
        self.fixed("k := k + 1");
        self.indent -= 1;
        self.fixed("}");
    }

    fn wand(&mut self) {
        if !self.wands.is_empty() && self.random.chance(1, 2) {
            let wand = self.random.pick(&self.wands.clone()).cloned().unwrap_or_default();
            self.line(format!("apply {wand}"));
            return;
        }
        let (object, other) = (self.owner(), self.object());
        let mut wands = vec![
            format!("acc({object}.f) --* acc({object}.f)"),
            format!("acc({object}.f, 1/2) --* acc({object}.f)"),
            format!("acc({object}.g) --* acc({object}.g) && acc({other}.f)"),
            format!("acc({object}.f) && {object}.f == 1 --* acc({object}.f) && {object}.f > 0"),
            format!("acc({object}.f) --* acc({object}.f) && {object}.f == old[lhs]({object}.f)"),
            format!("true --* acc({object}.f)"),
            format!("true --* acc({object}.f) && {object}.f == i"),
            format!("acc({object}.g, 1/2) --* acc({object}.g, 1/2) && ({object}.g > 0 ==> acc({other}.f))"),
            format!("acc({object}.f, wildcard) --* acc({object}.f, wildcard)"),
            format!("acc({object}.f, 1/2) --* acc({object}.f, wildcard) && acc({other}.g)"),
            format!("acc({object}.g, wildcard) --* acc({object}.f, 1/2)"),
        ];
        if self.has("P") {
            wands.push(format!("P({object}) --* P({object})"));
            wands.push(format!("acc({object}.g) --* P({object})"));
            wands.push(format!("P({object}) --* acc({object}.f)"));
        }
        let wand = self.random.pick(&wands).cloned().unwrap_or_default();
        let mut proof = String::new();
        if wand.ends_with(&format!("--* P({object})")) && wand.starts_with("acc") {
            proof = format!(" {{ fold P({object}) }}");
        } else if wand.starts_with('P') && wand.ends_with(".f)") {
            proof = format!(" {{ unfold P({object}) }}");
        }
        match self.random.below(5) {
            0 => self.line(format!("inhale {wand}")),
            1 => self.line(format!("exhale {wand}")),
            _ => {
                self.line(format!("package {wand}{proof}"));
                self.wands.push(wand);
            }
        }
    }
}
