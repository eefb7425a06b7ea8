//! What terms do, rule by rule as in figure 2 of VMCAI 2020. Nothing of the crate is used here.

use std::rc::Rc;

use crate::terms::{Definitions, E, R, T};

/// Action and argument.
pub(crate) type Label = (u32, i64);

fn value(expression: &E) -> i64 {
    assert!(expression.0.is_none(), "the term is closed");
    expression.1
}

pub(crate) fn ends(term: &T, definitions: &Definitions) -> bool {
    match term {
        T::Empty | T::Star(_) => true,
        T::Deadlock | T::Act(_) | T::Put(_) => false,
        T::Seq(one, other) | T::Par(one, other) => ends(one, definitions) && ends(other, definitions),
        T::Alt(one, other) => ends(one, definitions) || ends(other, definitions),
        T::If(condition, yes, no) => ends(if value(condition) > 0 { yes } else { no }, definitions),
        T::Sum(variable, from, to, body) => {
            (value(from)..value(to)).any(|value| ends(&body.with(*variable, value), definitions))
        }
        T::All(variable, from, to, body) => {
            (value(from)..value(to)).all(|value| ends(&body.with(*variable, value), definitions))
        }
        T::Call(process, argument) => {
            ends(&definitions.bodies[*process as usize].with(0, value(argument)), definitions)
        }
    }
}

pub(crate) fn steps(term: &T, definitions: &Definitions) -> Vec<(Label, T)> {
    match term {
        T::Empty | T::Deadlock => vec![],
        T::Act(action) => vec![((*action, 0), T::Empty)],
        T::Put(argument) => vec![((3, value(argument)), T::Empty)],
        T::Seq(one, other) => {
            let mut all: Vec<(Label, T)> = steps(one, definitions)
                .into_iter()
                .map(|(label, next)| (label, after(next, other)))
                .collect();
            if ends(one, definitions) {
                all.extend(steps(other, definitions));
            }
            all
        }
        T::Alt(one, other) => {
            let mut all = steps(one, definitions);
            all.extend(steps(other, definitions));
            all
        }
        T::Par(one, other) => {
            let first = steps(one, definitions).into_iter();
            let second = steps(other, definitions).into_iter();
            let first = first.map(|(label, next)| (label, T::Par(Rc::new(next), other.clone())));
            let second = second.map(|(label, next)| (label, T::Par(one.clone(), Rc::new(next))));
            first.chain(second).collect()
        }
        T::Star(body) => {
            let again = Rc::new(term.clone());
            steps(body, definitions).into_iter().map(|(label, next)| (label, after(next, &again))).collect()
        }
        T::If(condition, yes, no) => steps(if value(condition) > 0 { yes } else { no }, definitions),
        T::Sum(variable, from, to, body) => (value(from)..value(to))
            .flat_map(|value| steps(&body.with(*variable, value), definitions))
            .collect(),
        T::All(variable, from, to, body) => {
            let members = (value(from)..value(to)).map(|value| body.with(*variable, value));
            match members.reduce(|one, other| T::Par(Rc::new(one), Rc::new(other))) {
                Some(all) => steps(&all, definitions),
                None => vec![],
            }
        }
        T::Call(process, argument) => {
            steps(&definitions.bodies[*process as usize].with(0, value(argument)), definitions)
        }
    }
}

fn after(next: T, then: &R) -> T {
    T::Seq(Rc::new(next), then.clone())
}
