//! Terms rewritten by laws that hold for all processes, at a random place.

use std::rc::Rc;

use crate::random::Random;
use crate::shape::Shape;
use crate::steps::ends;
use crate::terms::{Definitions, E, R, T};

/// One law applied somewhere.
pub(crate) fn rewritten(random: &mut Random, term: &T, shape: &Shape, definitions: &Definitions) -> T {
    let go_down = random.below(3) > 0;
    let down = |random: &mut Random, part: &R| Rc::new(rewritten(random, part, shape, definitions));
    if go_down {
        let left = random.below(2) == 0;
        match term {
            T::Seq(one, other) if left => return T::Seq(down(random, one), other.clone()),
            T::Seq(one, other) => return T::Seq(one.clone(), down(random, other)),
            T::Alt(one, other) if left => return T::Alt(down(random, one), other.clone()),
            T::Alt(one, other) => return T::Alt(one.clone(), down(random, other)),
            T::Par(one, other) if left => return T::Par(down(random, one), other.clone()),
            T::Par(one, other) => return T::Par(one.clone(), down(random, other)),
            T::Star(body) => return T::Star(down(random, body)),
            T::If(value, yes, no) if left => return T::If(*value, down(random, yes), no.clone()),
            T::If(value, yes, no) => return T::If(*value, yes.clone(), down(random, no)),
            T::Sum(variable, from, to, body) => {
                return T::Sum(*variable, *from, *to, down(random, body));
            }
            T::All(variable, from, to, body) => {
                return T::All(*variable, *from, *to, down(random, body));
            }
            _ => {}
        }
    }
    at_the_top(random, term, definitions).unwrap_or_else(|| anywhere(random, term, shape))
}

fn rc(term: T) -> R {
    Rc::new(term)
}

fn is_closed(term: &T) -> bool {
    // Substituting a variable that occurs changes the term.
    (0..40).all(|variable| term.with(variable, 77) == *term)
}

/// Laws about what the term is.
fn at_the_top(random: &mut Random, term: &T, definitions: &Definitions) -> Option<T> {
    Some(match term {
        T::Seq(one, other) => match (&**one, random.below(2)) {
            (T::Seq(first, second), _) => T::Seq(first.clone(), rc(T::Seq(second.clone(), other.clone()))),
            (T::Alt(first, second), _) => {
                T::Alt(rc(T::Seq(first.clone(), other.clone())), rc(T::Seq(second.clone(), other.clone())))
            }
            (T::Sum(variable, from, to, body), _) if is_closed(other) => {
                T::Sum(*variable, *from, *to, rc(T::Seq(body.clone(), other.clone())))
            }
            (T::Deadlock, _) => T::Deadlock,
            (T::Empty, _) => (**other).clone(),
            _ => return None,
        },
        T::Alt(one, other) => match (&**one, &**other) {
            (T::Alt(first, second), _) if random.below(2) == 0 => {
                T::Alt(first.clone(), rc(T::Alt(second.clone(), other.clone())))
            }
            (T::Seq(first, then), T::Seq(second, also)) if then == also => {
                T::Seq(rc(T::Alt(first.clone(), second.clone())), then.clone())
            }
            _ => T::Alt(other.clone(), one.clone()),
        },
        T::Par(one, other) => match (&**one, &**other) {
            (T::Par(first, second), _) if random.below(2) == 0 => {
                T::Par(first.clone(), rc(T::Par(second.clone(), other.clone())))
            }
            (T::Deadlock, _) => T::Seq(other.clone(), one.clone()),
            (T::Seq(a, p), T::Seq(b, q)) if is_action(a) && is_action(b) => T::Alt(
                rc(T::Seq(a.clone(), rc(T::Par(p.clone(), other.clone())))),
                rc(T::Seq(b.clone(), rc(T::Par(one.clone(), q.clone())))),
            ),
            _ => T::Par(other.clone(), one.clone()),
        },
        T::Star(body) => {
            let again = rc(term.clone());
            match random.below(3) {
                0 => T::Alt(rc(T::Seq(body.clone(), again)), rc(T::Empty)),
                1 => T::Star(rc(T::Alt(body.clone(), rc(T::Empty)))),
                _ => T::Star(again),
            }
        }
        T::Sum(variable, E(None, from), E(None, to), body) if from < to => {
            let first = body.with(*variable, *from);
            T::Alt(rc(first), rc(T::Sum(*variable, E(None, from + 1), E(None, *to), body.clone())))
        }
        T::All(variable, E(None, from), E(None, to), body) if from < to => {
            let last = body.with(*variable, to - 1);
            T::Par(rc(T::All(*variable, E(None, *from), E(None, to - 1), body.clone())), rc(last))
        }
        T::Call(process, E(None, value)) => definitions.bodies[*process as usize].with(0, *value),
        T::Empty => T::Star(rc(if random.below(2) == 0 { T::Deadlock } else { T::Empty })),
        _ => return None,
    })
    .filter(|_| random.below(8) > 0)
    .or_else(|| (is_closed(term) && ends(term, definitions)).then(|| T::Alt(rc(term.clone()), rc(T::Empty))))
}

fn is_action(term: &T) -> bool {
    matches!(term, T::Act(_) | T::Put(_))
}

/// Laws that hold whatever the term is.
fn anywhere(random: &mut Random, term: &T, shape: &Shape) -> T {
    let same = rc(term.clone());
    match random.below(8) {
        0 => T::Seq(rc(T::Empty), same),
        1 => T::Seq(same, rc(T::Empty)),
        2 => T::Alt(same.clone(), same),
        3 => T::Alt(same, rc(T::Deadlock)),
        4 => T::Par(same, rc(T::Empty)),
        5 => T::Alt(same, rc(T::Seq(rc(T::Deadlock), rc(shape.term(random, 1))))),
        6 => T::If(E(None, 1), same, rc(shape.term(random, 1))),
        _ => T::Sum(39, E(None, 0), E(None, 1), same),
    }
}
