//! What a program may say about its state; much of it is false, and execution shows what.

use super::Writer;

impl Writer<'_> {
    /// A number that is computed by a function.
    pub(super) fn term(&mut self) -> String {
        let object = self.owner();
        let known: Vec<&'static str> = ["inP", "get", "qf", "h", "size", "len", "fac", "add", "qs"]
            .into_iter()
            .filter(|n| self.has(n))
            .collect();
        match self.random.pick(&known).copied() {
            Some("qf") => format!("qf(s, {object})"),
            Some("size") => self.random.word(&["size(t)", "size(C(i, t))", "size(E())"]).to_string(),
            Some("fac") => self.random.word(&["fac(i)", "fac(3)", "fac(i + 1)"]).to_string(),
            Some("add") => self.random.word(&["add(x, y)", "add(x, x)", "add(y, x)"]).to_string(),
            Some("qs") => self.random.word(&["qs(q, 0)", "qs(q, i)", "qs(q, |q|)"]).to_string(),
            Some(name) => format!("{name}({object})"),
            None => format!("{object}.f"),
        }
    }

    fn past(&mut self) -> String {
        match self.random.pick(&self.labels.clone()) {
            Some(label) if self.random.chance(1, 2) => format!("old[{label}]"),
            _ => "old".to_string(),
        }
    }

    pub(super) fn claim(&mut self) -> String {
        let (object, other) = (self.owner(), self.object());
        let past = self.past();
        let kind = self.random.below(30);
        // Contracts speak of amounts by asking for them.
        let kind = if self.in_contract && matches!(kind, 4 | 5 | 15 | 20) { 1 } else { kind };
        match kind {
            0 => {
                let number = self.number();
                format!("{object}.f == {number}")
            }
            1 => format!("{object}.f == {past}({object}.f)"),
            2 => format!("{object}.f == {past}({other}.f)"),
            3 => format!("{object}.f == {past}({object}.f) + 1"),
            4 => format!(
                "perm({object}.f) == {}",
                self.random.word(&["write", "1/2", "none", "p", "1/3", "2/3"])
            ),
            5 => format!("perm({object}.f) {} 1/2", self.random.word(&["<=", ">=", "<", ">"])),
            6 => "x != y".to_string(),
            7 => format!("{object} != {other}"),
            8 => format!("{object}.f != {other}.f"),
            9 => "v == w".to_string(),
            10 => format!("v == {past}({object}.f)"),
            11 => {
                let term = self.term();
                format!("{term} == {past}({term})")
            }
            12 => {
                let (term, number) = (self.term(), self.number());
                format!("{term} == {number}")
            }
            13 => {
                let term = self.term();
                format!("{term} >= {}", self.random.between(0, 1))
            }
            14 if self.has("P") => {
                let formula = self.random.word(&["x.f >= 0", "x.f == v", "x.f > 0", "x.f == i"]);
                let formula = formula.replace("x.", &format!("{object}."));
                let amount = self.random.word(&["P(x)", "acc(P(x), 1/2)", "acc(P(x), wildcard)"]);
                format!("unfolding {} in {formula}", amount.replace("(x)", &format!("({object})")))
            }
            15 if self.has("P") => {
                format!(
                    "perm(P({object})) {} {}",
                    self.random.word(&["==", ">="]),
                    self.random.word(&["none", "write", "1/2"])
                )
            }
            16 => format!("forall r: Ref :: {{ r.f }} r in s ==> r.f == {past}(r.f)"),
            17 => format!("forall r: Ref :: r in s ==> r.f {} 0", self.random.word(&[">=", "==", ">"])),
            18 => "forall r: Ref :: r in s ==> r != null".to_string(),
            19 => format!("{object} in s ==> {object}.f == {past}({object}.f)"),
            20 => format!(
                "forperm r: Ref [r.f] :: {}",
                self.random.word(&["r == x", "r == x || r == y", "r in s", "r.f >= 0"])
            ),
            21 => format!("|s| {} {}", self.random.word(&["==", ">=", ">"]), self.random.below(3)),
            22 => "forall j: Int :: 0 <= j && j < |q| ==> q[j] != null".to_string(),
            23 => format!("forall j: Int :: {{ q[j] }} 0 <= j && j < |q| ==> q[j].f == {past}(q[j].f)"),
            24 => "forall a: Int, c: Int :: 0 <= a && a < c && c < |q| ==> q[a] != q[c]".to_string(),
            25 if self.has("T") => self
                .random
                .word(&[
                    "t == E()",
                    "t.isC ==> t.tl != t",
                    "C(i, t).hd == i",
                    "t.isE || t.isC",
                    "C(i, t) != t",
                ])
                .to_string(),
            26 if self.has("loc") => self
                .random
                .word(&["loc(0) != loc(1)", "loc(i) == loc(v) ==> i == v", "inv(x) == i", "loc(inv(x)) == x"])
                .to_string(),
            27 => "s subset (s union Set(x))".to_string(),
            28 => {
                let resource = self.resource();
                resource.to_string()
            }
            _ => format!("b ==> {object}.f > {}", self.random.between(-1, 1)),
        }
    }
}
