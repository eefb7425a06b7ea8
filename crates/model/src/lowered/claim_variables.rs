//! The variables of a never claim: their values are part of the automaton's states.
//!
//! Within an expression of the claim they are constants, so what is left of it looks at the system alone.

use transition::model::{Binary, Expr, Index, Pattern, Place, Scope, Unary};

/// The expression with the claim's variables replaced by their values, and what can be computed, computed.
pub(crate) fn substitute(expr: &Expr, values: &[i32]) -> Result<Expr, String> {
    let go = |e: &Expr| substitute(e, values);
    let boxed = |e: &Expr| go(e).map(Box::new);
    Ok(match expr {
        Expr::Load(place) if place.scope == Scope::Local => Expr::Constant(values[slot(place, values)?]),
        Expr::Load(place) => Expr::Load(Box::new(substitute_place(place, values)?)),
        Expr::Unary(operator, operand) => match (operator, go(operand)?) {
            (Unary::Not, Expr::Constant(value)) => Expr::Constant(i32::from(value == 0)),
            (Unary::Negate, Expr::Constant(value)) => Expr::Constant(value.wrapping_neg()),
            (Unary::Complement, Expr::Constant(value)) => Expr::Constant(!value),
            (operator, operand) => Expr::Unary(*operator, Box::new(operand)),
        },
        Expr::Binary(operator, left, right) => match (operator, go(left)?, go(right)?) {
            (operator, Expr::Constant(left), Expr::Constant(right)) => {
                Expr::Constant(operator.apply(left, right).map_err(|_| "a never claim divides by zero")?)
            }
            (Binary::And, Expr::Constant(0), _) => Expr::Constant(0),
            (Binary::And, Expr::Constant(_), other) => truth(other),
            (Binary::Or, Expr::Constant(0), other) => truth(other),
            (Binary::Or, Expr::Constant(_), _) => Expr::Constant(1),
            (operator, left, right) => Expr::Binary(*operator, Box::new(left), Box::new(right)),
        },
        Expr::Conditional(parts) => match go(&parts.0)? {
            Expr::Constant(0) => go(&parts.2)?,
            Expr::Constant(_) => go(&parts.1)?,
            condition => Expr::Conditional(Box::new((condition, go(&parts.1)?, go(&parts.2)?))),
        },
        Expr::Length(channel) => Expr::Length(boxed(channel)?),
        Expr::Empty(channel) => Expr::Empty(boxed(channel)?),
        Expr::NotEmpty(channel) => Expr::NotEmpty(boxed(channel)?),
        Expr::Full(channel) => Expr::Full(boxed(channel)?),
        Expr::NotFull(channel) => Expr::NotFull(boxed(channel)?),
        Expr::Poll { channel, patterns, random } => {
            let pattern = |pattern: &Pattern| match pattern {
                Pattern::Match(expr) => go(expr).map(Pattern::Match),
                other => Ok(other.clone()),
            };
            let patterns = patterns.iter().map(pattern).collect::<Result<_, _>>()?;
            Expr::Poll { channel: boxed(channel)?, patterns, random: *random }
        }
        Expr::Enabled(pid) => Expr::Enabled(boxed(pid)?),
        Expr::ProgramCounter(pid) => Expr::ProgramCounter(boxed(pid)?),
        Expr::Priority(pid) => Expr::Priority(boxed(pid)?),
        Expr::RemoteAt { process, pid, locations } => {
            Expr::RemoteAt { process: *process, pid: boxed(pid)?, locations: locations.clone() }
        }
        // The place is among the other process's variables; only its indices are the claim's.
        Expr::RemoteLoad { process, pid, place } => {
            let place = Box::new(substitute_place(place, values)?);
            Expr::RemoteLoad { process: *process, pid: boxed(pid)?, place }
        }
        Expr::Constant(_)
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::FirstOfType(_)
        | Expr::RunResult => expr.clone(),
    })
}

/// The value of an expression that does not look at the system.
pub(crate) fn constant(expr: &Expr, values: &[i32]) -> Result<i32, String> {
    match substitute(expr, values)? {
        Expr::Constant(value) => Ok(value),
        _ => Err("a never claim that keeps values of the system in variables of its own is not supported: \
                  compare them in a condition"
            .to_string()),
    }
}

/// Which of the claim's variables a place means.
pub(crate) fn slot(place: &Place, values: &[i32]) -> Result<usize, String> {
    let mut slot = place.slot as usize;
    for index in &place.indices {
        let value = constant(&index.value, values)?;
        match u32::try_from(value) {
            Ok(value) if value < index.length => slot += (value * index.stride) as usize,
            _ => return Err(format!("an array of the never claim has no element {value}")),
        }
    }
    if slot < values.len() { Ok(slot) } else { Err("a never claim without such a variable".to_string()) }
}

fn substitute_place(place: &Place, values: &[i32]) -> Result<Place, String> {
    let index =
        |index: &Index| Ok::<_, String>(Index { value: substitute(&index.value, values)?, ..index.clone() });
    Ok(Place { indices: place.indices.iter().map(index).collect::<Result<_, _>>()?, ..place.clone() })
}

fn truth(expr: Expr) -> Expr {
    Expr::Binary(Binary::NotEqual, Box::new(expr), Box::new(Expr::Constant(0)))
}
