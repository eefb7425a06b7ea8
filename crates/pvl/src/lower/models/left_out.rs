//! `split` and `merge` that are left out where parts of models are given away and come back: at calls, threads and locks.
//!
//! Who takes `m.state(q, T)` takes it as it is held, or from a larger part of T beside R (VMCAI 2020, figure 4,
//! PROC-SPLITMERGE): that is split, and R stays. Which R that can be is read off the terms that were written in the member
//! before; whether one of them is held is asked in the proof. What comes back is merged with what stayed.

use std::rc::Rc;
use std::sync::Arc;

use process::{ExpressionKind, Substitution, Term};
use silver::syntax::tree as s;
use source::Span;

use super::algebra::known_type;
use super::found::{Found, Inside};
use super::remainders::{Remainder, beside, remainders, shape};
use super::threads::Part;
use crate::limits;
use crate::lower::concurrency::par::split;
use crate::lower::origin::Role;
use crate::lower::scope::{Bindings, Scope, Variable};
use crate::lower::values::types;
use crate::models::read_term;
use crate::resolve::Type;
use crate::syntax::tree::{Contract, Expression, ExpressionKind as Written, NodeId, Parameter};

/// The annotation of an `if` whose way the proof chooses.
const WHERE_KNOWN: &str = "where_known";

/// A term that was written in a member, with what is in it.
#[derive(Clone)]
pub(crate) struct WrittenTerm {
    model: NodeId,
    term: Term,
    inside: Inside,
}

impl WrittenTerm {
    fn is_same(&self, other: &WrittenTerm) -> bool {
        self.term == other.term && self.has_same_data(other)
    }

    fn has_same_data(&self, other: &WrittenTerm) -> bool {
        let data = |it: &WrittenTerm| it.inside.0.iter().map(|known| known.0.clone()).collect::<Vec<_>>();
        let terms = |it: &WrittenTerm| it.inside.1.iter().map(|known| known.0.clone()).collect::<Vec<_>>();
        self.model == other.model && data(self) == data(other) && terms(self) == terms(other)
    }
}

/// Variables for what stayed when something was split: whether that happened, and the part.
#[derive(Clone)]
pub(crate) struct Stayed {
    model: NodeId,
    was_split: Arc<str>,
    object: Arc<str>,
    share: Arc<str>,
    term: Arc<str>,
    /// The share of what was split.
    whole: Arc<str>,
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

/// Which terms can be split so that a group of parts can be taken, most likely first.
struct Candidate {
    written: WrittenTerm,
    remainder: Remainder,
}

impl<'t> Scope<'_, 't> {
    /// Remembers a term that is written in this member.
    pub(super) fn note_term(&mut self, model: NodeId, term: &Term, inside: &Inside) {
        if self.member.is_definition {
            return;
        }
        let written = WrittenTerm { model, term: term.clone(), inside: inside.clone() };
        self.path.written.retain(|known| !known.is_same(&written));
        self.path.written.push(written);
    }

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

    /// A term as it is written, for the algebra.
    fn read_written(&mut self, model: NodeId, term: &'t Expression) -> Option<WrittenTerm> {
        let known = self.lowering.algebraic_model(model)?;
        let resolution = self.resolution;
        let mut found = Found::new(self, &known);
        let term = read_term(resolution, &known.members, term, &mut found).ok()?;
        let Found { data, terms, .. } = found;
        Some(WrittenTerm { model, term, inside: (data, terms) })
    }

    /// Whether a value can be written again here: it is made of numbers and variables that are in reach, and of operations
    /// that always have a value.
    fn is_in_reach(&self, value: &s::Expression) -> bool {
        use s::BinaryOperator::{Add, Multiply, Subtract};
        use s::ExpressionKind::{Binary, Bool, Int, Name, Null, Size, Unary};
        match &*value.kind {
            Int(_) | Bool(_) | Null => true,
            Name(name) => self.member.formals.contains(&name.text) || self.is_declared(&name.text),
            Unary(_, operand) | Size(operand) => self.is_in_reach(operand),
            Binary(Add | Subtract | Multiply, left, right) => {
                self.is_in_reach(left) && self.is_in_reach(right)
            }
            s::ExpressionKind::Call(name, arguments, _) if arguments.is_empty() => {
                &*name.text == "process_empty"
            }
            _ => false,
        }
    }

    /// Whether a variable is declared in one of the blocks around.
    fn is_declared(&self, name: &str) -> bool {
        self.path.blocks.iter().flatten().any(|statement| match &statement.kind {
            s::StatementKind::Variables { bindings, .. } => {
                bindings.iter().any(|binding| &*binding.name.text == name)
            }
            _ => false,
        })
    }

    fn is_term_in_reach(&self, written: &WrittenTerm) -> bool {
        let (data, terms) = &written.inside;
        data.iter().all(|known| self.is_in_reach(&known.1))
            && terms.iter().all(|known| self.is_in_reach(&known.1))
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
        let whole = self.local("share_held", rational.clone(), None, place);
        let none = self.at(place).no_permission();
        let share = self.local("share_of_rest", rational, Some(none), place);
        let process = self.ty(&Type::Process, place);
        let empty = self.at(place).call("process_empty", Vec::new());
        let term = self.local("rest", process, Some(empty), place);
        Stayed { model, was_split, object, share, term, whole, terms: Vec::new() }
    }

    /// What may be held that can be split: first what stayed before, then what was written last.
    fn candidates(&mut self, model: NodeId, group: &[Asked]) -> Vec<Candidate> {
        let Some(known) = self.lowering.algebraic_model(model) else { return Vec::new() };
        let shapes: Option<Vec<Vec<String>>> =
            group.iter().map(|asked| shape(&known.model, &asked.written.term)).collect();
        let Some(shapes) = shapes.filter(|shapes| shapes.iter().all(|shape| !shape.is_empty())) else {
            return Vec::new();
        };
        let stayed = self.path.stayed.iter().rev().flat_map(|stayed| stayed.terms.iter().rev());
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
        let rest = WrittenTerm { term: remainder.rest.clone(), ..written.clone() };
        let all = remainder.taken.iter().chain(std::iter::once(&remainder.rest)).cloned();
        let whole = WrittenTerm { term: beside(all, place), ..written.clone() };
        let mut conditions = Vec::new();
        for (part, taken) in parts.iter().zip(&remainder.taken) {
            let taken = WrittenTerm { term: taken.clone(), ..written.clone() };
            let taken = self.written_value(&taken, place)?;
            conditions.push(self.at(place).equal(part.term.clone(), taken));
        }
        let (whole, rest_value) = (self.written_value(&whole, place)?, self.written_value(&rest, place)?);
        let object = parts.first()?.object.clone();
        let mut build = self.at(place);
        let shares = parts.iter().map(|part| part.share.clone());
        let taken = shares.reduce(|sum, share| build.binary(s::BinaryOperator::Add, sum, share))?;
        let was_split = self.at(place).variable(&stayed.was_split);
        conditions.insert(0, self.at(place).not(was_split.clone()));
        for part in parts {
            // A part without a share is none.
            let mut build = self.at(place);
            let none = build.no_permission();
            conditions.push(build.less(none, part.share.clone()));
        }
        conditions.push(self.some_share(&object, &whole, &taken, place));
        let share = self.at(place).variable(&stayed.whole);
        let part = Part { object: object.clone(), share: share.clone(), term: whole };
        let step = self.block(place, |scope| {
            let all = scope.part_access(&part, None, place);
            scope.exhale_as(Role::Code("splitFailed"), all, place);
            let mut build = scope.at(place);
            let left = build.binary(s::BinaryOperator::Subtract, share.clone(), taken.clone());
            let targets = [&stayed.share, &stayed.term].map(|name| build.variable(name));
            let yes = build.bool(true);
            for (target, value) in targets.into_iter().zip([left, rest_value]) {
                scope.assign(target, value, place);
            }
            scope.assign(was_split, yes, place);
            let rest = scope.stayed_part(stayed, place);
            for part in parts.iter().chain(std::iter::once(&Part { object, ..rest })) {
                let given = scope.part_access(part, None, place);
                scope.inhale(given, place);
            }
        });
        // That there is such a share is known by the condition, and nothing else: whether all of that part is held is asked.
        let then = self.block(place, |scope| {
            let Part { object, share, term } = part.clone();
            let instance = scope.state_instance(object, share.clone(), term, place);
            let mut build = scope.at(place);
            let amount = build.expression(s::ExpressionKind::CurrentPermission(instance));
            let none = build.no_permission();
            let is_some = build.less(none, amount);
            let more = build.less(taken, share);
            let known = build.and(is_some, more);
            scope.inhale(known, place);
            let is_held = scope.is_held(&part, None, place);
            scope.emit_where_known(is_held, step, None, place);
        });
        let condition = self.at(place).all(conditions);
        self.emit_where_known(condition, then, None, place);
        Some(rest)
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

    fn written_value(&mut self, written: &WrittenTerm, place: Span) -> Option<s::Expression> {
        let known = self.lowering.algebraic_model(written.model)?;
        Some(self.term_call(written.model, &known, &written.term, written.inside.clone(), place))
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
        for asked in self.asked_parts(clauses, actual) {
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
        let (part, mut known) = (&asked.part, Vec::new());
        let beside_rest = self.path.stayed.iter().find(|it| it.was_split == stayed.was_split);
        for written in beside_rest.map(|it| it.terms.clone()).unwrap_or_default() {
            known.extend(self.joined(&asked.written, &written, place));
        }
        known.truncate(limits::REMAINDERS);
        let Some(term) = self.parallel_of_values(vec![part.term.clone(), rest.term.clone()], place) else {
            return;
        };
        let both = self.are_both_held(part, &rest, place);
        let then = self.block(place, |scope| {
            // The equations of what both may be are known where it is written.
            for written in &known {
                let ty = scope.ty(&Type::Process, place);
                if let Some(value) = scope.written_value(written, place) {
                    scope.local("merged_term", ty, Some(value), place);
                }
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

    /// Two terms side by side, with what is in both.
    fn joined(&mut self, first: &WrittenTerm, second: &WrittenTerm, place: Span) -> Option<WrittenTerm> {
        let (data, terms) = &second.inside;
        let (mut data, mut terms) = (data.clone(), terms.clone());
        let (mut leaves, mut numbers) = (Substitution::new(), Vec::new());
        for (number, known) in first.inside.0.iter().enumerate() {
            let at = data.iter().position(|it| it.0 == known.0 && it.2 == known.2);
            let leaf = ExpressionKind::Foreign(at.unwrap_or(data.len()) as u32);
            let ty = known_type(&mut self.lowering.terms.types, &known.2);
            leaves.set_foreign(number as u32, process::Expression::new(leaf, ty, place));
            data.extend(at.is_none().then(|| known.clone()));
        }
        for known in &first.inside.1 {
            let at = terms.iter().position(|it| it.0 == known.0);
            numbers.push(at.unwrap_or(terms.len()) as u32);
            terms.extend(at.is_none().then(|| known.clone()));
        }
        let first = first.term.with_other_leaves(&leaves, &numbers)?;
        let term = beside([first, second.term.clone()].into_iter(), place);
        Some(WrittenTerm { model: second.model, term, inside: (data, terms) })
    }
}

/// Whether an assertion speaks of an earlier state or of a result.
fn is_of_another_moment(assertion: &Expression) -> bool {
    let mut found = matches!(&*assertion.kind, Written::Old(..) | Written::Result);
    assertion.kind.for_each_child(&mut |child| found = found || is_of_another_moment(child));
    found
}
