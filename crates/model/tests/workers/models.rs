//! Models of the tests, with the formulas that are asked about.

use std::rc::Rc;

use model::Ltl;
use model::processes::{NumberOf, ProcessModel, Wording};
use process::{ActionId, Atom, Expression, Model, Moment, Question};
use source::{Diagnostic, SourceMap};

use crate::data::{begun, equal, int, q, size, x};
use crate::terms::{Definitions, E, T, model as model_of};

/// How many formulas each model has.
pub(crate) const FORMULAS: usize = 5;

fn asked((model, question): (Model, Question)) -> ProcessModel {
    let mut model = ProcessModel::new(model, Vec::new(), question, Box::new(Wordless), String::new());
    for number in 0..FORMULAS {
        model.add_formula(format!("formula {number}"), |atom| formula(number, atom));
    }
    model
}

/// A random model: how it is written, and itself.
pub(crate) fn random_model(seed: u64) -> (String, ProcessModel) {
    let (name, model) = crate::data::random_model(seed);
    (name, asked(model))
}

fn formula(number: usize, atom: NumberOf<'_>) -> Ltl {
    let condition = |condition: Expression| Atom::Condition(condition);
    let mut named = |it: Atom, name: &str| Ltl::Atom(atom(it, name.to_string()));
    let is = |value: i64| condition(equal(x(Moment::Now), int(value)));
    let always = |it: Ltl| Ltl::Always(Box::new(it));
    let eventually = |it: Ltl| Ltl::Eventually(Box::new(it));
    match number {
        0 => always(Ltl::Not(Box::new(named(is(2), "x == 2")))),
        1 => eventually(named(Atom::Ended, "ended")),
        2 => always(Ltl::Implies(
            Box::new(named(is(1), "x == 1")),
            Box::new(eventually(named(is(0), "x == 0"))),
        )),
        3 => {
            let full = condition(equal(size(q(Moment::Now)), int(3)));
            eventually(always(Ltl::Not(Box::new(named(full, "|q| == 3")))))
        }
        _ => {
            let did = named(Atom::Did(ActionId(1), None), "did b");
            let put = Atom::Did(ActionId(3), Some(vec![x(Moment::Now)]));
            always(Ltl::Implies(Box::new(did), Box::new(eventually(named(put, "did d(x)")))))
        }
    }
}

/// Counts for a while, and then has more and more processes side by side.
pub(crate) fn growing() -> ProcessModel {
    let call =
        |process: u32, variable: Option<u32>, value: i64| Rc::new(T::Call(process, E(variable, value)));
    let act = |action: u32| Rc::new(T::Act(action));
    // X0(n) = 0 < n ? a·X0(n-1) : X1(4), and X1(n) = 0 < n ? (d(n)·b ‖ d(n+20)·X1(n-1)) : ε
    let counts = T::Seq(act(0), call(0, Some(0), -1));
    let first = T::If(E(Some(0), 0), Rc::new(counts), call(1, None, 4));
    let one = T::Seq(Rc::new(T::Put(E(Some(0), 0))), act(1));
    let others = T::Seq(Rc::new(T::Put(E(Some(0), 20))), call(1, Some(0), -1));
    let both = T::Par(Rc::new(one), Rc::new(others));
    let second = T::If(E(Some(0), 0), Rc::new(both), Rc::new(T::Empty));
    let definitions = Definitions { bodies: vec![Rc::new(first), Rc::new(second)] };
    asked(begun(model_of(&definitions), &T::Call(0, E(None, 1_500))))
}

/// Nobody asks for other formulas.
struct Wordless;

impl Wording for Wordless {
    fn read_formula(&self, _: &str, _: &mut SourceMap, _: NumberOf<'_>) -> Result<Ltl, Vec<Diagnostic>> {
        Err(Vec::new())
    }

    fn read_atom(&self, _: &str) -> Option<(Atom, String)> {
        None
    }
}
