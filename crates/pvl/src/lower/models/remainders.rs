//! What may stay of a term when others are taken from it: T is taken from U where U is T beside R.
//!
//! Here only the shapes decide, and data that are written down, since nobody knows yet what the others are. That the data fit, and that what is held is this
//! term at all, is for the proof to find out, so that what is said here may be wrong and may be left out.

use process::{Algebra, Binary, Expression, ExpressionKind, Limit, Normal, NormalKind, Term, TermKind};
use source::Span;

use super::laws::{VALUE, canonical, family_between, key, member_at, moved_by_one};
use crate::limits;

/// A way to take parts from a term.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Remainder {
    /// What is taken, part by part, as it stands in the term.
    pub(super) taken: Vec<Term>,
    pub(super) rest: Term,
}

/// What a component is, whatever its data are but for those that are written down.
pub(super) struct Shape {
    key: String,
    numbers: Vec<Option<Expression>>,
}

impl Shape {
    fn new(algebra: &Algebra<'_>, normal: Normal) -> Shape {
        Shape { key: key(algebra, normal), numbers: numbers(algebra, normal) }
    }

    /// Whether a component can be this.
    fn can_be(&self, algebra: &Algebra<'_>, normal: Normal) -> bool {
        let own = self.numbers.iter().zip(numbers(algebra, normal));
        let mut pairs = own.filter_map(|(wanted, known)| Some((wanted.as_ref()?, known?)));
        self.is_value() || key(algebra, normal) == self.key && pairs.all(|(wanted, known)| *wanted == known)
    }

    /// A process that is passed as a value can be anything.
    fn is_value(&self) -> bool {
        self.key == VALUE
    }
}

/// The arguments of an action or a process, where they are written down.
fn numbers(algebra: &Algebra<'_>, normal: Normal) -> Vec<Option<Expression>> {
    let is_known = |argument: &Expression| matches!(argument.kind(), ExpressionKind::Literal(_));
    match algebra.kind(normal) {
        NormalKind::Action(_, arguments) | NormalKind::Call(_, arguments) => {
            arguments.iter().map(|argument| is_known(argument).then(|| argument.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// The components of a term by what they are.
pub(super) fn shape(model: &process::Model, term: &Term) -> Option<Vec<Shape>> {
    let mut algebra = Algebra::new(model);
    let normal = algebra.normalise(term).ok()?;
    let components = components(&algebra, normal)?;
    Some(components.iter().map(|component| Shape::new(&algebra, *component)).collect())
}

/// The ways to take parts of these shapes from a term, and from what the process is defined to be that the term names.
pub(super) fn remainders(model: &process::Model, whole: &Term, parts: &[Vec<Shape>]) -> Vec<Remainder> {
    let span = whole.span();
    let mut search = Search { algebra: Algebra::new(model), parts, found: Vec::new(), span };
    // Where the algebra gives up there is nothing to propose.
    let _ = search.all(whole);
    search.found
}

/// The components of a normal form, each as often as it is there; nothing if there are many.
fn components(algebra: &Algebra<'_>, normal: Normal) -> Option<Vec<Normal>> {
    match algebra.kind(normal) {
        NormalKind::Empty => Some(Vec::new()),
        NormalKind::Parallel(parts) => {
            let mut all = Vec::new();
            for (part, count) in parts.iter() {
                if all.len() + *count as usize > limits::COMPONENTS {
                    return None;
                }
                all.extend((0..*count).map(|_| *part));
            }
            Some(all)
        }
        _ => Some(vec![normal]),
    }
}

struct Search<'m, 'p> {
    algebra: Algebra<'m>,
    /// The shapes of what is to be taken.
    parts: &'p [Vec<Shape>],
    found: Vec<Remainder>,
    span: Span,
}

impl Search<'_, '_> {
    fn all(&mut self, whole: &Term) -> Result<(), Limit> {
        let normal = self.algebra.normalise(whole)?;
        self.within(normal)?;
        let unfolded = match self.algebra.kind(normal).clone() {
            NormalKind::Call(process, arguments) => self.algebra.unfold(process, &arguments)?,
            _ => normal,
        };
        let mut waiting = vec![unfolded];
        while let Some(next) = waiting.pop() {
            match self.algebra.kind(next) {
                NormalKind::Conditional(_, yes, no) => waiting.extend([*no, *yes]),
                _ if next != normal => self.within(next)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// All ways to take the parts from the components of one normal form.
    fn within(&mut self, normal: Normal) -> Result<(), Limit> {
        let Some(components) = components(&self.algebra, normal) else { return Ok(()) };
        let mut left = Vec::new();
        for component in components {
            left.push(canonical(&mut self.algebra, component, self.span)?);
        }
        let parts: Vec<&Shape> = self.parts.iter().flatten().collect();
        self.take(&parts, left, &mut Vec::new())
    }

    /// Takes one component after the other.
    fn take(&mut self, parts: &[&Shape], left: Vec<Term>, taken: &mut Vec<Term>) -> Result<(), Limit> {
        if self.found.len() >= limits::REMAINDERS {
            return Ok(());
        }
        let Some((part, others)) = parts.split_first() else {
            self.add(left, taken);
            return Ok(());
        };
        for at in 0..left.len() {
            let is_seen = left[..at].contains(&left[at]);
            for (one, rest) in if is_seen { Vec::new() } else { self.ways(part, &left[at])? } {
                let mut fewer = left.clone();
                match rest {
                    Some(rest) => fewer[at] = rest,
                    None => drop(fewer.remove(at)),
                }
                taken.push(one);
                self.take(others, fewer, taken)?;
                taken.pop();
            }
        }
        // A value may be several components: two of them.
        for second in (0..left.len()).filter(|_| part.is_value()) {
            for first in 0..second {
                let mut fewer = left.clone();
                let both = [fewer.remove(second), fewer.remove(first)];
                taken.push(beside(both.into_iter().rev(), self.span));
                self.take(others, fewer, taken)?;
                taken.pop();
            }
        }
        Ok(())
    }

    /// The ways to take a part of this shape from one component: the component, or the first or last of a family.
    fn ways(&mut self, part: &Shape, component: &Term) -> Result<Vec<(Term, Option<Term>)>, Limit> {
        let normal = self.algebra.normalise(component)?;
        if part.can_be(&self.algebra, normal) {
            return Ok(vec![(component.clone(), None)]);
        }
        let NormalKind::Family(bound, from, to, body) = self.algebra.kind(normal).clone() else {
            return Ok(Vec::new());
        };
        if key(&self.algebra, body) != part.key {
            return Ok(Vec::new());
        }
        let (family, span) = ((&bound, body), self.span);
        let (second, last) =
            (moved_by_one(Binary::Add, &from, span), moved_by_one(Binary::Subtract, &to, span));
        let mut ways = Vec::new();
        for (at, bounds) in [(&from, (&second, &to)), (&last, (&from, &last))] {
            let one = member_at(&mut self.algebra, family, at, span)?;
            ways.push((one, Some(family_between(&mut self.algebra, family, bounds, span)?)));
        }
        Ok(ways)
    }

    fn add(&mut self, left: Vec<Term>, taken: &[Term]) {
        let mut each = taken.iter().cloned();
        let parts = self.parts.iter().map(|part| beside(each.by_ref().take(part.len()), self.span));
        let remainder = Remainder { taken: parts.collect(), rest: beside(left.into_iter(), self.span) };
        if !self.found.contains(&remainder) {
            self.found.push(remainder);
        }
    }
}

/// Terms side by side.
pub(super) fn beside(terms: impl Iterator<Item = Term>, span: Span) -> Term {
    let mut terms: Vec<Term> = terms.filter(|term| *term.kind() != TermKind::Empty).collect();
    let Some(last) = terms.pop() else { return Term::new(TermKind::Empty, span) };
    terms.into_iter().rev().fold(last, |rest, term| Term::new(TermKind::Parallel(term, rest), span))
}
