//! A failure in terms of PVL, as data: what it is called, where it is, what is missing there, and for which values.

use silver::port::render::{Remedy, remedy};
use silver::port::{Callee, Context, callee};
use source::Span;
use verdict::failure::{
    BranchTaken, Detail, ErrorKind, Failure, Measure as SilverMeasure, Origin, ReasonKind, Shown, Value,
};

use super::Translated;
use super::place;
use super::term::{HeldPart, Spelled, Term, held_part, is_part_of_model, location, value, written};
use super::trust::is_inside;
use super::values::Values;
use crate::lower::{Code, Role};

pub(super) struct Problem<'p> {
    pub(super) code: Code,
    pub(super) span: Span,
    /// What is to blame, if it is written in the program.
    pub(super) part: Option<Span>,
    /// Whether what is to blame was generated, so that messages do not mention it.
    pub(super) is_part_hidden: bool,
    pub(super) kind: ErrorKind,
    pub(super) reason: ReasonKind,
    /// Whether what has to hold is declared outside of the construct.
    pub(super) is_part_elsewhere: bool,
    pub(super) detail: &'p Detail,
    /// The location that there is too little permission to.
    pub(super) location: Option<Spelled>,
    /// Conditions on the way that somebody wrote.
    pub(super) branches: Vec<BranchTaken>,
    pub(super) values: Values,
    pub(super) measures: Vec<Measure>,
    /// What is called and may not end, and its name in the program.
    pub(super) callee: Option<(Callee<'p>, String)>,
    pub(super) remedy: Option<Remedy>,
    /// Whether that is a part of a model.
    pub(super) wants_part: bool,
    /// Parts of models that were held.
    pub(super) held: Vec<HeldPart>,
}

/// What has to hold so that something ends.
pub(super) enum Measure {
    Decreasing { smaller: Term, larger: Term },
    Bounded,
}

impl Problem<'_> {
    fn is(&self, base: &'static str) -> bool {
        self.code == Code::plain(base)
    }
}

const UNSATISFIABLE: &str = "unsatisfiable";
const UNREACHABLE: &str = "unreachable";

impl Translated {
    /// Puts the failures of a member into terms of the program, and leaves out those that only follow from others.
    pub(super) fn problems<'p>(&self, context: Context<'p>, failures: &'p [Failure]) -> Vec<Problem<'p>> {
        let mut problems: Vec<Problem<'p>> =
            failures.iter().map(|failure| self.problem(context, failure)).collect();
        // A member whose precondition is never true has no place that is reached; that follows from the precondition.
        let is_empty = problems.iter().any(|problem| problem.is(UNSATISFIABLE));
        // A precondition that has no meaning is wrong for that reason.
        let is_other = |problem: &&Problem<'_>| !problem.is(UNSATISFIABLE) && !problem.is(UNREACHABLE);
        let places: Vec<Span> = problems.iter().filter(is_other).map(|problem| problem.span).collect();
        problems.retain(|problem| {
            !problem.is(UNSATISFIABLE) || !places.iter().any(|place| is_inside(*place, problem.span))
        });
        let is_nothing = |problem: &Problem<'_>| {
            problem.is(UNREACHABLE) && (is_empty || !self.is_reachable_place(problem.span))
        };
        problems.retain(|problem| !self.smoke || !is_nothing(problem));
        for problem in problems.iter_mut().filter(|problem| problem.is(UNREACHABLE)) {
            problem.span = place::end(&self.tree, problem.span);
        }
        problems
    }

    /// Whether a place can be asked whether it is reached: a statement, the end of a block or of a member.
    fn is_reachable_place(&self, span: Span) -> bool {
        place::is_plain_step(&self.tree, span) || self.members.iter().any(|member| member.span == span)
    }

    fn problem<'p>(&self, context: Context<'p>, failure: &'p Failure) -> Problem<'p> {
        // A jump has no part that could be to blame.
        let part = Some(failure.part).filter(|_| !matches!(failure.detail, Detail::Jump(_)));
        let explained = self.origins.explain(failure.kind, failure.reason, failure.construct, part);
        let callee = callee(context.program, failure).map(|callee| {
            let written = self.member(callee.name).map(|member| member.name.clone());
            (callee, written.unwrap_or_else(|| callee.name.to_string()))
        });
        let mut problem = Problem {
            code: explained.code,
            span: explained.span,
            part: explained.part,
            is_part_hidden: self.is_hidden(failure.part),
            kind: failure.kind,
            reason: failure.reason,
            is_part_elsewhere: failure.is_part_elsewhere(),
            detail: &failure.detail,
            location: failure.location().map(|shown| location(&self.spelling, shown)),
            wants_part: failure.location().is_some_and(is_part_of_model),
            branches: self.branches(&failure.branches),
            values: Values::default(),
            measures: failure.measures.iter().filter_map(|measure| self.measure(measure)).collect(),
            callee,
            remedy: remedy(failure),
            held: failure.held.iter().filter_map(|shown| held_part(&self.spelling, shown)).collect(),
        };
        let has_result = matches!(problem.code.base, "postFailed" | "contextPostFailed")
            || place::mentions_result(&self.tree, problem.span);
        problem.values = self.values(&failure.values, has_result);
        problem
    }

    fn is_hidden(&self, node: Span) -> bool {
        self.origins.get(node).is_some_and(|origin| origin.role == Role::Hidden)
    }

    fn branches(&self, branches: &[BranchTaken]) -> Vec<BranchTaken> {
        let shown = branches.iter().filter(|branch| !self.is_hidden(branch.condition));
        let placed = shown.map(|branch| {
            let condition = self.origins.place(branch.condition);
            BranchTaken { condition, ..*branch }
        });
        placed.collect()
    }

    fn measure(&self, measure: &SilverMeasure) -> Option<Measure> {
        let term = |shown: &Shown| written(&self.spelling, shown);
        Some(match measure {
            SilverMeasure::Decreasing { smaller, larger } => {
                Measure::Decreasing { smaller: term(smaller)?, larger: term(larger)? }
            }
            SilverMeasure::Bounded(measure) => term(measure).map(|_| Measure::Bounded)?,
        })
    }

    /// Values of what the program speaks about; of two variables with one name the later one counts, but variables of
    /// quantifiers hide others.
    fn values(&self, found: &[Value], has_result: bool) -> Values {
        let aliases = self.aliases(found);
        let result = Term::name("\\result");
        let mut pairs: Vec<(Term, Term)> = Vec::new();
        let mut bound = 0;
        for entry in found {
            let term = written(&self.spelling, &entry.term)
                .or_else(|| written(&self.spelling, &with_aliases(&entry.term, &aliases)));
            let Some(term) = term else { continue };
            if !has_result && term.mentions(&|part| *part == result) {
                continue;
            }
            let is_bound = entry.origin == Origin::Bound;
            if !is_bound && pairs.iter().take(bound).any(|(other, _)| *other == term) {
                continue;
            }
            let Some(value) = value(&self.spelling, &entry.value) else { continue };
            pairs.retain(|(other, _)| *other != term);
            pairs.push((term, value));
            if is_bound {
                bound = pairs.len();
            }
        }
        // What has not changed is not worth a line.
        let now = pairs.clone();
        pairs.retain(|(term, value)| match term {
            Term::Old(old) => !now.iter().any(|(term, known)| *term == **old && known == value),
            _ => true,
        });
        Values { pairs }
    }

    /// Variables that nobody wrote, with those that name the same object.
    fn aliases<'v>(&self, found: &'v [Value]) -> Vec<(&'v Shown, &'v Shown)> {
        let objects = || {
            found.iter().filter(|entry| {
                matches!(entry.term, Shown::Variable(_) | Shown::Result)
                    && matches!(&entry.value, Shown::Element { sort, .. } if sort == "Ref")
            })
        };
        let is_written = |entry: &&Value| written(&self.spelling, &entry.term).is_some();
        let alias = |hidden: &'v Value| {
            let shown = objects().filter(is_written).find(|shown| shown.value == hidden.value)?;
            Some((&hidden.term, &shown.term))
        };
        objects().filter(|entry| !is_written(entry)).filter_map(alias).collect()
    }
}

/// A term with other variables in front of fields.
fn with_aliases(shown: &Shown, aliases: &[(&Shown, &Shown)]) -> Shown {
    let inner = |part: &Shown| Box::new(with_aliases(part, aliases));
    match shown {
        Shown::Field(of, name) => {
            let alias = aliases.iter().find(|(hidden, _)| **hidden == **of);
            let of = alias.map_or_else(|| inner(of), |(_, shown)| Box::new((*shown).clone()));
            Shown::Field(of, name.clone())
        }
        Shown::Selection(of, name) => Shown::Selection(inner(of), name.clone()),
        Shown::Apply(name, arguments) => {
            let arguments = arguments.iter().map(|it| with_aliases(it, aliases)).collect();
            Shown::Apply(name.clone(), arguments)
        }
        Shown::Old(of) => Shown::Old(inner(of)),
        Shown::Permission(of) => Shown::Permission(inner(of)),
        Shown::Size(of) => Shown::Size(inner(of)),
        Shown::Index(of, at) => Shown::Index(inner(of), inner(at)),
        Shown::In(element, of) => Shown::In(inner(element), inner(of)),
        Shown::Operation(operator, left, right) => Shown::Operation(*operator, inner(left), inner(right)),
        Shown::Variable(_)
        | Shown::Result
        | Shown::Null
        | Shown::Bool(_)
        | Shown::Int(_)
        | Shown::Amount(_)
        | Shown::Element { .. } => shown.clone(),
    }
}
