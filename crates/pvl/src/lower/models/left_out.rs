//! `split` and `merge` that are left out where parts of models are given away and come back: at calls, threads and locks.
//!
//! Who takes `m.state(q, T)` takes it as it is held, or from a larger part of T beside R (VMCAI 2020, figure 4,
//! PROC-SPLITMERGE): that is split, and R stays. Which R that can be is read off the terms that were written in the member
//! before; whether one of them is held is asked in the proof. What comes back is merged with what stayed.

use std::rc::Rc;
use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use super::remainders::{Remainder, Shape, beside, remainders, shape};
use super::threads::Part;
use super::written::WrittenTerm;
use crate::limits;
use crate::lower::concurrency::par::split;
use crate::lower::origin::Role;
use crate::lower::scope::{Bindings, Scope, Variable};
use crate::lower::values::types;
use crate::resolve::Type;
use crate::syntax::tree::{Contract, Expression, ExpressionKind as Written, NodeId, Parameter};

/// The annotation of an `if` whose way the proof chooses.
const WHERE_KNOWN: &str = "where_known";

/// Variables for what stayed when something was split: whether that happened, and the part.
#[derive(Clone)]
pub(crate) struct Stayed {
    model: NodeId,
    was_split: Arc<str>,
    object: Arc<str>,
    share: Arc<str>,
    term: Arc<str>,
    /// The terms that it can be.
    terms: Vec<WrittenTerm>,
}

/// A part that a contract takes or gives.
pub(crate) struct Asked {
    part: Part,
    model: NodeId,
    written: WrittenTerm,
}

/// Values for the names in a contract: of `this`, of parameters, and of type parameters.
pub(crate) struct Actual {
    pub(crate) this: Option<s::Expression>,
    pub(crate) parameters: Vec<(NodeId, s::Expression)>,
    pub(crate) types: Rc<types::Substitution>,
}

/// How parts are taken from a larger one: the sum of their shares, and the term that stays.
struct Step<'s> {
    parts: &'s [Part],
    taken: &'s s::Expression,
    rest: &'s s::Expression,
    stayed: &'s Stayed,
}

/// Which terms can be split so that a group of parts can be taken, most likely first.
struct Candidate {
    written: WrittenTerm,
    remainder: Remainder,
}

impl<'t> Scope<'_, 't> {
    /// Whether assertions speak of parts of models.
    pub(crate) fn have_parts(&self, clauses: &[&'t Expression]) -> bool {
        let mut parts = Vec::new();
        clauses.iter().for_each(|clause| split(clause, &mut parts));
        parts.into_iter().any(|part| self.written_state(part).is_some())
    }

    /// Values for the parameters of a contract, kept: what happens to the heap does not change them.
    pub(crate) fn actual(
        &mut self,
        (parameters, contract): (&'t [Parameter], &'t Contract),
        values: &mut [s::Expression],
        has_this: bool,
        type_arguments: Rc<types::Substitution>,
        place: Span,
    ) -> Actual {
        let formals: Vec<&Parameter> = parameters.iter().chain(contract.given()).collect();
        let mut known = Vec::new();
        for (parameter, value) in formals.into_iter().zip(values.iter_mut().skip(usize::from(has_this))) {
            let ty = self.resolution.variables.get(&parameter.id).cloned().unwrap_or(Type::Unknown);
            let ty = self.substituted(&types::substitute(&ty, &type_arguments));
            *value = self.keep(value.clone(), &ty, &parameter.name.text, place);
            known.push((parameter.id, value.clone()));
        }
        Actual {
            this: values.first().filter(|_| has_this).cloned(),
            parameters: known,
            types: type_arguments,
        }
    }

    /// The parts that assertions speak of, outside of conditions; nothing if they speak of another moment.
    fn asked_parts(&mut self, clauses: &[&'t Expression], actual: &Actual) -> Vec<Asked> {
        let mut parts = Vec::new();
        clauses.iter().for_each(|clause| split(clause, &mut parts));
        let variables = actual.parameters.iter();
        let bindings = Bindings {
            substitution: actual.types.clone(),
            this: actual.this.clone().map(Variable::Value),
            thread: self.bindings.thread.clone(),
            variables: variables.map(|(id, value)| (*id, Variable::Value(value.clone()))).collect(),
            ..Bindings::default()
        };
        let mut found = Vec::new();
        for part in parts {
            let Some(state) = self.written_state(part) else { continue };
            if is_of_another_moment(part) {
                return Vec::new();
            }
            let bindings = bindings.clone();
            let asked = self.with_bindings(bindings, |scope| {
                scope.specification(|scope| {
                    let model = scope.model_of(state.object)?;
                    let written = scope.read_written(model, state.term)?;
                    let object = scope.assertion(state.object);
                    let share = scope.assertion(state.share);
                    let term = scope.assertion(state.term);
                    Some(Asked { part: Part { object, share, term }, model, written })
                })
            });
            match asked {
                Some(asked) => found.push(asked),
                None => return Vec::new(),
            }
        }
        found
    }

    /// Splits what is held so that what a contract wants is there.
    pub(crate) fn take_parts(
        &mut self,
        clauses: &[&'t Expression],
        actual: &Actual,
        role: Role,
        place: Span,
    ) {
        let mark = self.lowering.origins.mark();
        let mut groups: Vec<Vec<Asked>> = Vec::new();
        for asked in self.asked_parts(clauses, actual) {
            let text = silver::syntax::print_expression(&asked.part.object);
            let is_of_group = |group: &Vec<Asked>| {
                group.iter().any(|it| silver::syntax::print_expression(&it.part.object) == text)
            };
            match groups.iter_mut().find(|group| is_of_group(group)) {
                Some(group) => group.push(asked),
                None => groups.push(vec![asked]),
            }
        }
        for group in groups {
            self.take_group(&group, place);
        }
        self.lowering.origins.add_region(mark, role);
    }

    fn take_group(&mut self, group: &[Asked], place: Span) {
        let Some(model) = group.first().map(|asked| asked.model) else { return };
        let candidates = self.candidates(model, group);
        if candidates.is_empty() && group.len() < 2 {
            return;
        }
        let parts: Vec<Part> = group.iter().map(|asked| asked.part.clone()).collect();
        let stayed = self.declare_stayed(model, &parts[0].object, place);
        let was_split = self.at(place).variable(&stayed.was_split);
        let mut terms = Vec::new();
        let then = self.block(place, |scope| {
            if parts.len() > 1 {
                scope.split_into(&parts, &was_split, place);
            }
            for candidate in &candidates {
                terms.extend(scope.take_from(candidate, &parts, &stayed, place));
            }
        });
        let held = self.are_held(&parts, place);
        let nothing = self.at(place).block(Vec::new());
        self.emit_where_known(held, nothing, Some(then), place);
        self.path.stayed.push(Stayed { terms, ..stayed });
    }

    fn declare_stayed(&mut self, model: NodeId, object: &s::Expression, place: Span) -> Stayed {
        let (boolean, no) = {
            let mut build = self.at(place);
            (build.ty(s::TypeKind::Bool), build.bool(false))
        };
        let was_split = self.local("was_split", boolean, Some(no), place);
        let reference = self.at(place).ty(s::TypeKind::Ref);
        let object = self.local("model_of_rest", reference, Some(object.clone()), place);
        let rational = self.ty(&Type::Rational, place);
        let none = self.at(place).no_permission();
        let share = self.local("share_of_rest", rational, Some(none), place);
        let process = self.ty(&Type::Process, place);
        let empty = self.at(place).call("process_empty", Vec::new());
        let term = self.local("rest", process, Some(empty), place);
        Stayed { model, was_split, object, share, term, terms: Vec::new() }
    }

    /// What may be held that can be split: first what stayed before, then what was written last.
    fn candidates(&mut self, model: NodeId, group: &[Asked]) -> Vec<Candidate> {
        let Some(known) = self.lowering.algebraic_model(model) else { return Vec::new() };
        let shapes: Option<Vec<Vec<Shape>>> =
            group.iter().map(|asked| shape(&known.model, &asked.written.term)).collect();
        let Some(shapes) = shapes.filter(|shapes| shapes.iter().all(|shape| !shape.is_empty())) else {
            return Vec::new();
        };
        let stayed = self.path.stayed.iter().rev().flat_map(|stayed| stayed.terms.iter());
        let all = stayed.chain(self.path.written.iter().rev());
        let mut wholes: Vec<WrittenTerm> = Vec::new();
        for written in all.filter(|it| it.model == model && self.is_term_in_reach(it)) {
            if !wholes.iter().any(|known| known.is_same(written)) {
                wholes.push(written.clone());
            }
        }
        // The share alone may be too large.
        wholes.extend(group.first().filter(|_| group.len() == 1).map(|asked| asked.written.clone()));
        let mut candidates = Vec::new();
        for written in wholes {
            for remainder in remainders(&known.model, &written.term, &shapes) {
                let is_known =
                    |it: &Candidate| it.remainder == remainder && it.written.has_same_data(&written);
                if !candidates.iter().any(is_known) {
                    candidates.push(Candidate { written: written.clone(), remainder });
                }
            }
        }
        candidates.truncate(limits::REMAINDERS);
        candidates
    }

    /// Whether all of some parts are held.
    fn are_held(&mut self, parts: &[Part], place: Span) -> s::Expression {
        let mut counted: Vec<(String, Part, i64)> = Vec::new();
        for part in parts {
            let text =
                [&part.object, &part.share, &part.term].map(silver::syntax::print_expression).join(", ");
            match counted.iter_mut().find(|it| it.0 == text) {
                Some((_, _, count)) => *count += 1,
                None => counted.push((text, part.clone(), 1)),
            }
        }
        let mut held = Vec::new();
        for (_, part, count) in counted {
            let count = self.at(place).int(count);
            held.push(self.is_held(&part, Some(&count), place));
        }
        self.at(place).all(held)
    }

    /// Where nothing was split yet and this is held, splits it; gives what then stays.
    fn take_from(
        &mut self,
        candidate: &Candidate,
        parts: &[Part],
        stayed: &Stayed,
        place: Span,
    ) -> Option<WrittenTerm> {
        let Candidate { written, remainder } = candidate;
        let rest = written.part(remainder.rest.clone());
        let all = remainder.taken.iter().chain(std::iter::once(&remainder.rest)).cloned();
        let whole = written.part(beside(all, place));
        let mut conditions = Vec::new();
        for (part, taken) in parts.iter().zip(&remainder.taken) {
            let taken = self.written_value(&written.part(taken.clone()), place)?;
            conditions.push(self.at(place).equal(part.term.clone(), taken));
        }
        let (whole, rest_value) = (self.written_value(&whole, place)?, self.written_value(&rest, place)?);
        let object = parts.first()?.object.clone();
        let mut build = self.at(place);
        let shares = parts.iter().map(|part| part.share.clone());
        let taken = shares.reduce(|sum, share| build.binary(s::BinaryOperator::Add, sum, share))?;
        let was_split = self.at(place).variable(&stayed.was_split);
        conditions.insert(0, self.at(place).not(was_split));
        for part in parts {
            // A part without a share is none.
            let mut build = self.at(place);
            let none = build.no_permission();
            conditions.push(build.less(none, part.share.clone()));
        }
        let step = Step { parts, taken: &taken, rest: &rest_value, stayed };
        for share in self.shares_told_apart() {
            let part = Part { object: object.clone(), share: share.clone(), term: whole.clone() };
            let mut build = self.at(place);
            let mut conditions = conditions.clone();
            conditions.push(build.less(taken.clone(), share));
            conditions.push(self.is_held(&part, None, place));
            let then = self.split_off(&part, &step, place);
            let condition = self.at(place).all(conditions);
            self.emit_where_known(condition, then, None, place);
        }
        conditions.push(self.some_share(&object, &whole, &taken, place));
        // That there is such a share is known by the condition, and nothing else: whether all of that part is held is asked.
        // It has a name of its own: what is asked next may be about another one.
        let then = self.block(place, |scope| {
            let rational = scope.ty(&Type::Rational, place);
            let share = scope.local("share_held", rational, None, place);
            let share = scope.at(place).variable(&share);
            let part = Part { object: object.clone(), share: share.clone(), term: whole.clone() };
            let instance = scope.state_instance(object.clone(), share.clone(), whole.clone(), place);
            let mut build = scope.at(place);
            let amount = build.expression(s::ExpressionKind::CurrentPermission(instance));
            let none = build.no_permission();
            let is_some = build.less(none, amount);
            let more = build.less(taken.clone(), share);
            let known = build.and(is_some, more);
            scope.inhale(known, place);
            let is_held = scope.is_held(&part, None, place);
            let split = scope.split_off(&part, &step, place);
            scope.emit_where_known(is_held, split, None, place);
        });
        let condition = self.at(place).all(conditions);
        self.emit_where_known(condition, then, None, place);
        Some(rest)
    }

    /// Takes parts from one that is held, and lets the rest stay.
    fn split_off(&mut self, whole: &Part, step: &Step<'_>, place: Span) -> s::Block {
        self.block(place, |scope| {
            let all = scope.part_access(whole, None, place);
            scope.exhale_as(Role::Code("splitFailed"), all, place);
            let mut build = scope.at(place);
            let left = build.binary(s::BinaryOperator::Subtract, whole.share.clone(), step.taken.clone());
            let stayed = step.stayed;
            let [share, term, was_split] =
                [&stayed.share, &stayed.term, &stayed.was_split].map(|name| build.variable(name));
            let yes = build.bool(true);
            scope.assign(share, left, place);
            scope.assign(term, step.rest.clone(), place);
            scope.assign(was_split, yes, place);
            let rest = scope.stayed_part(stayed, place);
            let rest = Part { object: whole.object.clone(), ..rest };
            for part in step.parts.iter().chain(std::iter::once(&rest)) {
                let given = scope.part_access(part, None, place);
                scope.inhale(given, place);
            }
        })
    }

    /// The shares that were written, where there are fractions of parts: beside one of the same term, which share it is that
    /// all is held of has to be said.
    fn shares_told_apart(&self) -> Vec<s::Expression> {
        if !self.path.has_fractions {
            return Vec::new();
        }
        let shares = self.path.shares.iter().rev().filter(|share| self.is_in_reach(share));
        shares.take(limits::SHARES_TOLD_APART).cloned().collect()
    }

    /// A step that nobody wrote: it is taken if the condition is known to hold, and either way is right.
    fn emit_where_known(
        &mut self,
        mut condition: s::Expression,
        then: s::Block,
        otherwise: Option<s::Block>,
        place: Span,
    ) {
        let mut build = self.at(place);
        condition.span = build.node(Role::Hidden);
        let otherwise = otherwise.map(s::Otherwise::Block);
        let choice = build.statement(s::StatementKind::If { condition, then, otherwise });
        let span = build.node(Role::Hidden);
        let annotation = s::Annotation { key: WHERE_KNOWN.into(), values: Vec::new(), span };
        self.emit_kind(place, s::StatementKind::Annotated(annotation, Box::new(choice)));
    }

    /// Whether this term is held with a share that is larger.
    fn some_share(
        &mut self,
        object: &s::Expression,
        term: &s::Expression,
        than: &s::Expression,
        place: Span,
    ) -> s::Expression {
        let rational = self.ty(&Type::Rational, place);
        let bound = self.member.names.fresh("share");
        let share = self.at(place).variable(&bound);
        let resource = self.state_instance(object.clone(), share.clone(), term.clone(), place);
        let mut build = self.at(place);
        let more = build.less(than.clone(), share);
        let body = build.not(more);
        let bindings = vec![build.binding(&bound, rational)];
        let none = build.expression(s::ExpressionKind::ForPerm { bindings, resource, body });
        build.not(none)
    }

    fn stayed_part(&mut self, stayed: &Stayed, place: Span) -> Part {
        let mut build = self.at(place);
        let [object, share, term] =
            [&stayed.object, &stayed.share, &stayed.term].map(|name| build.variable(name));
        Part { object, share, term }
    }

    /// Merges what comes back with what stayed when something was split.
    pub(crate) fn give_parts(&mut self, clauses: &[&'t Expression], actual: &Actual, place: Span) {
        let is_in_reach = |stayed: &Stayed| self.is_declared(&stayed.was_split);
        let all: Vec<Stayed> = self.path.stayed.iter().filter(|it| is_in_reach(it)).cloned().collect();
        if all.is_empty() {
            return;
        }
        for mut asked in self.asked_parts(clauses, actual) {
            asked.written = self.with_kept_data(asked.written, place);
            let mut build = self.at(place);
            let (boolean, no) = (build.ty(s::TypeKind::Bool), build.bool(false));
            let merged = self.local("was_merged", boolean, Some(no), place);
            for stayed in all.iter().rev().filter(|stayed| stayed.model == asked.model) {
                self.merge_with(&asked, stayed, &merged, place);
            }
        }
    }

    fn merge_with(&mut self, asked: &Asked, stayed: &Stayed, merged: &Arc<str>, place: Span) {
        let rest = self.stayed_part(stayed, place);
        let merged = self.at(place).variable(merged);
        let part = &asked.part;
        let Some(term) = self.parallel_of_values(vec![part.term.clone(), rest.term.clone()], place) else {
            return;
        };
        let (mut known, laws) = self.laws_of_merging(asked, (stayed, &rest), &term, place);
        let both = self.are_both_held(part, &rest, place);
        let then = self.block(place, |scope| {
            for law in laws {
                scope.inhale(law, place);
            }
            for part in [part, &rest] {
                let taken = scope.part_access(part, None, place);
                scope.exhale_as(Role::Code("mergeFailed"), taken, place);
            }
            let mut build = scope.at(place);
            let share = build.binary(s::BinaryOperator::Add, part.share.clone(), rest.share.clone());
            scope.assign(rest.share.clone(), share, place);
            scope.assign(rest.term.clone(), term, place);
            let given = scope.part_access(&rest, None, place);
            scope.inhale(given, place);
        });
        let otherwise = self.block(place, |scope| {
            scope.assign(rest.share.clone(), part.share.clone(), place);
            scope.assign(rest.term.clone(), part.term.clone(), place);
        });
        let inner = self.block(place, |scope| {
            scope.emit_where_known(both, then, Some(otherwise), place);
            let yes = scope.at(place).bool(true);
            scope.assign(merged.clone(), yes, place);
        });
        let mut build = self.at(place);
        let was_split = build.variable(&stayed.was_split);
        let is_same = build.equal(part.object.clone(), rest.object.clone());
        let not_yet = build.not(merged);
        let condition = build.all(vec![was_split, not_yet, is_same]);
        self.emit_where_known(condition, inner, None, place);
        known.push(asked.written.clone());
        if let Some(it) = self.path.stayed.iter_mut().find(|it| it.was_split == stayed.was_split) {
            it.terms = known;
        }
    }

    /// What it may be that comes back beside what stayed, and that it is this where what stayed is what it may be: which of
    /// the terms that is, nobody knows here.
    fn laws_of_merging(
        &mut self,
        asked: &Asked,
        (stayed, rest): (&Stayed, &Part),
        both: &s::Expression,
        place: Span,
    ) -> (Vec<WrittenTerm>, Vec<s::Expression>) {
        let beside_rest = self.path.stayed.iter().find(|it| it.was_split == stayed.was_split);
        let terms = beside_rest.map(|it| it.terms.clone()).unwrap_or_default();
        let (mut known, mut laws): (Vec<WrittenTerm>, _) = (Vec::new(), Vec::new());
        for written in terms.into_iter().take(limits::REMAINDERS) {
            let Some(joined) = self.joined(&asked.written, &written, place) else { continue };
            let values = [&asked.written, &written, &joined].map(|it| self.written_value(it, place));
            if let [Some(came), Some(left), Some(joined)] = values {
                let mut build = self.at(place);
                let is_came = build.equal(asked.part.term.clone(), came);
                let is_left = build.equal(rest.term.clone(), left);
                let says = build.equal(both.clone(), joined);
                let is_so = build.and(is_came, is_left);
                laws.push(build.implies(is_so, says));
            }
            if !known.iter().any(|it| it.is_same(&joined)) {
                known.push(joined);
            }
        }
        (known, laws)
    }

    /// Whether two parts are held that may be the same.
    fn are_both_held(&mut self, first: &Part, second: &Part, place: Span) -> s::Expression {
        let held = [first, second].map(|part| self.is_held(part, None, place));
        let two = self.at(place).int(2);
        let twice = self.is_held(first, Some(&two), place);
        let mut build = self.at(place);
        let same_share = build.equal(first.share.clone(), second.share.clone());
        let same_term = build.equal(first.term.clone(), second.term.clone());
        let same = build.and(same_share, same_term);
        let if_same = build.implies(same, twice);
        let [first, second] = held;
        build.all(vec![first, second, if_same])
    }
}

/// Whether an assertion speaks of an earlier state or of a result.
fn is_of_another_moment(assertion: &Expression) -> bool {
    let mut found = matches!(&*assertion.kind, Written::Old(..) | Written::Result);
    assertion.kind.for_each_child(&mut |child| found = found || is_of_another_moment(child));
    found
}
