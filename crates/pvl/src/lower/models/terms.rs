//! Terms of processes as values of Silver.
//!
//! A declared process is a function with its definition as a body. A term of the program is a function of the data and the
//! processes in it, without a body: its postconditions are the equations that the algebra knows of it ([`laws`]), so that
//! they are known wherever the term is written. Equal terms with other data share their function.

use std::rc::Rc;
use std::sync::Arc;

use process::{Term, TermKind};
use rustc_hash::FxHashMap;
use silver::syntax::tree as s;
use source::Span;

use super::algebra::{AlgebraicModel, Opaque, OpaqueTypes};
use super::found::{Found, Inside};
use super::laws::canonical;
use super::rendering::{Rendered, Rendering};
use crate::lower::Lowering;
use crate::lower::instances::{Instance, Part};
use crate::lower::prelude::Theory;
use crate::lower::scope::Scope;
use crate::models::{Leaves, read_term};
use crate::resolve::Type;
use crate::syntax::tree::{Binding, Expression, ExpressionKind, NodeId, Process};

/// A term whose function has been declared: what is in it, the types of the data, and how many other terms.
type Shape = (NodeId, Term, Vec<String>, usize);

/// Functions for terms, and what is in them that the algebra does not look into.
#[derive(Default, Debug)]
pub(crate) struct TermFunctions<'t> {
    names: FxHashMap<Shape, Arc<str>>,
    pub(super) types: OpaqueTypes,
    /// Functions that only name declared processes.
    process_names: FxHashMap<NodeId, Arc<str>>,
    /// Expressions of the program under a binder, by their nodes.
    pub(super) opaque: Vec<(NodeId, Opaque<'t>)>,
}

/// The constructor of the process that does nothing.
const EMPTY: &str = "process_empty";

impl<'t> Lowering<'t> {
    /// The Silver function of an action.
    pub(super) fn action_function(&mut self, action: NodeId) -> Arc<str> {
        self.instance(Instance::new(Part::ModelAction, action, Vec::new()))
    }

    /// The Silver function of a process.
    pub(super) fn process_function(&mut self, process: NodeId) -> Arc<str> {
        self.instance(Instance::new(Part::ModelProcess, process, Vec::new()))
    }

    /// A function that gives the same process as that of a declared one and says nothing about it. The terms for all
    /// values of a variable use it: what a process is for one of them is found where somebody writes that.
    pub(super) fn process_name(&mut self, process: NodeId) -> Arc<str> {
        if let Some(known) = self.terms.process_names.get(&process) {
            return known.clone();
        }
        let function = self.process_function(process);
        let name = self.globals.fresh(&format!("{function}_named"));
        self.terms.process_names.insert(process, name.clone());
        let Some((declared, _)) = self.process_declaration(process) else { return name };
        self.spelling.add_routine(&name, declared.name.text.to_string(), false);
        let place = declared.name.span;
        let formals = self.numbered_formals(declared);
        let function = self.function_to_processes(&name, formals, place);
        self.add_member(place, s::MemberKind::Function(function));
        name
    }

    /// The parameters of an action or process, by their numbers.
    fn numbered_formals(&mut self, declared: &Process) -> Vec<s::Binding> {
        let place = declared.name.span;
        let mut formals = Vec::new();
        for (at, parameter) in declared.parameters.iter().enumerate() {
            let ty = self.resolution.variables.get(&parameter.id).cloned().unwrap_or(Type::Unknown);
            let ty = self.ty(&ty, place);
            formals.push(self.at(place).binding(&format!("argument{at}").into(), ty));
        }
        formals
    }

    /// A function whose values are processes, of which nothing is said.
    pub(super) fn function_to_processes(
        &mut self,
        name: &Arc<str>,
        formals: Vec<s::Binding>,
        place: Span,
    ) -> s::Function {
        let result = self.ty(&Type::Process, place);
        s::Function {
            name: self.at(place).name(name),
            formals,
            result,
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            body: None,
        }
    }

    /// Adds the constructor of an action's terms.
    pub(crate) fn lower_action(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some((declared, _)) = self.process_declaration(instance.id) else { return };
        self.need(Theory::Process);
        let place = declared.name.span;
        let formals = self.numbered_formals(declared);
        let result = self.ty(&Type::Process, place);
        let domain = self.globals.fresh(&format!("Action_{name}"));
        let mut build = self.at(place);
        let function = build.domain_function(name, formals, result);
        let domain = s::Domain {
            name: build.name(&domain),
            parameters: None,
            interpretations: None,
            functions: vec![function],
            axioms: Vec::new(),
        };
        self.add_member(place, s::MemberKind::Domain(domain));
    }

    /// Adds the function of a process, whose body is its definition.
    pub(crate) fn lower_process(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some((declared, _)) = self.process_declaration(instance.id) else { return };
        let Some(model) = self.resolution.items.owners.get(&instance.id).copied() else { return };
        let Some(model) = self.algebraic_model(model) else { return };
        self.need(Theory::Process);
        let place = declared.name.span;
        let number = model.members.process(instance.id);
        let Some(known) = number.and_then(|at| model.model.processes.get(at.0 as usize)) else { return };
        let mut algebra = process::Algebra::new(&model.model);
        let normal = algebra.normalise(&known.body);
        let body =
            normal.and_then(|normal| canonical(&mut algebra, normal, place)).unwrap_or(known.body.clone());
        let mut scope = Scope::new(self, Rc::default());
        scope.member.is_definition = true;
        let mut formals = Vec::new();
        let mut rendering = Rendering::new(model.clone());
        for (parameter, known) in declared.parameters.iter().zip(&known.parameters) {
            let ty = scope.variable_type(parameter.id);
            let ty = scope.ty(&ty, place);
            let name = scope.declare(parameter.id, &parameter.name.text);
            formals.push(scope.at(place).binding(&name, ty));
            rendering.variables.insert(known.variable, scope.at(place).variable(&name));
        }
        let arguments: Vec<s::Expression> =
            formals.iter().map(|formal| scope.at(place).variable(&formal.name.text)).collect();
        let rendered = scope.rendered_term(&rendering, &body, place);
        let body = match rendered {
            Some(Rendered { value, defined }) if super::super::build::is_true(&defined) => Some(value),
            Some(Rendered { value, defined }) => {
                let other = scope.undefined_process(name, &formals, place);
                let mut build = scope.at(place);
                let arbitrary = build.call(&other, arguments);
                Some(build.conditional(defined, value, arbitrary))
            }
            None => {
                scope.unsupported(place, "the data in this process");
                None
            }
        };
        let function = s::Function { body, ..self.function_to_processes(name, formals, place) };
        self.add_member(place, s::MemberKind::Function(function));
    }
}

impl<'t> Scope<'_, 't> {
    /// A function for what a process is where its definition has no value.
    fn undefined_process(&mut self, name: &str, formals: &[s::Binding], place: Span) -> Arc<str> {
        let other = self.lowering.globals.fresh(&format!("{name}_undefined"));
        let function = self.lowering.function_to_processes(&other, formals.to_vec(), place);
        self.lowering.add_member(place, s::MemberKind::Function(function));
        other
    }

    /// A term of the program.
    pub(crate) fn process_term(&mut self, expression: &'t Expression) -> s::Expression {
        let place = expression.span;
        self.lowering.need(Theory::Process);
        let Some(model) = self.model_of_term(expression) else {
            return self.term_without_model(expression);
        };
        let Some(known) = self.lowering.algebraic_model(model) else {
            return self.unsupported(place, "a term of this model");
        };
        let resolution = self.resolution;
        let mut found = Found::new(self, &known);
        let term = read_term(resolution, &known.members, expression, &mut found);
        let Found { data, terms, .. } = found;
        match term {
            Ok(term) => self.term_call(model, &known, &term, (data, terms), place),
            Err(part) => self.unsupported(part.span, "this in a term"),
        }
    }

    /// `first || second`, as `split` and `merge` mean it.
    pub(super) fn parallel_term(
        &mut self,
        first: &'t Expression,
        second: &'t Expression,
        place: Span,
    ) -> s::Expression {
        let model = self.model_of_term(first).or_else(|| self.model_of_term(second));
        let Some((model, known)) = model.and_then(|id| Some((id, self.lowering.algebraic_model(id)?))) else {
            let (first, second) = (self.expression(first), self.expression(second));
            return self.parallel_without_model(first, second, place);
        };
        let resolution = self.resolution;
        let mut found = Found::new(self, &known);
        let parts = (
            read_term(resolution, &known.members, first, &mut found),
            read_term(resolution, &known.members, second, &mut found),
        );
        let Found { data, terms, .. } = found;
        match parts {
            (Ok(first), Ok(second)) => {
                let term = Term::new(TermKind::Parallel(first, second), place);
                self.term_call(model, &known, &term, (data, terms), place)
            }
            (Err(part), _) | (_, Err(part)) => self.unsupported(part.span, "a term of several models"),
        }
    }

    /// A term in which no action or process is named: its laws are the same in every model.
    fn term_without_model(&mut self, expression: &'t Expression) -> s::Expression {
        match &*expression.kind {
            ExpressionKind::EmptyProcess => self.at(expression.span).call("process_empty", Vec::new()),
            _ => match self.resolution.items.models.keys().min().copied() {
                Some(model) => {
                    let Some(known) = self.lowering.algebraic_model(model) else {
                        return self.unsupported(expression.span, "a term without a model");
                    };
                    let resolution = self.resolution;
                    let mut found = Found::new(self, &known);
                    let term = read_term(resolution, &known.members, expression, &mut found);
                    let Found { data, terms, .. } = found;
                    match term {
                        Ok(term) => self.term_call(model, &known, &term, (data, terms), expression.span),
                        Err(part) => self.unsupported(part.span, "this term"),
                    }
                }
                None => self.unsupported(expression.span, "a term without a model"),
            },
        }
    }

    fn parallel_without_model(
        &mut self,
        first: s::Expression,
        second: s::Expression,
        place: Span,
    ) -> s::Expression {
        match self.parallel_of_values(vec![first, second], place) {
            Some(term) => term,
            None => self.unsupported(place, "a term without a model"),
        }
    }

    /// Processes side by side that are values already; nothing if there is no model.
    pub(super) fn parallel_of_values(
        &mut self,
        values: Vec<s::Expression>,
        place: Span,
    ) -> Option<s::Expression> {
        let model = self.resolution.items.models.keys().min().copied()?;
        let known = self.lowering.algebraic_model(model)?;
        let mut terms: Vec<(String, s::Expression)> = Vec::new();
        let mut parts = Vec::new();
        for value in values {
            let is_empty = matches!(&*value.kind, s::ExpressionKind::Call(name, ..) if &*name.text == EMPTY);
            let text = silver::syntax::print_expression(&value);
            let kind = if is_empty {
                TermKind::Empty
            } else {
                let at = terms.iter().position(|it| it.0 == text).unwrap_or_else(|| {
                    terms.push((text, value));
                    terms.len() - 1
                });
                TermKind::Foreign(at as u32)
            };
            parts.push(Term::new(kind, place));
        }
        let mut parts = parts.into_iter().rev();
        let last = parts.next()?;
        let term = parts.fold(last, |rest, part| Term::new(TermKind::Parallel(part, rest), place));
        Some(self.term_call(model, &known, &term, (Vec::new(), terms), place))
    }

    /// A term for all values of a variable between these bounds, side by side.
    pub(super) fn family_term(
        &mut self,
        binding: &'t Binding,
        (low, high): (s::Expression, s::Expression),
        body: &'t Expression,
        place: Span,
    ) -> s::Expression {
        self.lowering.need(Theory::Process);
        let model = self.model_of_term(body).or_else(|| self.resolution.items.models.keys().min().copied());
        let Some((model, known)) = model.and_then(|id| Some((id, self.lowering.algebraic_model(id)?))) else {
            return self.unsupported(place, "a term without a model");
        };
        let resolution = self.resolution;
        let mut found = Found::new(self, &known);
        let (low, high) = (found.number(low, place), found.number(high, place));
        let variable = found.variable(binding.id);
        let body = read_term(resolution, &known.members, body, &mut found);
        let Found { data, terms, .. } = found;
        match body {
            Ok(body) => {
                let (name, ty) = (binding.name.text.clone(), process::Type::Integer);
                let binder = process::Binder { range: Some((low, high)), variable, name, ty };
                let term = Term::new(TermKind::Family(binder, body), place);
                self.term_call(model, &known, &term, (data, terms), place)
            }
            Err(part) => self.unsupported(part.span, "this in a term"),
        }
    }

    /// A process that is no term: a variable, say.
    pub(super) fn plain_process(&mut self, expression: &'t Expression) -> s::Expression {
        self.unconverted(expression, &Type::Process)
    }

    /// The function of a term, applied to what is in it.
    pub(super) fn term_call(
        &mut self,
        model: NodeId,
        known: &Rc<AlgebraicModel<'t>>,
        term: &Term,
        (data, terms): Inside,
        place: Span,
    ) -> s::Expression {
        match term.kind() {
            TermKind::Foreign(number) => {
                return match terms.into_iter().nth(*number as usize) {
                    Some((_, value)) => value,
                    None => self.unsupported(place, "this term"),
                };
            }
            TermKind::Empty => return self.at(place).call("process_empty", Vec::new()),
            _ => {}
        }
        let inside = (data, terms);
        self.note_term(model, term, &inside);
        let (data, terms) = inside;
        let types: Vec<s::Type> = data.iter().map(|(_, _, ty)| self.ty(ty, place)).collect();
        let printed = types.iter().map(silver::syntax::print_type).collect::<Vec<String>>();
        let shape = (model, term.clone(), printed, terms.len());
        let name = match self.lowering.terms.names.get(&shape) {
            Some(name) => name.clone(),
            None => {
                let name = self.lowering.globals.fresh("term");
                self.lowering.terms.names.insert(shape, name.clone());
                self.lowering.lower_term(&name, known, term, (&types, terms.len()), place);
                name
            }
        };
        let arguments = data.into_iter().map(|it| it.1).chain(terms.into_iter().map(|it| it.1)).collect();
        self.at(place).call(&name, arguments)
    }
}
