//! A model whose expressions are code: what exploration runs.

use source::Span;

use crate::evaluate::{Code, Compiler, Defined, Table};
use crate::model::Model;
use crate::term::{Term, TermKind};
use crate::types::Type;

use super::shortcuts::Definition;

/// A model as code.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) actions: Vec<ActionCode>,
    pub(super) processes: Vec<ProcessCode>,
    pub(super) functions: Vec<Defined>,
    pub(super) enumerations: Vec<u32>,
    /// Sums over types whose values are not listed, by their number.
    pub(super) sums: Vec<SumCode>,
}

#[derive(Clone)]
pub(super) struct ActionCode {
    pub(super) parameters: Vec<u32>,
    /// First those of `requires`, with fields as they are before, then those of `ensures`.
    pub(super) conditions: Vec<Code>,
    /// How many of them are of `requires`.
    pub(super) guards: usize,
    pub(super) modifies: Vec<u32>,
    /// Fields that are read or modified, sorted.
    pub(super) touches: Vec<u32>,
    /// What the modified fields become, where the contract says it outright.
    pub(super) definition: Option<Definition>,
}

#[derive(Clone)]
pub(super) struct ProcessCode {
    pub(super) parameters: Vec<u32>,
    pub(super) requires: Vec<Code>,
    pub(super) ensures: Vec<Code>,
    pub(super) body: TermCode,
}

/// A term whose expressions are code.
#[derive(Clone, Debug)]
pub(super) enum TermCode {
    Empty,
    Deadlock,
    Action(u32, Vec<Code>, Span),
    Call(u32, Vec<Code>, Span),
    Sequence(Box<TermCode>, Box<TermCode>),
    Choice(Box<TermCode>, Box<TermCode>),
    Parallel(Box<TermCode>, Box<TermCode>),
    Conditional(Code, Box<TermCode>, Box<TermCode>, Span),
    Iteration(Box<TermCode>),
    Sum(u32),
    /// Variable, first value, value after the last.
    Family(u32, Code, Code, Box<TermCode>, Span),
    Foreign(u32, Span),
}

/// A sum.
#[derive(Clone)]
pub(super) struct SumCode {
    pub(super) variable: u32,
    pub(super) ty: Type,
    pub(super) range: Option<(Code, Code)>,
    pub(super) condition: Code,
    pub(super) body: TermCode,
    /// Variables of the surroundings that occur in it, sorted.
    pub(super) free: Vec<u32>,
    pub(super) span: Span,
}

impl Program {
    pub(super) fn new(model: &Model, table: &mut Table) -> Program {
        let mut builder = Builder { compiler: Compiler { table }, sums: Vec::new() };
        let actions = model.actions.iter().map(|action| {
            let mut conditions: Vec<Code> =
                builder.compiler.all(&action.requires).into_iter().map(before).collect();
            let guards = conditions.len();
            conditions.extend(builder.compiler.all(&action.ensures));
            let modifies: Vec<u32> = action.modifies.iter().map(|field| field.0).collect();
            let mut touches = modifies.clone();
            conditions.iter().for_each(|code| code.fields(&mut touches));
            touches.sort_unstable();
            touches.dedup();
            let parameters = action.parameters.iter().map(|it| it.variable.0).collect();
            let definition = Definition::new(&conditions[guards..], &modifies);
            ActionCode { parameters, conditions, guards, modifies, touches, definition }
        });
        let actions = actions.collect();
        let processes = model.processes.iter().map(|process| ProcessCode {
            parameters: process.parameters.iter().map(|it| it.variable.0).collect(),
            requires: builder.compiler.all(&process.requires),
            ensures: builder.compiler.all(&process.ensures),
            body: builder.term(&process.body),
        });
        let processes = processes.collect();
        let functions = model.functions.iter().map(|function| Defined {
            parameters: function.parameters.iter().map(|it| it.variable.0).collect(),
            body: function.body.as_ref().map(|body| builder.compiler.code(body)),
        });
        let functions = functions.collect();
        let enumerations = model.enumerations.iter().map(|it| it.constants.len() as u32).collect();
        Program { actions, processes, functions, enumerations, sums: builder.sums }
    }
}

/// A guard reads fields as they are before the action.
fn before(code: Code) -> Code {
    let again = |code: Box<Code>| Box::new(before(*code));
    match code {
        Code::Now(field) => Code::Start(field),
        Code::Constant(_) | Code::Variable(_) | Code::Start(_) | Code::Foreign(_) => code,
        Code::Not(a) => Code::Not(again(a)),
        Code::Negate(a) => Code::Negate(again(a)),
        Code::Binary(operator, a, b) => Code::Binary(operator, again(a), again(b)),
        Code::Conditional(a, b, c) => Code::Conditional(again(a), again(b), again(c)),
        Code::Let(variable, a, b) => Code::Let(variable, again(a), again(b)),
        Code::Call(function, parts) => Code::Call(function, parts.into_iter().map(before).collect()),
        Code::Builtin(builtin, parts) => Code::Builtin(builtin, parts.into_iter().map(before).collect()),
        Code::Quantified(quantifier, binders, condition, body) => {
            let binders = binders.into_iter().map(|mut binder| {
                binder.range = binder.range.map(|(low, high)| (before(low), before(high)));
                binder
            });
            Code::Quantified(quantifier, binders.collect(), again(condition), again(body))
        }
    }
}

struct Builder<'t> {
    compiler: Compiler<'t>,
    sums: Vec<SumCode>,
}

impl Builder<'_> {
    /// The depth of terms is bounded by whoever made them.
    fn term(&mut self, term: &Term) -> TermCode {
        let span = term.span();
        match term.kind() {
            TermKind::Empty => TermCode::Empty,
            TermKind::Deadlock => TermCode::Deadlock,
            TermKind::Action(action, arguments) => {
                TermCode::Action(action.0, self.compiler.all(arguments), span)
            }
            TermKind::Call(process, arguments) => {
                TermCode::Call(process.0, self.compiler.all(arguments), span)
            }
            TermKind::Sequence(a, b) => TermCode::Sequence(Box::new(self.term(a)), Box::new(self.term(b))),
            TermKind::Choice(a, b) => TermCode::Choice(Box::new(self.term(a)), Box::new(self.term(b))),
            TermKind::Parallel(a, b) => TermCode::Parallel(Box::new(self.term(a)), Box::new(self.term(b))),
            TermKind::Conditional(condition, a, b) => {
                let condition = self.compiler.code(condition);
                TermCode::Conditional(condition, Box::new(self.term(a)), Box::new(self.term(b)), span)
            }
            TermKind::Iteration(a) => TermCode::Iteration(Box::new(self.term(a))),
            TermKind::Sum(binder, condition, body) => {
                let body = self.term(body);
                let condition = self.compiler.code(condition);
                let range = binder.range.as_ref();
                let range = range.map(|(low, high)| (self.compiler.code(low), self.compiler.code(high)));
                let mut free = Vec::new();
                variables_of(&body, &self.sums, &mut free);
                code_variables(&condition, &mut free);
                if let Some((low, high)) = &range {
                    code_variables(low, &mut free);
                    code_variables(high, &mut free);
                }
                free.retain(|variable| *variable != binder.variable.0);
                free.sort_unstable();
                free.dedup();
                let ty = binder.ty.clone();
                let variable = binder.variable.0;
                self.sums.push(SumCode { variable, ty, range, condition, body, free, span });
                TermCode::Sum(self.sums.len() as u32 - 1)
            }
            TermKind::Family(binder, body) => match &binder.range {
                Some((low, high)) => {
                    let (low, high) = (self.compiler.code(low), self.compiler.code(high));
                    TermCode::Family(binder.variable.0, low, high, Box::new(self.term(body)), span)
                }
                None => TermCode::Deadlock,
            },
            TermKind::Foreign(number) => TermCode::Foreign(*number, span),
        }
    }
}

/// All variables that occur in an expression; those that are bound inside are harmless, for they have no value outside.
fn code_variables(code: &Code, into: &mut Vec<u32>) {
    if let Code::Variable(variable) = code {
        into.push(*variable);
    }
    code.for_each_child(&mut |child| code_variables(child, into));
}

fn variables_of(term: &TermCode, sums: &[SumCode], into: &mut Vec<u32>) {
    match term {
        TermCode::Empty | TermCode::Deadlock | TermCode::Foreign(..) => {}
        TermCode::Action(_, arguments, _) | TermCode::Call(_, arguments, _) => {
            arguments.iter().for_each(|argument| code_variables(argument, into));
        }
        TermCode::Sequence(a, b) | TermCode::Choice(a, b) | TermCode::Parallel(a, b) => {
            variables_of(a, sums, into);
            variables_of(b, sums, into);
        }
        TermCode::Conditional(condition, a, b, _) => {
            code_variables(condition, into);
            variables_of(a, sums, into);
            variables_of(b, sums, into);
        }
        TermCode::Iteration(a) => variables_of(a, sums, into),
        TermCode::Sum(number) => into.extend(sums[*number as usize].free.iter().copied()),
        TermCode::Family(variable, low, high, body, _) => {
            let mut inner = Vec::new();
            variables_of(body, sums, &mut inner);
            inner.retain(|it| it != variable);
            into.append(&mut inner);
            code_variables(low, into);
            code_variables(high, into);
        }
    }
}
