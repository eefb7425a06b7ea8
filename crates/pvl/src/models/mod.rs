//! From the models of a program to [`process::Model`]: typed expressions, terms, contracts with their frames, formulas,
//! and what is asked about a model beside its text.
//!
//! Tables of `resolve` must be complete. What cannot be evaluated becomes a foreign leaf with a sentence that says what it
//! is; whoever comes to it says that.

mod expressions;
mod questions;
mod reading;
mod terms;
mod types;

use std::sync::Arc;

use process::{
    Enumeration, EnumerationId, Expression, Field, FieldId, Function, FunctionId, Model, Term, TermKind,
    VariableId,
};
use rustc_hash::FxHashMap;
use source::Span;

use crate::resolve::{self, Resolution, frame};
use crate::syntax::tree::{self, ClauseKind, Measure, ModelMemberKind, NodeId};

pub use questions::{Asked, FormulaAtom, FormulaTree};
pub use reading::{Reading, Request, read};
pub(crate) use terms::{Leaves, Members, Other, declare, empty_model, operator_on_numbers, read_term};

/// A model of a program with what belongs to it.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The model.
    pub model: Model,
    /// What each foreign leaf is, by its number.
    pub foreign: Vec<String>,
    /// The formulas that stand in the model, by name.
    pub formulas: Vec<(String, FormulaTree)>,
    /// The declarations of processes and of functions, by their numbers.
    pub processes: Vec<NodeId>,
    pub functions: Vec<NodeId>,
}

/// Puts one model of a resolved program into its own form.
pub fn convert(resolution: &Resolution<'_>, model: NodeId) -> Option<Converted> {
    let mut converter = Converter::new(resolution, model)?;
    converter.members();
    let formulas = converter.formulas();
    Some(converter.converted(formulas))
}

/// Puts a model into its own form together with what is asked about it.
pub fn convert_question(
    resolution: &Resolution<'_>,
    model: NodeId,
    question: &tree::Question,
) -> Option<(Converted, Asked)> {
    let mut converter = Converter::new(resolution, model)?;
    converter.members();
    let formulas = converter.formulas();
    let asked = converter.question(question);
    Some((converter.converted(formulas), asked))
}

/// What is known while a model is put into its own form.
struct Converter<'r, 'tree> {
    resolution: &'r Resolution<'tree>,
    source: &'tree tree::Model,
    model: Model,
    fields: FxHashMap<NodeId, FieldId>,
    variables: FxHashMap<NodeId, VariableId>,
    members: Members,
    functions: FxHashMap<NodeId, FunctionId>,
    enumerations: FxHashMap<NodeId, EnumerationId>,
    /// Functions that are called and not yet put into their own form.
    waiting: Vec<(FunctionId, NodeId)>,
    foreign: Vec<String>,
    /// Whether fields are read where the contract's subject begins.
    in_old: bool,
    /// Whether there is an earlier moment.
    has_old: bool,
}

impl<'r, 'tree> Converter<'r, 'tree> {
    fn new(resolution: &'r Resolution<'tree>, id: NodeId) -> Option<Converter<'r, 'tree>> {
        let source = resolution.items.models.get(&id).copied()?;
        Some(Converter {
            resolution,
            source,
            model: empty_model(source),
            fields: FxHashMap::default(),
            variables: FxHashMap::default(),
            members: Members::default(),
            functions: FxHashMap::default(),
            enumerations: FxHashMap::default(),
            waiting: Vec::new(),
            foreign: Vec::new(),
            in_old: false,
            has_old: false,
        })
    }

    /// All that belongs to the model.
    fn converted(mut self, formulas: Vec<(String, FormulaTree)>) -> Converted {
        let model = self.finished();
        let mut functions: Vec<(FunctionId, NodeId)> =
            self.functions.iter().map(|(id, at)| (*at, *id)).collect();
        functions.sort_unstable();
        Converted {
            model,
            foreign: self.foreign,
            formulas,
            processes: self.members.processes,
            functions: functions.into_iter().map(|it| it.1).collect(),
        }
    }

    /// The whole model, once all functions that are called are in it.
    fn finished(&mut self) -> Model {
        while let Some((function, id)) = self.waiting.pop() {
            self.function(function, id);
        }
        self.model.clone()
    }

    /// A term; a part that is none is refused before.
    fn term(&mut self, term: &'tree tree::Expression) -> Term {
        let members = std::mem::take(&mut self.members);
        let read = read_term(self.resolution, &members, term, self);
        self.members = members;
        read.unwrap_or_else(|part| {
            let leaf = TermKind::Foreign(self.foreign("an expression that is no process"));
            Term::new(leaf, part.span)
        })
    }

    /// A number for something that cannot be evaluated.
    fn foreign(&mut self, what: impl Into<String>) -> u32 {
        self.foreign.push(what.into());
        self.foreign.len() as u32 - 1
    }

    /// Declares everything first, so that members can refer to each other, and then fills it in.
    fn members(&mut self) {
        let source = self.source;
        for member in &source.members {
            let ModelMemberKind::Fields(fields) = &member.kind else { continue };
            for (id, name) in &fields.names {
                let ty = self.type_of_variable(*id);
                self.fields.insert(*id, FieldId(self.model.fields.len() as u32));
                self.model.fields.push(Field { name: name.text.clone(), ty, span: name.span });
            }
        }
        (self.members, self.model.actions, self.model.processes) = declare(source, self);
        for member in &source.members {
            match &member.kind {
                ModelMemberKind::Action(it) => self.fill_action(member.id, it),
                ModelMemberKind::Process(it) => self.fill_process(member.id, it),
                _ => {}
            }
        }
    }

    fn fill_action(&mut self, id: NodeId, it: &'tree tree::Process) {
        let Some(number) = self.members.action(id) else { return };
        let (requires, ensures) = self.contract(it);
        let (modifies, accessible) = self.frame(it);
        let action = &mut self.model.actions[number.0 as usize];
        (action.requires, action.ensures) = (requires, ensures);
        (action.modifies, action.accessible) = (modifies, accessible);
    }

    fn fill_process(&mut self, id: NodeId, it: &'tree tree::Process) {
        let Some(number) = self.members.process(id) else { return };
        let (requires, ensures) = self.contract(it);
        let (modifies, accessible) = self.frame(it);
        let decreases = match it.contract.measure() {
            Some((Measure::Tuple(parts), _)) => parts.iter().map(|part| self.expression(part)).collect(),
            _ => Vec::new(),
        };
        let body = it.body.as_ref().map(|body| self.term(body));
        let process = &mut self.model.processes[number.0 as usize];
        (process.requires, process.ensures) = (requires, ensures);
        (process.modifies, process.accessible) = (modifies, accessible);
        process.decreases = decreases;
        if let Some(body) = body {
            process.body = body;
        }
    }

    fn frame(&mut self, it: &tree::Process) -> (Vec<FieldId>, Vec<FieldId>) {
        let found = frame(self.resolution, self.source, it);
        let numbers = |fields: Vec<NodeId>| {
            let mut numbers: Vec<FieldId> =
                fields.iter().filter_map(|field| self.fields.get(field).copied()).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        (numbers(found.modifies), numbers(found.accessible))
    }

    /// The conjuncts of what a contract supposes and of what it claims.
    fn contract(&mut self, it: &'tree tree::Process) -> (Vec<Expression>, Vec<Expression>) {
        let (mut requires, mut ensures) = (Vec::new(), Vec::new());
        for clause in &it.contract.clauses {
            let (before, after) = match &clause.kind {
                ClauseKind::Requires(condition) => (Some(condition), None),
                ClauseKind::Ensures(condition) => (None, Some(condition)),
                ClauseKind::Context(condition) | ClauseKind::ContextEverywhere(condition) => {
                    (Some(condition), Some(condition))
                }
                _ => (None, None),
            };
            if let Some(condition) = before {
                self.has_old = false;
                self.conjuncts(condition, &mut requires);
            }
            if let Some(condition) = after {
                self.has_old = true;
                self.conjuncts(condition, &mut ensures);
                self.has_old = false;
            }
        }
        (requires, ensures)
    }

    /// The function of a routine, which is put into the model when it is first called.
    fn function_of(&mut self, id: NodeId, span: Span) -> Option<FunctionId> {
        if let Some(known) = self.functions.get(&id) {
            return Some(*known);
        }
        let routine = self.resolution.items.routines.get(&id).copied()?;
        let result = match routine {
            tree::Routine::Function(it) if it.type_parameters.is_empty() => self.written_type(&it.result),
            tree::Routine::Predicate(it) if it.kind == tree::PredicateKind::Fact => process::Type::Boolean,
            _ => return None,
        };
        let number = FunctionId(self.model.functions.len() as u32);
        self.functions.insert(id, number);
        let parameters = terms::parameters(routine.parameters(), self);
        self.model.functions.push(Function {
            name: routine.name().text.clone(),
            parameters,
            result,
            requires: Vec::new(),
            body: None,
            span,
        });
        self.waiting.push((number, id));
        Some(number)
    }

    fn function(&mut self, number: FunctionId, id: NodeId) {
        let Some(routine) = self.resolution.items.routines.get(&id).copied() else { return };
        let body = match routine {
            tree::Routine::Function(it) => it.body.as_ref(),
            tree::Routine::Predicate(it) => it.body.as_ref(),
            _ => None,
        };
        let body = body.map(|body| self.expression(body));
        let mut requires = Vec::new();
        for condition in routine.contract().into_iter().flat_map(|it| it.preconditions()) {
            self.conjuncts(condition, &mut requires);
        }
        let function = &mut self.model.functions[number.0 as usize];
        (function.body, function.requires) = (body, requires);
    }

    fn enumeration(&mut self, id: NodeId) -> EnumerationId {
        if let Some(known) = self.enumerations.get(&id) {
            return *known;
        }
        let number = EnumerationId(self.model.enumerations.len() as u32);
        let found = self.resolution.items.enums.get(&id);
        let name: Arc<str> = found.map_or_else(|| Arc::from(""), |it| it.name.text.clone());
        let constants =
            found.map_or_else(Vec::new, |it| it.constants.iter().map(|it| it.name.text.clone()).collect());
        self.model.enumerations.push(Enumeration { name, constants });
        self.enumerations.insert(id, number);
        number
    }
}

impl<'tree> Leaves<'tree> for Converter<'_, 'tree> {
    fn data(&mut self, expression: &'tree tree::Expression) -> Expression {
        self.expression(expression)
    }

    fn other(&mut self, _: &'tree tree::Expression, what: Other) -> Option<u32> {
        let what = match what {
            Other::OfAnotherModel => "a process of another model",
            Other::Returned => "what a method returns",
            Other::Value => "a variable of type process",
        };
        Some(self.foreign(what))
    }

    fn variable(&mut self, declared: NodeId) -> VariableId {
        let next = &mut self.model.next_variable;
        *self.variables.entry(declared).or_insert_with(|| {
            *next += 1;
            VariableId(*next - 1)
        })
    }

    fn type_of_variable(&mut self, declared: NodeId) -> process::Type {
        let ty = self.resolution.variables.get(&declared).cloned().unwrap_or(resolve::Type::Unknown);
        self.ty(&ty)
    }
}
