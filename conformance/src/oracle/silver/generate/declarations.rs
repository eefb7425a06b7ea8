//! What programs are made of: fields, predicates, functions, data types, methods to call.

use super::Writer;

impl Writer<'_> {
    pub(super) fn declarations(&mut self) {
        for field in ["field f: Int", "field g: Int", "field n: Ref"] {
            self.fixed(field);
        }
        let chosen: Vec<usize> = (0..2 + self.random.below(3)).map(|_| self.random.below(13)).collect();
        for theme in chosen {
            match theme {
                0 | 1 => self.predicate(),
                2 => self.list(),
                3 => self.getter(),
                4 => self.quantified_function(),
                5 => self.abstract_function(),
                6 => self.data_type(),
                7 => self.locations(),
                8 => self.recursive_function(),
                9 => self.predicate_with_amount(),
                10 => self.pair_function(),
                11 if self.random.chance(1, 4) => self.empty_data_type(),
                _ => self.sequence_function(),
            }
        }
        for _ in 0..self.random.below(3) {
            self.callee();
        }
    }

    /// Declares once.
    fn declare(&mut self, name: &'static str) -> bool {
        self.has.insert(name)
    }

    fn ensures(&mut self, formulas: &[&'static str]) {
        let formula = self.random.word(formulas);
        self.line(format!("ensures {formula}"));
    }

    fn predicate(&mut self) {
        if !self.declare("P") {
            return;
        }
        let body = self.random.word(&[
            "acc(x.f)",
            "acc(x.f) && x.f >= 0",
            "acc(x.f, 1/2)",
            "acc(x.f, 1/2) && x.f > 0",
            "acc(x.f, wildcard)",
            "acc(x.f) && acc(x.g)",
            "acc(x.f) && acc(x.g) && x.f <= x.g",
            "acc(x.f) && (x.f > 0 ==> acc(x.g))",
            "acc(x.f, 1/2) && acc(x.g, wildcard)",
            "acc(x.f, 2/3) && acc(x.n)",
        ]);
        self.fixed(format!("predicate P(x: Ref) {{ {body} }}"));
        if self.random.chance(2, 3) {
            self.declare("inP");
            let amount = self.random.word(&["P(x)", "acc(P(x), wildcard)", "acc(P(x), 1/2)"]);
            self.fixed(format!("function inP(x: Ref): Int requires {amount}"));
            self.indent += 1;
            self.ensures(&["result >= 0", "result > 0", "result == result"]);
            self.indent -= 1;
            self.fixed("{ unfolding acc(P(x), wildcard) in x.f }");
        }
    }

    fn predicate_with_amount(&mut self) {
        if !self.declare("Q") {
            return;
        }
        let body = self.random.word(&[
            "p >= none && acc(x.g, p)",
            "none < p && acc(x.g, p)",
            "none <= p && p <= write && acc(x.g, p) && (p > none ==> x.g == 1)",
            "acc(x.g, 1/2) && p <= write",
            "acc(x.g, p > none ? p : none)",
        ]);
        self.fixed(format!("predicate Q(x: Ref, p: Perm) {{ {body} }}"));
    }

    fn list(&mut self) {
        if !self.declare("L") {
            return;
        }
        let value = self.random.word(&["", " && x.f >= 0", " && x.f > 0"]);
        self.fixed(format!(
            "predicate L(x: Ref) {{ acc(x.f) && acc(x.n){value} && (x.n != null ==> L(x.n)) }}"
        ));
        if self.random.chance(3, 4) {
            self.declare("len");
            self.fixed("function len(x: Ref): Int requires L(x)");
            self.indent += 1;
            self.ensures(&["result > 0", "result >= 0", "result >= 1"]);
            if self.random.chance(1, 3) {
                self.line("decreases L(x)");
            }
            self.indent -= 1;
            self.fixed("{ unfolding L(x) in (x.n == null ? 1 : 1 + len(x.n)) }");
        }
    }

    fn getter(&mut self) {
        if !self.declare("get") {
            return;
        }
        let amount = self.random.word(&["acc(x.f, wildcard)", "acc(x.f, 1/2)", "acc(x.f)"]);
        let body = self.random.word(&["x.f", "x.f + 1", "x.f > 0 ? x.f : 0", "x.f * x.f"]);
        self.fixed(format!("function get(x: Ref): Int requires {amount}"));
        self.indent += 1;
        self.ensures(&["result == x.f", "result >= x.f", "result >= 0"]);
        self.indent -= 1;
        self.fixed(format!("{{ {body} }}"));
    }

    fn pair_function(&mut self) {
        if !self.declare("add") {
            return;
        }
        let body = self.random.word(&["x.f + y.f", "x == y ? x.f : x.f + y.f", "x.f - y.f"]);
        let amount = self.random.word(&["", ", 1/2", ", wildcard"]);
        let pre = format!("acc(x.f{amount}) && acc(y.f{amount})");
        self.fixed(format!("function add(x: Ref, y: Ref): Int requires {pre}"));
        self.indent += 1;
        self.ensures(&["x == y ==> result == x.f", "result >= x.f", "x != y"]);
        self.indent -= 1;
        self.fixed(format!("{{ {body} }}"));
    }

    fn quantified_function(&mut self) {
        if !self.declare("qf") {
            return;
        }
        let amount = self.random.word(&["", ", 1/2", ", wildcard"]);
        self.fixed("function qf(s: Set[Ref], x: Ref): Int");
        self.indent += 1;
        self.fixed("requires x in s");
        self.fixed(format!("requires forall r: Ref :: {{ r.f }} r in s ==> acc(r.f{amount})"));
        self.ensures(&["result == x.f", "result > 0", "true"]);
        self.indent -= 1;
        if self.random.chance(1, 4) {
            return;
        }
        self.fixed("{ x.f }");
    }

    fn sequence_function(&mut self) {
        if !self.declare("qs") {
            return;
        }
        self.fixed("function qs(q: Seq[Ref], i: Int): Int");
        self.indent += 1;
        self.fixed("requires 0 <= i && i <= |q|");
        self.fixed("requires forall a: Int, c: Int :: 0 <= a && a < c && c < |q| ==> q[a] != q[c]");
        self.fixed("requires forall j: Int :: { q[j] } 0 <= j && j < |q| ==> acc(q[j].f, wildcard)");
        if self.random.chance(1, 2) {
            self.line("decreases |q| - i");
        }
        self.indent -= 1;
        self.fixed("{ i == |q| ? 0 : q[i].f + qs(q, i + 1) }");
    }

    fn abstract_function(&mut self) {
        if !self.declare("h") {
            return;
        }
        let pre =
            self.random.word(&["acc(x.f)", "acc(x.f, wildcard) && acc(x.g, wildcard)", "acc(x.f, 1/2)"]);
        self.fixed(format!("function h(x: Ref): Int requires {pre}"));
        self.indent += 1;
        self.ensures(&["result >= 0", "result >= x.f", "true", "result <= x.f"]);
        self.indent -= 1;
    }

    fn data_type(&mut self) {
        if !self.declare("T") {
            return;
        }
        self.fixed("adt T { E() C(hd: Int, tl: T) }");
        if self.random.chance(2, 3) {
            self.declare("size");
            self.fixed("function size(t: T): Int");
            self.indent += 1;
            self.ensures(&["result >= 0", "result > 0", "t == E() ==> result == 0"]);
            if self.random.chance(1, 2) {
                self.line("decreases t");
            }
            self.indent -= 1;
            self.fixed("{ t.isE ? 0 : 1 + size(t.tl) }");
        }
    }

    /// A data type that no value can have.
    fn empty_data_type(&mut self) {
        if self.declare("V") {
            self.fixed("adt V { W(inner: V) }");
            self.fixed("function deep(v: V): Int { v.inner == v ? 0 : 1 }");
        }
    }

    fn locations(&mut self) {
        if !self.declare("loc") {
            return;
        }
        self.fixed("domain D {");
        self.indent += 1;
        self.fixed("function loc(i: Int): Ref");
        self.fixed("function inv(r: Ref): Int");
        self.fixed("axiom { forall i: Int :: { loc(i) } inv(loc(i)) == i }");
        self.indent -= 1;
        self.fixed("}");
    }

    fn recursive_function(&mut self) {
        if !self.declare("fac") {
            return;
        }
        self.fixed("function fac(k: Int): Int");
        self.indent += 1;
        self.ensures(&["result >= 1", "result >= k", "k <= 1 ==> result == 1"]);
        if self.random.chance(2, 3) {
            let measure = self.random.word(&["k", "k - 1", "k + 1"]);
            self.line(format!("decreases {measure}"));
        }
        self.indent -= 1;
        let body = self.random.word(&[
            "k <= 1 ? 1 : k * fac(k - 1)",
            "k <= 0 ? 1 : 1 + fac(k - 1)",
            "k <= 0 ? 1 : (k % 2 == 0 ? fac(k - 1) : 1 + fac(k - 2))",
        ]);
        self.fixed(format!("{{ {body} }}"));
    }

    fn callee(&mut self) {
        let name = self.random.word(&["inc", "half", "wild", "swap", "usesP", "pick", "all", "give"]);
        if name == "usesP" && !self.has("P") || !self.declare(name) {
            return;
        }
        let has_body = self.random.chance(1, 2);
        let (head, clauses, body): (&str, Vec<&str>, Vec<&str>) = match name {
            "inc" => (
                "inc(x: Ref) returns (v: Int)",
                vec![
                    "requires acc(x.f)",
                    "ensures acc(x.f)",
                    "ensures x.f == old(x.f) + 1",
                    "ensures v == x.f",
                ],
                vec!["x.f := x.f + 1", "v := x.f"],
            ),
            "half" => (
                "half(x: Ref) returns (v: Int)",
                vec!["requires acc(x.f, 1/2)", "ensures acc(x.f, 1/2)", "ensures v == x.f", "ensures v > 0"],
                vec!["v := x.f"],
            ),
            "wild" => (
                "wild(x: Ref) returns (v: Int)",
                vec!["requires acc(x.f, wildcard)", "ensures acc(x.f, wildcard)", "ensures v == x.f"],
                vec!["v := x.f"],
            ),
            "swap" => (
                "swap(x: Ref, y: Ref)",
                vec![
                    "requires acc(x.f) && acc(y.f)",
                    "ensures acc(x.f) && acc(y.f)",
                    "ensures x.f == old(y.f)",
                    "ensures y.f == old(x.f)",
                ],
                vec!["var t: Int := x.f", "x.f := y.f", "y.f := t"],
            ),
            "usesP" => (
                "usesP(x: Ref)",
                vec!["requires acc(P(x), 1/2)", "ensures acc(P(x), 1/2)"],
                vec!["assert acc(P(x), 1/2)"],
            ),
            "pick" => (
                "pick(s: Set[Ref]) returns (r: Ref)",
                vec!["requires |s| > 0", "ensures r in s", "ensures r != null"],
                vec!["inhale r in s"],
            ),
            "all" => (
                "all(s: Set[Ref])",
                vec![
                    "requires forall r: Ref :: r in s ==> acc(r.f)",
                    "ensures forall r: Ref :: r in s ==> acc(r.f)",
                    "ensures forall r: Ref :: { r.f } r in s ==> r.f == old(r.f)",
                ],
                vec!["assert true"],
            ),
            _ => (
                "give() returns (r: Ref)",
                vec!["ensures acc(r.f)", "ensures r.f == 0"],
                vec!["r := new(f)", "r.f := 0"],
            ),
        };
        self.fixed(format!("method {head}"));
        self.indent += 1;
        for clause in clauses {
            if clause.contains("acc(") { self.fixed(clause) } else { self.line(clause) }
        }
        self.indent -= 1;
        if has_body {
            self.fixed("{");
            self.indent += 1;
            for statement in body {
                self.fixed(statement);
            }
            self.indent -= 1;
            self.fixed("}");
        }
    }
}
