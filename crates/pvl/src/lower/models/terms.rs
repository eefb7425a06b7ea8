//! Terms of processes as values of Silver.
//!
//! A declared process is a function with its definition as a body. A term of the program is a function of the data and the
//! processes in it, without a body: its postconditions are the equations that the algebra knows of it ([`laws`]), so that
//! they are known wherever the term is written. Equal terms with other data share their function.

use std::rc::Rc;
use std::sync::Arc;

use process::{FunctionId, Term, TermKind, VariableId};
use rustc_hash::FxHashMap;
use silver::syntax::tree as s;
use source::Span;

use super::algebra::{AlgebraicModel, Leaves, Opaque, OpaqueTypes, known_type, read_term, structured};
use super::laws::{Law, Says, canonical, laws};
use super::rendering::{Rendered, Rendering};
use super::spelled::{offers, pieces};
use crate::lower::Lowering;
use crate::lower::instances::{Instance, Part};
use crate::lower::prelude::Theory;
use crate::lower::scope::Scope;
use crate::lower::sums::footprints::terms::mentions;
use crate::resolve::{CallTarget, Type};
use crate::syntax::tree::{Binding, Expression, ExpressionKind, NodeId, Routine};

/// A term whose function has been declared: what is in it, and the types of the data.
type Shape = (NodeId, Term, Vec<String>);

/// Functions for terms, and what is in them that the algebra does not look into.
#[derive(Default, Debug)]
pub(crate) struct TermFunctions<'t> {
    names: FxHashMap<Shape, Arc<str>>,
    pub(super) types: OpaqueTypes,
    /// Functions that only name declared processes.
    process_names: FxHashMap<NodeId, Arc<str>>,
    /// Expressions of the program under a binder, by their nodes.
    opaque: Vec<(NodeId, Opaque<'t>)>,
}

/// The constructor of the process that does nothing.
const EMPTY: &str = "process_empty";

/// Functions with numbers from here on are expressions of the program; those below are of the model.
const OF_PROGRAM: u32 = 1 << 24;

impl<'t> TermFunctions<'t> {
    /// The expression that a function stands for, if it is one of the program.
    pub(super) fn opaque(&self, function: FunctionId) -> Option<&Opaque<'t>> {
        let at = function.0.checked_sub(OF_PROGRAM)?;
        self.opaque.get(at as usize).map(|(_, opaque)| opaque)
    }

    fn add_opaque(&mut self, opaque: Opaque<'t>) -> FunctionId {
        let id = opaque.expression.id;
        let known = self.opaque.iter().position(|(other, _)| *other == id);
        let at = known.unwrap_or_else(|| {
            self.opaque.push((id, opaque));
            self.opaque.len() - 1
        });
        FunctionId(OF_PROGRAM + at as u32)
    }
}

/// The data and processes at the leaves of a term of the program.
struct Found<'f, 'l, 't> {
    scope: &'f mut Scope<'l, 't>,
    data: Vec<(String, s::Expression, Type)>,
    terms: Vec<(String, s::Expression)>,
    /// Variables of binders around.
    bound: FxHashMap<NodeId, VariableId>,
    /// The next of them.
    next: u32,
}

impl<'f, 'l, 't> Found<'f, 'l, 't> {
    fn new(scope: &'f mut Scope<'l, 't>, model: &AlgebraicModel<'t>) -> Found<'f, 'l, 't> {
        let next = model.model.next_variable;
        Found { scope, data: Vec::new(), terms: Vec::new(), bound: FxHashMap::default(), next }
    }

    /// A value from outside, which the algebra does not look into.
    fn hole(&mut self, value: s::Expression, ty: &Type, place: Span) -> process::Expression {
        let text = silver::syntax::print_expression(&value);
        let known = self.data.iter().position(|known| known.0 == text && known.2 == *ty);
        let at = known.unwrap_or_else(|| {
            self.data.push((text, value, ty.clone()));
            self.data.len() - 1
        });
        let leaf = process::ExpressionKind::Foreign(at as u32);
        process::Expression::new(leaf, known_type(&mut self.scope.lowering.terms.types, ty), place)
    }

    /// An integer, which the algebra knows if it is written down.
    fn number(&mut self, value: s::Expression, place: Span) -> process::Expression {
        if let s::ExpressionKind::Int(digits) = &*value.kind
            && let Ok(known) = digits.parse()
        {
            let literal = process::ExpressionKind::Literal(process::Value::Integer(known));
            return process::Expression::new(literal, process::Type::Integer, place);
        }
        self.hole(value, &Type::Int, place)
    }

    /// An expression under a binder whose variable it mentions.
    fn under_binder(&mut self, expression: &'t Expression, ty: &Type) -> process::Expression {
        let resolution = self.scope.resolution;
        let bound = self.bound.clone();
        let own = self.scope.type_of(expression);
        let known = if own == *ty { structured(resolution, &bound, expression, ty, self) } else { None };
        let kind = known.unwrap_or_else(|| self.opaque_call(expression, &bound));
        process::Expression::new(kind, known_type(&mut self.scope.lowering.terms.types, ty), expression.span)
    }

    /// A function of all variables in an expression.
    fn opaque_call(
        &mut self,
        expression: &'t Expression,
        bound: &FxHashMap<NodeId, VariableId>,
    ) -> process::ExpressionKind {
        let place = expression.span;
        if self.scope.depends_on_more_than_variables(expression) {
            self.scope
                .unsupported(place, "data from the heap under `\\sum`, `\\par` or `\\forall*` in a term");
        }
        let mut parameters = Vec::new();
        self.scope.mentioned_variables(expression, &mut parameters);
        parameters.retain(|id| bound.contains_key(id) || self.scope.bindings.variables.contains_key(id));
        let mut arguments = Vec::new();
        for id in &parameters {
            let ty = self.scope.variable_type(*id);
            let argument = match bound.get(id) {
                Some(variable) => {
                    let known = known_type(&mut self.scope.lowering.terms.types, &ty);
                    process::Expression::new(process::ExpressionKind::Variable(*variable), known, place)
                }
                None => {
                    let value = self.scope.variable(*id, place);
                    self.hole(value, &ty, place)
                }
            };
            arguments.push(argument);
        }
        let function = self.scope.lowering.terms.add_opaque(Opaque { expression, parameters });
        process::ExpressionKind::Call(function, arguments)
    }
}

/// What is in a term: data and other terms, each with its name.
type Inside = (Vec<(String, s::Expression, Type)>, Vec<(String, s::Expression)>);

impl<'t> Leaves<'t> for Found<'_, '_, 't> {
    fn data(&mut self, expression: &'t Expression) -> process::Expression {
        let ty = self.scope.converted_type(expression);
        let bound: Vec<NodeId> = self.bound.keys().copied().collect();
        if self.scope.mentions(expression, &bound) {
            return self.under_binder(expression, &ty);
        }
        let value = self.scope.expression(expression);
        match (&ty, &*value.kind) {
            (Type::Int, _) => self.number(value, expression.span),
            (Type::Boolean, s::ExpressionKind::Bool(known)) => {
                let literal = process::ExpressionKind::Literal(process::Value::Boolean(*known));
                process::Expression::new(literal, process::Type::Boolean, expression.span)
            }
            _ => self.hole(value, &ty, expression.span),
        }
    }

    fn bind(&mut self, binding: &'t Binding) -> VariableId {
        let variable = VariableId(self.next);
        self.next += 1;
        self.bound.insert(binding.id, variable);
        variable
    }

    fn data_type(&mut self, ty: &Type) -> process::Type {
        known_type(&mut self.scope.lowering.terms.types, ty)
    }

    fn term(&mut self, expression: &'t Expression) -> Option<u32> {
        let bound: Vec<NodeId> = self.bound.keys().copied().collect();
        if self.scope.mentions(expression, &bound) {
            return None;
        }
        let value = self.scope.plain_process(expression);
        let text = silver::syntax::print_expression(&value);
        let known = self.terms.iter().position(|known| known.0 == text);
        let at = known.unwrap_or_else(|| {
            self.terms.push((text, value));
            self.terms.len() - 1
        });
        Some(at as u32)
    }
}

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
        let mut formals = Vec::new();
        for (at, parameter) in declared.parameters.iter().enumerate() {
            let ty = self.resolution.variables.get(&parameter.id).cloned().unwrap_or(Type::Unknown);
            let ty = self.ty(&ty, place);
            formals.push(self.at(place).binding(&format!("argument{at}").into(), ty));
        }
        let result = self.ty(&Type::Process, place);
        let function = s::Function {
            name: self.at(place).name(&name),
            formals,
            result,
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            body: None,
        };
        self.add_member(place, s::MemberKind::Function(function));
        name
    }

    /// Adds the constructor of an action's terms.
    pub(crate) fn lower_action(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some((declared, _)) = self.process_declaration(instance.id) else { return };
        self.need(Theory::Process);
        let place = declared.name.span;
        let mut formals = Vec::new();
        for (at, parameter) in declared.parameters.iter().enumerate() {
            let ty = self.resolution.variables.get(&parameter.id).cloned().unwrap_or(Type::Unknown);
            let ty = self.ty(&ty, place);
            formals.push(self.at(place).binding(&format!("argument{at}").into(), ty));
        }
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
        let number = model.processes.iter().position(|known| *known == instance.id);
        let Some(known) = number.and_then(|at| model.model.processes.get(at)) else { return };
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
        let result = scope.ty(&Type::Process, place);
        let silver_name = scope.at(place).name(name);
        let function = s::Function {
            name: silver_name,
            formals,
            result,
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            body,
        };
        self.add_member(place, s::MemberKind::Function(function));
    }
}

impl<'t> Scope<'_, 't> {
    /// A function for what a process is where its definition has no value.
    fn undefined_process(&mut self, name: &str, formals: &[s::Binding], place: Span) -> Arc<str> {
        let other = self.lowering.globals.fresh(&format!("{name}_undefined"));
        let result = self.ty(&Type::Process, place);
        let mut build = self.at(place);
        let function = s::Function {
            name: build.name(&other),
            formals: formals.to_vec(),
            result,
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            body: None,
        };
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
        let term = read_term(resolution, &known, expression, &mut found);
        let Found { data, terms, .. } = found;
        match term {
            Ok(term) => self.term_call(model, &known, &term, (data, terms), place),
            Err(part) => self.unsupported(part.span, "this in a term"),
        }
    }

    /// Whether an expression depends on the heap, on an object or on a thread.
    fn depends_on_more_than_variables(&self, expression: &'t Expression) -> bool {
        let reads = |call: &CallTarget| match call {
            CallTarget::Routine(target) => {
                let routine = self.resolution.items.routines.get(&target.routine).copied();
                let Some(Routine::Function(function)) = routine else { return true };
                let mut clauses = function.contract.preconditions();
                clauses.any(|clause| matches!(self.type_of(clause), Type::Resource | Type::ResourceValue))
            }
            CallTarget::Member(_) | CallTarget::AdtFunction { .. } | CallTarget::ProverFunction(_) => false,
            CallTarget::MemberFunction(_) => false,
            _ => true,
        };
        let here = match (&*expression.kind, self.resolution.calls.get(&expression.id)) {
            (ExpressionKind::Call(_), Some(target)) => reads(target),
            (ExpressionKind::Call(_), None) | (ExpressionKind::Result | ExpressionKind::CurrentThread, _) => {
                true
            }
            _ => false,
        };
        let mut found = here || self.uses_object(expression) || self.reads_directly(expression);
        expression
            .kind
            .for_each_child(&mut |child| found = found || self.depends_on_more_than_variables(child));
        found
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
            read_term(resolution, &known, first, &mut found),
            read_term(resolution, &known, second, &mut found),
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
                    let term = read_term(resolution, &known, expression, &mut found);
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
        let variable = found.bind(binding);
        let body = read_term(resolution, &known, body, &mut found);
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
    fn plain_process(&mut self, expression: &'t Expression) -> s::Expression {
        self.unconverted(expression, &Type::Process)
    }

    /// The function of a term, applied to what is in it.
    fn term_call(
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
        let types: Vec<s::Type> = data.iter().map(|(_, _, ty)| self.ty(ty, place)).collect();
        let shape =
            (model, term.clone(), types.iter().map(silver::syntax::print_type).collect::<Vec<String>>());
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

    /// The model whose actions and processes a term names; `None` if it names none.
    fn model_of_term(&self, expression: &Expression) -> Option<NodeId> {
        let mut found = None;
        self.for_each_process(expression, &mut |id, _| {
            found = found.or_else(|| self.resolution.items.owners.get(&id).copied());
        });
        found
    }

    fn for_each_process(&self, expression: &Expression, visit: &mut dyn FnMut(NodeId, Span)) {
        if let Some(CallTarget::Process(id)) = self.resolution.calls.get(&expression.id) {
            visit(*id, expression.span);
        }
        expression.kind.for_each_child(&mut |child| self.for_each_process(child, visit));
    }

    /// Says of actions and processes of another model that they do not belong here.
    pub(super) fn check_terms_of(&mut self, object: &Expression, term: &Expression) {
        let Some(model) = self.model_of(object) else { return };
        let mut strange = Vec::new();
        self.for_each_process(term, &mut |id, span| {
            if self.resolution.items.owners.get(&id) != Some(&model) {
                strange.push(span);
            }
        });
        for span in strange {
            let message = "this belongs to another model";
            self.error(
                "modelMismatch",
                span,
                message,
                "a term is made of the actions and processes of its model",
            );
        }
    }
}

impl<'t> Lowering<'t> {
    /// Adds the function of a term, with what the algebra knows of it.
    fn lower_term(
        &mut self,
        name: &Arc<str>,
        model: &Rc<AlgebraicModel<'t>>,
        term: &Term,
        (types, processes): (&[s::Type], usize),
        place: Span,
    ) {
        let mut scope = Scope::new(self, Rc::default());
        scope.member.is_definition = true;
        let mut rendering = Rendering::new(model.clone());
        let mut formals = Vec::new();
        for (at, ty) in types.iter().enumerate() {
            let formal = scope.member.names.fresh(&format!("data{at}"));
            formals.push(scope.at(place).binding(&formal, ty.clone()));
            rendering.data.insert(at as u32, scope.at(place).variable(&formal));
        }
        for at in 0..processes {
            let ty = scope.ty(&Type::Process, place);
            let formal = scope.member.names.fresh(&format!("process{at}"));
            formals.push(scope.at(place).binding(&formal, ty));
            rendering.terms.insert(at as u32, scope.at(place).variable(&formal));
        }
        let mut postconditions = Vec::new();
        let mut known = Vec::new();
        let laws = laws(&model.model, term);
        let offers = offers(&model.model, &laws, types.len());
        for law in laws {
            let Some(clause) = scope.law(&rendering, &law, place) else { continue };
            let text = silver::syntax::print_expression(&clause);
            if !known.contains(&text) {
                known.push(text);
                postconditions.push(scope.at(place).specification(clause));
            }
        }
        let result = scope.ty(&Type::Process, place);
        let silver_name = scope.at(place).name(name);
        let function = s::Function {
            name: silver_name,
            formals,
            result,
            preconditions: Vec::new(),
            postconditions,
            body: None,
        };
        self.spelling.add_process(name, pieces(&model.model, term, types.len()), offers);
        self.add_member(place, s::MemberKind::Function(function));
    }
}

impl<'t> Scope<'_, 't> {
    /// An equation about the result of a function; `None` if it cannot be written.
    fn law(&mut self, rendering: &Rendering<'t>, law: &Law, place: Span) -> Option<s::Expression> {
        let mut rendering = rendering.clone();
        rendering.names = Rc::default();
        // What is said for all values is also said for those that only the solver names, and is not unfolded for them.
        rendering.names_only = !law.guard.binders.is_empty();
        let mut bindings = Vec::new();
        for bound in &law.guard.binders {
            let ty = self.rendered_type(&bound.ty, place)?;
            let name = self.member.names.fresh(&bound.name);
            bindings.push(self.at(place).binding(&name, ty));
            rendering.variables.insert(bound.variable, self.at(place).variable(&name));
        }
        let condition = self.rendered_data(&rendering, &law.guard.condition, place)?;
        let mut conditions = vec![condition.defined, condition.value];
        for excluded in &law.excluded {
            let Rendered { value, defined } = self.rendered_data(&rendering, excluded, place)?;
            conditions.push(defined);
            conditions.push(self.at(place).not(value));
        }
        for foreign in &law.guard.foreign_ends {
            let process = rendering.terms.get(foreign)?.clone();
            conditions.push(self.may_end(process, place));
        }
        let result = match &law.subject {
            None => self.at(place).expression(s::ExpressionKind::Result),
            Some(subject) => {
                let Rendered { value, defined } = self.rendered_term(&rendering, subject, place)?;
                conditions.push(defined);
                value
            }
        };
        let mut trigger = None;
        let equation = match &law.says {
            Says::Is(term) => {
                let Rendered { value, defined } = self.rendered_term(&rendering, term, place)?;
                conditions.push(defined);
                self.at(place).equal(result, value)
            }
            Says::Begins(action, arguments, rest) => {
                let action = Term::new(TermKind::Action(*action, arguments.clone()), place);
                let action = self.rendered_term(&rendering, &action, place)?;
                let rest = self.rendered_term(&rendering, rest, place)?;
                conditions.extend([action.defined, rest.defined]);
                let mut build = self.at(place);
                let step = build.call("process_sequence", vec![action.value.clone(), rest.value.clone()]);
                // Who asks for a step names its action. What is not named there is in what is left, of which there is no end.
                trigger = trigger_in(&action.value, &bindings);
                let both = build.call("process_choice", vec![step.clone(), result.clone()]);
                let begins = build.equal(both, result);
                // Where nothing is left, the action is all.
                let empty = build.call("process_empty", Vec::new());
                let nothing = build.equal(rest.value, empty);
                let alone = build.equal(step, action.value);
                let unit = build.implies(nothing, alone);
                build.and(begins, unit)
            }
            Says::Offers(alternative) => {
                let Rendered { value, defined } = self.rendered_term(&rendering, alternative, place)?;
                conditions.push(defined);
                trigger = trigger_in(&value, &bindings);
                let mut build = self.at(place);
                let both = build.call("process_choice", vec![value, result.clone()]);
                build.equal(both, result)
            }
            Says::Ends => self.may_end(result, place),
        };
        // What is named under a binder is what is written here.
        let mut said = vec![equation];
        said.append(&mut rendering.names.borrow_mut());
        let mut build = self.at(place);
        let condition = build.all(conditions);
        let equation = build.all(said);
        let body = build.implies(condition, equation);
        if bindings.is_empty() {
            return Some(body);
        }
        // What nobody could ever ask for is not said.
        let trigger = build.trigger(vec![trigger?]);
        Some(build.forall(bindings, vec![trigger], body))
    }

    /// ε is one of the alternatives.
    fn may_end(&mut self, process: s::Expression, place: Span) -> s::Expression {
        let mut build = self.at(place);
        let empty = build.call("process_empty", Vec::new());
        let both = build.call("process_choice", vec![empty, process.clone()]);
        build.equal(both, process)
    }
}

/// The smallest application in a term that mentions all bound variables and has no operators in it.
fn trigger_in(term: &s::Expression, bindings: &[s::Binding]) -> Option<s::Expression> {
    let s::ExpressionKind::Call(_, arguments, _) = &*term.kind else { return None };
    let inner = arguments.iter().find_map(|argument| trigger_in(argument, bindings));
    let names_all = || {
        let is_named = |binding: &s::Binding| mentions(term, std::slice::from_ref(&binding.name.text));
        bindings.iter().all(is_named)
    };
    inner.or_else(|| (is_plain(term) && names_all()).then(|| term.clone()))
}

fn is_plain(term: &s::Expression) -> bool {
    match &*term.kind {
        s::ExpressionKind::Call(_, arguments, _) => arguments.iter().all(is_plain),
        s::ExpressionKind::Name(_) | s::ExpressionKind::Int(_) | s::ExpressionKind::Bool(_) => true,
        _ => false,
    }
}
