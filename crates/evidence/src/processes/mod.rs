//! An interpreter of processes, written to be read: the rules of figure 2 of VMCAI 2020, one by one, on values as they are.
//!
//! It is given a run, step by step: which action with which arguments, and the store afterwards. It says whether the
//! rules allow the step, whether the run may end, and what is true. It finds no stores by itself, and shares nothing with
//! exploration but the definition of a model.

mod evaluate;
mod values;

use std::rc::Rc;

use process::{ActionId, Atom, Binder, Model, ProcessId, Term, TermKind, Value};

use evaluate::{Scope, Store};

/// How deep terms and calls may be nested.
const DEPTH: usize = 600;

/// A term on its way: written parts with values for their variables, put together by what happened to them.
#[derive(Clone, Debug)]
enum Left {
    Empty,
    Written(Term, Scope),
    Sequence(Rc<Left>, Rc<Left>),
    Parallel(Rc<Left>, Rc<Left>),
}

/// An action with its arguments, and values that sums in front of it have.
struct Label<'l> {
    action: ActionId,
    arguments: &'l [Value],
    values: &'l [Value],
}

/// A run of a process.
pub struct ProcessRun<'m> {
    model: &'m Model,
    process: ProcessId,
    arguments: Scope,
    start: Vec<Value>,
    now: Vec<Value>,
    /// What may be left: the same action can be done in several ways.
    left: Vec<Left>,
    last: Option<(ActionId, Vec<Value>)>,
}

impl<'m> ProcessRun<'m> {
    /// A process with its arguments, in a store in which its `requires` is true.
    pub fn new(
        model: &'m Model,
        process: ProcessId,
        arguments: &[Value],
        fields: &[Value],
    ) -> Result<ProcessRun<'m>, String> {
        let declared = &model.processes[process.0 as usize];
        let mut scope = Scope::default();
        for (parameter, value) in declared.parameters.iter().zip(arguments) {
            scope = scope.with(parameter.variable, value.clone());
        }
        let run = ProcessRun {
            model,
            process,
            start: fields.to_vec(),
            now: fields.to_vec(),
            left: vec![Left::Written(declared.body.clone(), scope.clone())],
            arguments: scope,
            last: None,
        };
        for condition in &declared.requires {
            if !run.truth(condition, &run.arguments, fields, fields)? {
                return Err("the run begins where `requires` is false".to_string());
            }
        }
        Ok(run)
    }

    fn truth(
        &self,
        condition: &process::Expression,
        scope: &Scope,
        start: &[Value],
        now: &[Value],
    ) -> Result<bool, String> {
        let store = Store { model: self.model, start, now };
        match evaluate::value(&store, condition, scope, 0)? {
            Value::Boolean(truth) => Ok(truth),
            _ => Err("a condition is neither true nor false".to_string()),
        }
    }

    /// One step: an action with its arguments that leads to a store.
    pub fn step(
        &mut self,
        action: ActionId,
        arguments: &[Value],
        values: &[Value],
        after: &[Value],
    ) -> Result<(), String> {
        let label = Label { action, arguments, values };
        let mut left = Vec::new();
        for before in std::mem::take(&mut self.left) {
            self.steps(&before, &label, &mut left, 0)?;
        }
        if left.is_empty() {
            return Err("the process cannot do the action".to_string());
        }
        self.left = left;
        self.check_contract(action, arguments, after)?;
        self.now = after.to_vec();
        self.last = Some((action, arguments.to_vec()));
        Ok(())
    }

    /// The rule for actions: the guard is true before, the effect afterwards, and nothing else changes.
    fn check_contract(&self, action: ActionId, arguments: &[Value], after: &[Value]) -> Result<(), String> {
        let declared = &self.model.actions[action.0 as usize];
        let mut scope = Scope::default();
        for (parameter, value) in declared.parameters.iter().zip(arguments) {
            scope = scope.with(parameter.variable, value.clone());
        }
        for condition in &declared.requires {
            if !self.truth(condition, &scope, &self.now, &self.now)? {
                return Err("an action is done whose `requires` is false".to_string());
            }
        }
        for condition in &declared.ensures {
            if !self.truth(condition, &scope, &self.now, after)? {
                return Err("an action leads where its `ensures` is false".to_string());
            }
        }
        for (index, (before, after)) in self.now.iter().zip(after).enumerate() {
            if before != after && !declared.modifies.iter().any(|field| field.0 as usize == index) {
                return Err("an action changes a field that it does not modify".to_string());
            }
        }
        Ok(())
    }

    /// Of the terms that the run may have come to, only those stay that may end here, or only those that may not. Actions do
    /// not always say which term they lead to.
    pub fn choose_by_end(&mut self, may_end: bool) -> Result<(), String> {
        let mut left = Vec::new();
        for term in std::mem::take(&mut self.left) {
            if self.ends(&term, 0)? == may_end {
                left.push(term);
            }
        }
        self.left = left;
        match (self.left.is_empty(), may_end) {
            (false, _) => Ok(()),
            (true, true) => Err("the run may not end in a state where it is said to".to_string()),
            (true, false) => Err("the run may end in a state where it is said not to".to_string()),
        }
    }

    /// Whether the run may end here.
    pub fn may_end(&self) -> Result<bool, String> {
        for left in &self.left {
            if self.ends(left, 0)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The first conjunct of the contract that is false here.
    pub fn failing(&self) -> Result<Option<usize>, String> {
        let declared = &self.model.processes[self.process.0 as usize];
        for (index, condition) in declared.ensures.iter().enumerate() {
            if !self.truth(condition, &self.arguments, &self.start, &self.now)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Whether a condition is true here.
    pub fn holds(&self, atom: &Atom) -> Result<bool, String> {
        match atom {
            Atom::Condition(condition) => self.truth(condition, &Scope::default(), &self.now, &self.now),
            Atom::Ended => self.may_end(),
            Atom::Did(action, arguments) => {
                let Some((last, values)) = &self.last else { return Ok(false) };
                if last != action {
                    return Ok(false);
                }
                let store = Store { model: self.model, start: &self.now, now: &self.now };
                for (argument, value) in arguments.iter().flatten().zip(values) {
                    if evaluate::value(&store, argument, &Scope::default(), 0)? != *value {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    fn evaluated(&self, expression: &process::Expression, scope: &Scope) -> Result<Value, String> {
        evaluate::value(&Store { model: self.model, start: &[], now: &[] }, expression, scope, 0)
    }

    fn is_true(&self, condition: &process::Expression, scope: &Scope) -> Result<bool, String> {
        Ok(self.evaluated(condition, scope)? == Value::Boolean(true))
    }

    /// Whether a term may end: the upper half of figure 2.
    fn ends(&self, left: &Left, depth: usize) -> Result<bool, String> {
        if depth > DEPTH {
            return Err("a term is too deep".to_string());
        }
        let depth = depth + 1;
        match left {
            Left::Empty => Ok(true),
            Left::Sequence(a, b) | Left::Parallel(a, b) => Ok(self.ends(a, depth)? && self.ends(b, depth)?),
            Left::Written(term, scope) => match term.kind() {
                TermKind::Empty | TermKind::Iteration(_) => Ok(true),
                TermKind::Deadlock | TermKind::Action(..) => Ok(false),
                TermKind::Foreign(_) => Err("a term that only the language knows".to_string()),
                TermKind::Sequence(a, b) | TermKind::Parallel(a, b) => {
                    Ok(self.ends(&written(a, scope), depth)? && self.ends(&written(b, scope), depth)?)
                }
                TermKind::Choice(a, b) => {
                    Ok(self.ends(&written(a, scope), depth)? || self.ends(&written(b, scope), depth)?)
                }
                TermKind::Conditional(condition, a, b) => {
                    let chosen = if self.is_true(condition, scope)? { a } else { b };
                    self.ends(&written(chosen, scope), depth)
                }
                TermKind::Call(process, arguments) => {
                    let body = self.unfolded(*process, arguments, scope)?;
                    self.ends(&body, depth)
                }
                TermKind::Family(binder, body) => {
                    for value in self.range(binder, scope)? {
                        if !self.ends(&written(body, &scope.with(binder.variable, value)), depth)? {
                            return Ok(false);
                        }
                    }
                    Ok(true)
                }
                TermKind::Sum(binder, condition, body) => {
                    if binder.range.is_none() {
                        return Ok(false);
                    }
                    for value in self.range(binder, scope)? {
                        let scope = scope.with(binder.variable, value);
                        if self.is_true(condition, &scope)? && self.ends(&written(body, &scope), depth)? {
                            return Ok(true);
                        }
                    }
                    Ok(false)
                }
            },
        }
    }

    fn unfolded(
        &self,
        process: ProcessId,
        arguments: &[process::Expression],
        scope: &Scope,
    ) -> Result<Left, String> {
        let declared = &self.model.processes[process.0 as usize];
        let mut inner = Scope::default();
        for (parameter, argument) in declared.parameters.iter().zip(arguments) {
            inner = inner.with(parameter.variable, self.evaluated(argument, scope)?);
        }
        Ok(Left::Written(declared.body.clone(), inner))
    }

    fn range(&self, binder: &Binder, scope: &Scope) -> Result<Vec<Value>, String> {
        let Some((low, high)) = &binder.range else { return Err("a variable without a range".to_string()) };
        values::integers(&self.evaluated(low, scope)?, &self.evaluated(high, scope)?)
    }

    /// What may be left of a term when it does the action: the lower half of figure 2.
    fn steps(&self, left: &Left, label: &Label<'_>, out: &mut Vec<Left>, depth: usize) -> Result<(), String> {
        if depth > DEPTH {
            return Err("a term is too deep".to_string());
        }
        let depth = depth + 1;
        match left {
            Left::Empty => Ok(()),
            Left::Sequence(a, b) => self.sequence(a, b, label, out, depth),
            Left::Parallel(a, b) => self.parallel(a, b, label, out, depth),
            Left::Written(term, scope) => self.written_steps(term, scope, label, out, depth),
        }
    }

    fn sequence(
        &self,
        a: &Left,
        b: &Left,
        label: &Label<'_>,
        out: &mut Vec<Left>,
        depth: usize,
    ) -> Result<(), String> {
        let mut first = Vec::new();
        self.steps(a, label, &mut first, depth)?;
        let b = Rc::new(b.clone());
        out.extend(first.into_iter().map(|a| Left::Sequence(Rc::new(a), b.clone())));
        if self.ends(a, depth)? {
            self.steps(&b, label, out, depth)?;
        }
        Ok(())
    }

    fn parallel(
        &self,
        a: &Left,
        b: &Left,
        label: &Label<'_>,
        out: &mut Vec<Left>,
        depth: usize,
    ) -> Result<(), String> {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        self.steps(a, label, &mut first, depth)?;
        self.steps(b, label, &mut second, depth)?;
        let (a, b) = (Rc::new(a.clone()), Rc::new(b.clone()));
        out.extend(first.into_iter().map(|a| Left::Parallel(Rc::new(a), b.clone())));
        out.extend(second.into_iter().map(|b| Left::Parallel(a.clone(), Rc::new(b))));
        Ok(())
    }

    fn written_steps(
        &self,
        term: &Term,
        scope: &Scope,
        label: &Label<'_>,
        out: &mut Vec<Left>,
        depth: usize,
    ) -> Result<(), String> {
        match term.kind() {
            TermKind::Empty | TermKind::Deadlock => Ok(()),
            TermKind::Foreign(_) => Err("a term that only the language knows".to_string()),
            TermKind::Action(action, arguments) => {
                if *action != label.action {
                    return Ok(());
                }
                for (argument, value) in arguments.iter().zip(label.arguments) {
                    if self.evaluated(argument, scope)? != *value {
                        return Ok(());
                    }
                }
                out.push(Left::Empty);
                Ok(())
            }
            TermKind::Call(process, arguments) => {
                let body = self.unfolded(*process, arguments, scope)?;
                self.steps(&body, label, out, depth)
            }
            TermKind::Sequence(a, b) => {
                self.sequence(&written(a, scope), &written(b, scope), label, out, depth)
            }
            TermKind::Parallel(a, b) => {
                self.parallel(&written(a, scope), &written(b, scope), label, out, depth)
            }
            TermKind::Choice(a, b) => {
                self.steps(&written(a, scope), label, out, depth)?;
                self.steps(&written(b, scope), label, out, depth)
            }
            TermKind::Conditional(condition, a, b) => {
                let chosen = if self.is_true(condition, scope)? { a } else { b };
                self.steps(&written(chosen, scope), label, out, depth)
            }
            TermKind::Iteration(inner) => {
                let mut first = Vec::new();
                self.steps(&written(inner, scope), label, &mut first, depth)?;
                let again = Rc::new(written(term, scope));
                out.extend(first.into_iter().map(|a| Left::Sequence(Rc::new(a), again.clone())));
                Ok(())
            }
            TermKind::Sum(binder, condition, body) => {
                for value in self.candidates(binder, scope, label)? {
                    let scope = scope.with(binder.variable, value);
                    if self.is_true(condition, &scope).unwrap_or(false) {
                        self.steps(&written(body, &scope), label, out, depth)?;
                    }
                }
                Ok(())
            }
            TermKind::Family(binder, body) => {
                let mut all = Left::Empty;
                for value in self.range(binder, scope)? {
                    let part = written(body, &scope.with(binder.variable, value));
                    all = match all {
                        Left::Empty => part,
                        others => Left::Parallel(Rc::new(others), Rc::new(part)),
                    };
                }
                self.steps(&all, label, out, depth)
            }
        }
    }

    /// The values of a sum that can lead to the action: those of its range, of its condition, or those that were told.
    fn candidates(&self, binder: &Binder, scope: &Scope, label: &Label<'_>) -> Result<Vec<Value>, String> {
        if binder.range.is_some() {
            return self.range(binder, scope);
        }
        let mut all: Vec<Value> = label.values.iter().chain(label.arguments).cloned().collect();
        all.extend(values::few(&binder.ty, self.model));
        // A sum whose condition bounds its values was explored value by value, and these are not told.
        if binder.ty == process::Type::Integer {
            let near = |value: &Value| values::neighbours(value);
            let more: Vec<Value> = all.iter().flat_map(near).collect();
            all.extend(more);
        }
        all.sort();
        all.dedup();
        Ok(all)
    }
}

fn written(term: &Term, scope: &Scope) -> Left {
    Left::Written(term.clone(), scope.clone())
}
