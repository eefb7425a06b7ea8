//! `committed(o)` may only be promised and asked for, never be denied or decided upon.
//!
//! It is a function of the object that does not change, so it also holds before the commit. Nothing can go wrong as
//! long as no proof can split on whether it holds: then it is known only behind a commit. Why that is enough: read it as
//! *has been committed by now*. Whatever was assumed before stays true when more is committed, as long as it says
//! `committed` only positively; so a proof is also right for this reading, which is what a `lock` relies on.
//!
//! A call stands for what it is defined by. The body of a function is a value, in which `committed` is refused. Facts
//! and `inline` resources that speak of it, also by calling others, are treated like `committed` itself. Other resources are
//! held or not, which nothing can decide upon.

use rustc_hash::FxHashSet;
use source::{Diagnostic, Span};

use crate::lower::Lowering;
use crate::resolve::{CallTarget, Resolution};
use crate::syntax::tree::{
    BinaryOperator, Block, Builtin, ClassMemberKind, Contract, DeclarationKind, Expression, ExpressionKind,
    NodeId, PredicateKind, QuantifierKind, Routine, Statement, StatementKind,
};

impl Lowering<'_> {
    pub(crate) fn check_committed(&mut self) {
        let mut search = Search::new(self.resolution);
        for declaration in &self.resolution.items.declarations {
            match &declaration.kind {
                DeclarationKind::Class(class) => {
                    search.contract(&class.contract);
                    class.members.iter().for_each(|member| search.member(&member.kind));
                }
                DeclarationKind::Method(it) => search.routine(&it.contract, it.body.as_ref()),
                DeclarationKind::Lemma(it) => search.routine(&it.contract, it.body.as_ref()),
                DeclarationKind::Function(it) => search.function(&it.contract, it.body.as_ref()),
                DeclarationKind::Predicate(it) => {
                    it.body.iter().for_each(|body| search.expression(body, true));
                }
                // Axioms hold at all times.
                DeclarationKind::Adt(it) => {
                    it.axioms.iter().for_each(|axiom| search.expression(&axiom.body, false));
                }
                // Models speak about their fields only; the others have no expressions.
                DeclarationKind::Model(_)
                | DeclarationKind::Enum(_)
                | DeclarationKind::RewriteRule(_)
                | DeclarationKind::ProverType(_)
                | DeclarationKind::ProverFunction(_) => {}
            }
        }
        self.says_committed = search.is_said;
        for span in search.found {
            let message = "`committed` can only be promised and asked for, not be denied or decided upon";
            let diagnostic = Diagnostic::error("committedScope", span, message);
            let help = "use it as a conjunct of a contract, an invariant or an assertion";
            self.diagnostics.push(diagnostic.help(help));
        }
    }
}

struct Search<'r> {
    resolution: &'r Resolution<'r>,
    /// Routines whose calls say `committed`.
    meaning: FxHashSet<NodeId>,
    found: Vec<Span>,
    /// Whether it is said or done anywhere.
    is_said: bool,
}

impl<'r> Search<'r> {
    fn new(resolution: &'r Resolution<'r>) -> Search<'r> {
        let mut search =
            Search { resolution, meaning: FxHashSet::default(), found: Vec::new(), is_said: false };
        loop {
            let before = search.meaning.len();
            for (id, routine) in &resolution.items.routines {
                let Routine::Predicate(predicate) = routine else { continue };
                let is_replaced =
                    predicate.kind == PredicateKind::Fact || predicate.modifiers.inline.is_some();
                if is_replaced && predicate.body.as_ref().is_some_and(|body| search.mentions(body)) {
                    search.meaning.insert(*id);
                }
            }
            if search.meaning.len() == before {
                return search;
            }
        }
    }

    /// Whether the expression itself says `committed`.
    fn says(&self, expression: &Expression) -> bool {
        if matches!(&*expression.kind, ExpressionKind::Builtin(Builtin::Committed, _)) {
            return true;
        }
        match self.resolution.calls.get(&expression.id) {
            Some(CallTarget::Routine(call)) => self.meaning.contains(&call.routine),
            _ => false,
        }
    }

    fn mentions(&self, expression: &Expression) -> bool {
        let mut found = self.says(expression);
        expression.kind.for_each_child(&mut |child| found = found || self.mentions(child));
        found
    }

    fn member(&mut self, member: &ClassMemberKind) {
        match member {
            ClassMemberKind::Fields(_) => {}
            ClassMemberKind::Constructor(it) => self.routine(&it.contract, it.body.as_ref()),
            ClassMemberKind::Run(it) => self.routine(&it.contract, it.body.as_ref()),
            ClassMemberKind::Method(it) => self.routine(&it.contract, it.body.as_ref()),
            ClassMemberKind::Lemma(it) => self.routine(&it.contract, it.body.as_ref()),
            ClassMemberKind::Function(it) => self.function(&it.contract, it.body.as_ref()),
            ClassMemberKind::Predicate(it) => {
                it.body.iter().for_each(|body| self.expression(body, true));
            }
        }
    }

    fn function(&mut self, contract: &Contract, body: Option<&Expression>) {
        self.contract(contract);
        body.into_iter().for_each(|body| self.expression(body, false));
    }

    fn routine(&mut self, contract: &Contract, body: Option<&Block>) {
        self.contract(contract);
        for statement in body.iter().flat_map(|body| &body.statements) {
            self.statement(statement);
        }
    }

    fn contract(&mut self, contract: &Contract) {
        contract.for_each_expression(&mut |clause| self.expression(clause, true));
        // A measure is compared.
        if let Some((crate::syntax::tree::Measure::Tuple(measures), _)) = contract.measure() {
            let compared: Vec<Span> = measures.iter().filter(|it| self.says(it)).map(|it| it.span).collect();
            self.found.extend(compared);
        }
    }

    fn statement(&mut self, it: &Statement) {
        use StatementKind::*;
        self.is_said |= matches!(it.kind, Commit(_));
        match &it.kind {
            Assert(e)
            | Prove { claim: e, .. }
            | Obtain { claim: e }
            | Assume(e)
            | Inhale(e)
            | Exhale(e)
            | Invariant { resource: e, .. } => {
                self.expression(e, true);
            }
            Send { distance, resource, .. } => {
                self.expression(distance, false);
                self.expression(resource, true);
            }
            While { contract, condition, .. } => {
                self.contract(contract);
                self.expression(condition, false);
            }
            For { contract, condition, .. } => {
                self.contract(contract);
                condition.iter().for_each(|condition| self.expression(condition, false));
            }
            RangedFor { contract, variable, .. } => {
                self.contract(contract);
                self.expression(&variable.low, false);
                self.expression(&variable.high, false);
            }
            Barrier { contract, .. } | Frame { contract, .. } => self.contract(contract),
            // Their bounds are numbers, of which it can only be a part that is decided upon.
            Par(_) => it.kind.for_each_expression(&mut |e| self.expression(e, true)),
            _ => it.kind.for_each_expression(&mut |e| self.expression(e, false)),
        }
        it.kind.for_each_child(&mut |child| self.statement(child));
    }

    fn expression(&mut self, it: &Expression, allowed: bool) {
        use BinaryOperator::{And, Implies, Star};
        self.is_said |= self.says(it);
        if self.says(it) && !allowed {
            self.found.push(it.span);
        }
        it.kind.ghost_statements().for_each(|statement| self.statement(statement));
        match &*it.kind {
            ExpressionKind::Binary(And | Star, left, right) => {
                self.expression(left, allowed);
                self.expression(right, allowed);
            }
            ExpressionKind::Binary(Implies, left, right) => {
                self.expression(left, false);
                self.expression(right, allowed);
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.expression(condition, false);
                self.expression(then, allowed);
                self.expression(otherwise, allowed);
            }
            ExpressionKind::Quantifier { bindings, condition, body, kind } => {
                for (low, high) in bindings.iter().filter_map(|binding| binding.range.as_ref()) {
                    self.expression(low, false);
                    self.expression(high, false);
                }
                condition.iter().for_each(|condition| self.expression(condition, false));
                let is_universal = matches!(kind, QuantifierKind::Forall | QuantifierKind::Starall);
                self.expression(body, allowed && is_universal);
            }
            ExpressionKind::Let { value, body, .. } => {
                self.expression(value, false);
                self.expression(body, allowed);
            }
            ExpressionKind::Scale(factor, body) => {
                self.expression(factor, false);
                self.expression(body, allowed);
            }
            ExpressionKind::Unfolding(predicate, body) => {
                self.expression(predicate, false);
                self.expression(body, allowed);
            }
            ExpressionKind::Trigger(_, body) => self.expression(body, allowed),
            other => other.for_each_child(&mut |child| self.expression(child, false)),
        }
    }
}
