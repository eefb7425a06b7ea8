//! Small changes of PVL programs that ought to break their proofs.
//!
//! A mutant is the text of a program with one place replaced. Candidates are found on the syntax tree; which of them are
//! taken depends on the text and a number only.

use pvl::syntax::tree::{
    BinaryOperator, ClassMemberKind, ClauseKind, Contract, Declaration, DeclarationKind, Expression,
    ExpressionKind, ParRegion, ParRegionKind, Program, Statement, StatementKind,
};
use pvl::syntax::{Options, parse};
use source::{SourceMap, Span};

/// One change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutation {
    pub kind: &'static str,
    /// Bytes of the text that are replaced.
    pub start: usize,
    pub end: usize,
    pub replacement: String,
}

impl Mutation {
    pub fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.start], self.replacement, &text[self.end..])
    }

    /// The line, from 1 on.
    pub fn line(&self, text: &str) -> usize {
        text[..self.start].matches('\n').count() + 1
    }

    /// What was there and what is there now, on one line each.
    pub fn describe(&self, text: &str) -> (String, String) {
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        (flat(&text[self.start..self.end]), flat(&self.replacement))
    }
}

/// The program without members that are there to fail: they contain an expectation.
pub fn without_expectations(text: &str) -> Option<String> {
    let program = read(text)?;
    let mut owned: Vec<(usize, usize)> = Vec::new();
    let mut before = 0;
    for declaration in &program.declarations {
        let end = declaration.span.end as usize;
        if let DeclarationKind::Class(class) = &declaration.kind {
            let mut before = class.name.span.end as usize;
            before += text.get(before..)?.find('{')? + 1;
            for member in &class.members {
                owned.push((before, member.span.end as usize));
                before = member.span.end as usize;
            }
        } else {
            owned.push((before, end));
        }
        before = end;
    }
    let mut bytes = text.as_bytes().to_vec();
    for (start, end) in owned {
        if text.get(start..end)?.contains("[/expect") {
            bytes[start..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
    }
    String::from_utf8(bytes).ok()
}

fn read(text: &str) -> Option<Program> {
    let mut map = SourceMap::default();
    let id = map.add("program.pvl", text);
    let (program, diagnostics) = parse(id, text, Options::default());
    let has_errors = diagnostics.iter().any(source::Diagnostic::is_error);
    (!has_errors).then_some(program)
}

/// At most `wanted` changes, of as many kinds as possible.
pub fn mutations(text: &str, wanted: usize, seed: u64) -> Vec<Mutation> {
    let Some(program) = read(text) else { return Vec::new() };
    let mut finder = Finder { text, found: Vec::new() };
    for declaration in &program.declarations {
        finder.declaration(declaration);
    }
    let mut found = finder.found;
    found.sort_by_key(|mutation| (mutation.kind, mutation.start, mutation.replacement.clone()));
    found.dedup();
    let mut state = text.bytes().fold(seed ^ 0x9e37_79b9_7f4a_7c15, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut kinds: Vec<Vec<Mutation>> = Vec::new();
    for mutation in found {
        match kinds.last_mut() {
            Some(last) if last[0].kind == mutation.kind => last.push(mutation),
            _ => kinds.push(vec![mutation]),
        }
    }
    let mut chosen = Vec::new();
    while chosen.len() < wanted && kinds.iter().any(|kind| !kind.is_empty()) {
        for kind in &mut kinds {
            if !kind.is_empty() && chosen.len() < wanted {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let index = (state >> 33) as usize % kind.len();
                chosen.push(kind.swap_remove(index));
            }
        }
    }
    chosen.sort_by_key(|mutation| mutation.start);
    chosen
}

/// How a contract's clause may be changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Without it less is known.
    Assumed,
    /// Without it less is promised, which breaks no proof by itself.
    Promised,
}

struct Finder<'t> {
    text: &'t str,
    found: Vec<Mutation>,
}

impl Finder<'_> {
    fn add(&mut self, kind: &'static str, span: Span, replacement: impl Into<String>) {
        let (start, end) = (span.start as usize, span.end as usize);
        self.found.push(Mutation { kind, start, end, replacement: replacement.into() });
    }

    fn source(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn declaration(&mut self, declaration: &Declaration) {
        match &declaration.kind {
            DeclarationKind::Class(class) => {
                self.contract(&class.contract);
                for member in &class.members {
                    match &member.kind {
                        ClassMemberKind::Fields(_) => {}
                        ClassMemberKind::Constructor(it) => {
                            self.routine(&it.contract, it.body.as_ref().map(|body| &body.statements));
                        }
                        ClassMemberKind::Run(it) => {
                            self.routine(&it.contract, it.body.as_ref().map(|body| &body.statements));
                        }
                        ClassMemberKind::Method(it) => {
                            self.routine(&it.contract, it.body.as_ref().map(|body| &body.statements));
                        }
                        ClassMemberKind::Function(it) => self.function(&it.contract, it.body.as_ref()),
                        ClassMemberKind::Predicate(it) => self.predicate(it.body.as_ref()),
                        ClassMemberKind::Lemma(it) => {
                            self.routine(&it.contract, it.body.as_ref().map(|body| &body.statements));
                        }
                    }
                }
            }
            DeclarationKind::Method(it) => {
                self.routine(&it.contract, it.body.as_ref().map(|body| &body.statements));
            }
            DeclarationKind::Lemma(it) => {
                self.routine(&it.contract, it.body.as_ref().map(|body| &body.statements));
            }
            DeclarationKind::Function(it) => self.function(&it.contract, it.body.as_ref()),
            DeclarationKind::Predicate(it) => self.predicate(it.body.as_ref()),
            _ => {}
        }
    }

    /// A method, lemma or thread; one without a body is trusted, and no change of it breaks its own proof.
    fn routine(&mut self, contract: &Contract, body: Option<&Vec<Statement>>) {
        let Some(body) = body else { return };
        self.contract(contract);
        for statement in body {
            self.statement(statement);
        }
    }

    fn function(&mut self, contract: &Contract, body: Option<&Expression>) {
        let Some(body) = body else { return };
        self.contract(contract);
        self.expression(body);
    }

    fn predicate(&mut self, body: Option<&Expression>) {
        if let Some(body) = body {
            self.conjuncts(body, Place::Assumed);
            self.expression(body);
        }
    }

    fn contract(&mut self, contract: &Contract) {
        for clause in &contract.clauses {
            let (assertion, kind, place) = match &clause.kind {
                ClauseKind::Requires(e) => (e, "dropped precondition", Place::Assumed),
                ClauseKind::Context(e) | ClauseKind::ContextEverywhere(e) => {
                    (e, "dropped context", Place::Assumed)
                }
                ClauseKind::LoopInvariant(e) => (e, "removed invariant", Place::Assumed),
                ClauseKind::LockInvariant(e) => (e, "removed invariant", Place::Assumed),
                ClauseKind::Ensures(e) => (e, "", Place::Promised),
                ClauseKind::Decreases(pvl::syntax::tree::Measure::Tuple(measures)) => {
                    for measure in measures {
                        self.expression(measure);
                    }
                    continue;
                }
                _ => continue,
            };
            if place == Place::Assumed {
                self.add(kind, clause.span, "");
            }
            self.conjuncts(assertion, place);
            self.expression(assertion);
        }
    }

    /// Conjuncts that are left out; a permission is a kind of its own.
    fn conjuncts(&mut self, assertion: &Expression, place: Place) {
        let ExpressionKind::Binary(BinaryOperator::And | BinaryOperator::Star, left, right) =
            &*assertion.kind
        else {
            return;
        };
        if place == Place::Assumed {
            for (dropped, kept) in [(left, right), (right, left)] {
                let is_permission = matches!(&*dropped.kind, ExpressionKind::Permission { .. });
                let kind = if is_permission { "dropped permission" } else { "dropped conjunct" };
                let kept = format!("({})", self.source(kept.span));
                self.add(kind, assertion.span, kept);
            }
        }
        self.conjuncts(left, place);
        self.conjuncts(right, place);
    }

    fn statement(&mut self, statement: &Statement) {
        use StatementKind::*;
        let dropped = match &statement.kind {
            Unlock(_) => Some("missing unlock"),
            Lock(_)
            | Fork(_)
            | Join(_)
            | Fold(_)
            | Unfold(_)
            | Assign { .. }
            | Evaluate(_)
            | Commit(_)
            | Increment(_)
            | Decrement(_)
            | Barrier { .. }
            | Apply(_) => Some("dropped statement"),
            _ => None,
        };
        if let Some(kind) = dropped {
            self.add(kind, statement.span, "{ }");
        }
        match &statement.kind {
            While { contract, .. }
            | For { contract, .. }
            | RangedFor { contract, .. }
            | Barrier { contract, .. }
            | Frame { contract, .. } => self.contract(contract),
            Par(region) => self.region(region),
            Invariant { resource, .. } => self.conjuncts(resource, Place::Assumed),
            _ => {}
        }
        if let RangedFor { variable, .. } = &statement.kind {
            self.add("off by one", variable.high.span, format!("{} + 1", self.source(variable.high.span)));
        }
        // Expressions of contracts come again here, and are the same changes.
        if !matches!(statement.kind, Assert(_)) {
            statement.kind.for_each_expression(&mut |expression| self.expression(expression));
        }
        let mut children = Vec::new();
        statement.kind.for_each_child(&mut |child| children.push(child));
        for child in children {
            self.statement(child);
        }
    }

    fn region(&mut self, region: &ParRegion) {
        match &region.kind {
            ParRegionKind::Parallel(regions) | ParRegionKind::Sequential(regions) => {
                for region in regions {
                    self.region(region);
                }
            }
            ParRegionKind::Block(block) => {
                self.contract(&block.contract);
                for variable in &block.variables {
                    let high = variable.high.span;
                    self.add("off by one", high, format!("{} + 1", self.source(high)));
                }
            }
        }
    }

    fn expression(&mut self, expression: &Expression) {
        match &*expression.kind {
            ExpressionKind::Int(text) => {
                if let Ok(value) = text.parse::<u64>() {
                    self.add("changed constant", expression.span, (value + 1).to_string());
                }
            }
            ExpressionKind::Bool(value) => {
                self.add("changed constant", expression.span, (!value).to_string());
            }
            ExpressionKind::Permission { amount, .. } => match &*amount.kind {
                ExpressionKind::WritePermission => self.add("less permission", amount.span, "1\\2"),
                _ => {
                    let half = format!("({}) * (1\\2)", self.source(amount.span));
                    self.add("less permission", amount.span, half);
                }
            },
            ExpressionKind::Binary(operator, left, right) => {
                let flipped = match operator {
                    BinaryOperator::Less => Some(("flipped comparison", "<", "<=")),
                    BinaryOperator::LessEqual => Some(("flipped comparison", "<=", "<")),
                    BinaryOperator::Greater => Some(("flipped comparison", ">", ">=")),
                    BinaryOperator::GreaterEqual => Some(("flipped comparison", ">=", ">")),
                    BinaryOperator::Equal => Some(("flipped comparison", "==", "!=")),
                    BinaryOperator::NotEqual => Some(("flipped comparison", "!=", "==")),
                    BinaryOperator::Add => Some(("changed operator", "+", "-")),
                    BinaryOperator::Subtract => Some(("changed operator", "-", "+")),
                    BinaryOperator::Implies => Some(("changed operator", "==>", "&&")),
                    _ => None,
                };
                if let Some((kind, before, after)) = flipped {
                    let (start, end) = (left.span.end as usize, right.span.start as usize);
                    let gap = self.text.get(start..end).unwrap_or("");
                    if let Some(at) = gap.find(before) {
                        let start = start + at;
                        let end = start + before.len();
                        self.found.push(Mutation { kind, start, end, replacement: after.to_string() });
                    }
                }
                if matches!(operator, BinaryOperator::Less | BinaryOperator::LessEqual) {
                    let bound = format!("({} + 1)", self.source(right.span));
                    self.add("off by one", right.span, bound);
                }
            }
            _ => {}
        }
        expression.kind.for_each_child(&mut |child| self.expression(child));
    }
}

#[cfg(test)]
mod tests {
    use super::{mutations, without_expectations};

    const PROGRAM: &str = "class C { int x; }\n\
        requires c != null ** Perm(c.x, write);\n\
        ensures Perm(c.x, write) ** c.x == 3;\n\
        void store(C c) { c.x = 3; }\n\
        void wrong() { /*[/expect assertFailed:false]*/ assert false; /*[/end]*/ }\n";

    #[test]
    fn members_that_fail_are_left_out() {
        let text = without_expectations(PROGRAM).expect("it is a program");
        assert!(text.contains("store") && !text.contains("wrong"));
        assert_eq!(text.len(), PROGRAM.len());
    }

    #[test]
    fn the_same_changes_are_found_again() {
        let first = mutations(PROGRAM, 6, 1);
        assert_eq!(first, mutations(PROGRAM, 6, 1));
        assert_eq!(first.len(), 6);
        let kinds: std::collections::BTreeSet<_> = first.iter().map(|mutation| mutation.kind).collect();
        assert!(kinds.len() >= 5, "{kinds:?}");
        for mutation in first {
            assert_ne!(mutation.apply(PROGRAM), PROGRAM);
        }
    }
}
