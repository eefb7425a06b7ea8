//! Calls: of functions and predicates as expressions, of methods and constructors as statements.

use std::rc::Rc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::heap::permissions::{Amount, Location};
use crate::lower::instances::{Instance, Part};
use crate::lower::origin::Role;
use crate::lower::scope::{Mode, Scope};
use crate::lower::values::types::{Substitution, substitute};
use crate::resolve::{CallTarget, Creation, Receiver, RoutineCall, Type};
use crate::syntax::tree::{
    Call, Contract, Expression, ExpressionKind, GivenArgument, NodeId, PredicateKind, Routine, YieldsResult,
};

/// What a call statement calls.
struct Called<'c, 't> {
    /// In Silver.
    name: &'c str,
    result: &'c Type,
    contract: Option<&'t Contract>,
    /// The types that stand for its type parameters.
    types: Rc<Substitution>,
}

impl<'t> Scope<'_, 't> {
    pub(crate) fn call(&mut self, call: &'t Call, expression: &'t Expression) -> s::Expression {
        let place = expression.span;
        match self.resolution.calls.get(&expression.id) {
            Some(CallTarget::Routine(target)) => self.routine_call(call, target, expression),
            Some(CallTarget::Member(member)) => match &call.receiver {
                Some(receiver) => self.member(*member, receiver, &call.arguments, expression),
                None => self.unsupported(place, "this call"),
            },
            Some(CallTarget::MemberFunction(member)) => match call.arguments.split_first() {
                Some((receiver, arguments)) => self.member(*member, receiver, arguments, expression),
                None => self.unsupported(place, "this call"),
            },
            Some(CallTarget::AdtFunction { .. } | CallTarget::ProverFunction(_)) => {
                let arguments: Vec<&Expression> = call.arguments.iter().collect();
                self.adt_call(&arguments, expression)
            }
            Some(CallTarget::Process(_)) => self.process_term(expression),
            Some(CallTarget::ModelOperation(operation)) => self.model_operation(*operation, call, expression),
            None => self.unsupported(place, "this call"),
        }
    }

    pub(crate) fn is_resource_predicate(&self, routine: NodeId) -> bool {
        matches!(
            self.resolution.items.routines.get(&routine),
            Some(Routine::Predicate(predicate)) if predicate.kind == PredicateKind::Resource
        )
    }

    /// Whether the routine's body stands for its calls.
    pub(crate) fn is_inline(&self, routine: NodeId) -> bool {
        let routine = self.resolution.items.routines.get(&routine);
        routine.and_then(|routine| routine.modifiers()).is_some_and(|modifiers| modifiers.inline.is_some())
    }

    /// Whether a location is a call of an inline predicate.
    pub(crate) fn is_inline_location(&self, location: &Expression) -> bool {
        match (&*location.kind, self.resolution.calls.get(&location.id)) {
            (ExpressionKind::Call(_), Some(CallTarget::Routine(target))) => self.is_inline(target.routine),
            _ => false,
        }
    }

    /// The instance that a call is a call of.
    pub(crate) fn called_instance(&self, target: &RoutineCall) -> Instance {
        let types = target.class_arguments.iter().chain(&target.type_arguments);
        let arguments: Vec<Type> = types.map(|ty| self.substituted(ty)).collect();
        Instance::new(Part::Routine, target.routine, arguments)
    }

    fn routine_call(
        &mut self,
        call: &'t Call,
        target: &'t RoutineCall,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let Some(routine) = self.resolution.items.routines.get(&target.routine).copied() else {
            return self.unsupported(place, "this call");
        };
        if self.is_inline(target.routine) && !matches!(routine, Routine::Method(_) | Routine::Lemma(_)) {
            return self.inlined_call(call, target, expression);
        }
        if self.is_resource_predicate(target.routine) {
            let Some(predicate) = self.predicate_call(call, target, expression) else {
                return self.unsupported(place, "this predicate");
            };
            let write = self.at(place).write();
            let amount = Amount::Exact(self.scaled(write, place));
            return self.held(Location::One(predicate), amount, place);
        }
        if self.is_impure(target.routine) {
            return self.method_call(call, target, routine, None, expression);
        }
        let instance = self.called_instance(target);
        let mut arguments = self.call_arguments(call, target, expression);
        self.pass_thread(&mut arguments, &instance, place);
        let name = self.lowering.instance(instance);
        let value = self.at(place).call(&name, arguments);
        if !self.is_revealed(target.routine, call) {
            return value;
        }
        let mut build = self.at(place);
        let span = build.node(Role::Plain);
        let annotation = s::Annotation { key: "reveal".into(), values: Vec::new(), span };
        build.expression(s::ExpressionKind::Annotated(annotation, value))
    }

    /// Whether proofs are told here what an opaque function is; one that is hidden elsewhere is, unless it is here.
    fn is_revealed(&self, routine: NodeId, call: &Call) -> bool {
        if self.spec.triggers.is_one || !self.lowering.is_opaque(routine) {
            return false;
        }
        let said = self.path.revealed.iter().rev().find(|(function, _)| *function == routine);
        let is_declared = self.lowering.is_declared_opaque(routine);
        call.revealed.is_some() || said.map_or(!is_declared, |(_, is_revealed)| *is_revealed)
    }

    /// The predicate as a location; `None` if its body stands for it.
    pub(crate) fn predicate_call(
        &mut self,
        call: &'t Call,
        target: &'t RoutineCall,
        expression: &'t Expression,
    ) -> Option<s::Expression> {
        if self.is_inline(target.routine) {
            return None;
        }
        let instance = self.called_instance(target);
        let mut arguments = self.call_arguments(call, target, expression);
        self.pass_thread(&mut arguments, &instance, expression.span);
        let name = self.lowering.instance(instance);
        Some(self.at(expression.span).call(&name, arguments))
    }

    /// Receiver, arguments and ghost arguments, evaluated in this order.
    pub(crate) fn call_arguments(
        &mut self,
        call: &'t Call,
        target: &'t RoutineCall,
        expression: &'t Expression,
    ) -> Vec<s::Expression> {
        let contract = self.resolution.items.routines.get(&target.routine).and_then(|it| it.contract());
        let mut all: Vec<&'t Expression> = Vec::new();
        if target.receiver == Receiver::Explicit {
            all.extend(call.receiver.as_ref());
        }
        all.extend(&call.arguments);
        let ghosts = self.given_values(contract, &call.given, expression);
        all.extend(ghosts);
        let mut values = self.operands(&all);
        if target.receiver == Receiver::ImplicitThis {
            let this = self.this(expression.span);
            values.insert(0, this);
        }
        values
    }

    /// The values of `given`, in the order of the declaration.
    fn given_values(
        &mut self,
        contract: Option<&'t Contract>,
        written: &'t [GivenArgument],
        expression: &'t Expression,
    ) -> Vec<&'t Expression> {
        let names = self.resolution.ghost_arguments.get(&expression.id);
        let mut values = Vec::new();
        for parameter in contract.into_iter().flat_map(Contract::given) {
            let position = names.and_then(|names| names.given.iter().position(|id| *id == parameter.id));
            match position.and_then(|position| written.get(position)) {
                Some(argument) => values.push(&argument.value),
                None => {
                    let message = format!("the ghost argument `{}` is missing", parameter.name.text);
                    let help = format!("add `given {{ {} = … }}` behind the call", parameter.name.text);
                    self.error("missingGiven", expression.span, message, &help);
                }
            }
        }
        values
    }

    /// Calls a method or lemma by a statement; the value is its result.
    pub(crate) fn method_call(
        &mut self,
        call: &'t Call,
        target: &'t RoutineCall,
        routine: Routine<'t>,
        into: Option<s::Expression>,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        if self.spec.mode == Mode::Specification {
            let message = format!("`{}` changes the state and cannot be called here", call.name.text);
            self.error("impureCall", place, message, "only pure functions can stand in specifications");
            return self.at(place).bool(true);
        }
        let instance = self.called_instance(target);
        let mut arguments = self.call_arguments(call, target, expression);
        let types = self.substitution_of(target.routine, &instance.arguments);
        let contract = routine.contract();
        let shared = contract.filter(|contract| {
            let (before, after) = (contract.preconditions(), contract.postconditions());
            self.have_parts(&before.chain(after).collect::<Vec<_>>())
        });
        let has_this = target.receiver != Receiver::None;
        let shared = shared.map(|contract| {
            let named = (routine.parameters(), contract);
            let actual = self.actual(named, &mut arguments, has_this, types.clone(), place);
            let clauses: Vec<&'t Expression> = contract.preconditions().collect();
            self.take_parts(&clauses, &actual, Role::Base("preFailed"), place);
            (contract, actual)
        });
        self.pass_thread(&mut arguments, &instance, place);
        let name = self.lowering.instance(instance);
        let result = self.substituted(&target.result);
        let called = Called { name: &name, result: &result, contract, types };
        let value = self.call_statement(&called, arguments, &call.yields, into, expression);
        if let Some((contract, actual)) = shared {
            let clauses: Vec<&'t Expression> = contract.postconditions().collect();
            self.give_parts(&clauses, &actual, place);
        }
        value
    }

    /// `targets := name(arguments)`
    fn call_statement(
        &mut self,
        called: &Called<'_, 't>,
        arguments: Vec<s::Expression>,
        yields: &'t [YieldsResult],
        into: Option<s::Expression>,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let mut targets = Vec::new();
        let mut value = None;
        if *called.result != Type::Void {
            let target = match into {
                Some(target) => target,
                None => {
                    let ty = self.ty(called.result, place);
                    let name = self.local("result_value", ty, None, place);
                    self.at(place).variable(&name)
                }
            };
            value = Some(target.clone());
            targets.push(target);
        }
        let names = self.resolution.ghost_arguments.get(&expression.id);
        let mut later = Vec::new();
        for parameter in called.contract.into_iter().flat_map(Contract::yields) {
            let own = self.resolution.variables.get(&parameter.id).cloned().unwrap_or(Type::Unknown);
            let own = self.substituted(&substitute(&own, &called.types));
            let ty = self.ty(&own, place);
            let name = self.local(&parameter.name.text, ty, None, place);
            let temporary = self.at(place).variable(&name);
            for (id, result) in names.iter().flat_map(|names| &names.yields).zip(yields) {
                if *id == parameter.id {
                    later.push((&result.target, temporary.clone(), own.clone()));
                }
            }
            targets.push(temporary);
        }
        let call = self.at(place).call(called.name, arguments);
        self.emit_kind(place, s::StatementKind::Assign { targets, value: call });
        for (target, value, own) in later {
            let value = self.convert(value, &own, &self.type_of(target), target);
            self.assign_to(target, value, place);
        }
        value.unwrap_or_else(|| self.at(place).bool(true))
    }

    /// `new C(…)`
    pub(crate) fn create(
        &mut self,
        arguments: &'t [Expression],
        given: &'t [GivenArgument],
        yields: &'t [YieldsResult],
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        if self.spec.mode == Mode::Specification {
            let message = "`new` changes the state and cannot stand here";
            self.error("impureCall", place, message, "create the object in a statement");
            return self.at(place).null();
        }
        let Some(creation) = self.resolution.creations.get(&expression.id) else {
            return self.unsupported(place, "this object");
        };
        if self.resolution.items.models.contains_key(&creation.class) {
            return self.create_model(creation.class, place);
        }
        let constructor =
            creation.constructor.and_then(|id| self.resolution.items.constructors.get(&id).copied());
        let contract = constructor.map(|constructor| &constructor.contract);
        let mut all: Vec<&'t Expression> = arguments.iter().collect();
        all.extend(self.given_values(contract, given, expression));
        let mut values = self.operands(&all);
        let created = self.created_instance(creation);
        self.pass_thread(&mut values, &created, place);
        let name = self.lowering.instance(created.clone());
        let ty = self.type_of(expression);
        let types = self.substitution_of(created.id, &created.arguments);
        let called = Called { name: &name, result: &ty, contract, types };
        self.call_statement(&called, values, yields, None, expression)
    }

    fn created_instance(&self, creation: &Creation) -> Instance {
        let types = creation.class_arguments.iter().chain(&creation.type_arguments);
        let arguments: Vec<Type> = types.map(|ty| self.substituted(ty)).collect();
        match creation.constructor {
            Some(constructor) => Instance::new(Part::Constructor, constructor, arguments),
            None => Instance::new(Part::DefaultConstructor, creation.class, arguments),
        }
    }

    /// A call of an operator that a class declares.
    pub(crate) fn declared_operator(
        &mut self,
        routine: NodeId,
        on_right: bool,
        left: &'t Expression,
        right: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let mut values = self.operands(&[left, right]);
        if on_right {
            values.swap(0, 1);
        }
        let object = if on_right { right } else { left };
        let arguments = self.class_arguments_of(object);
        let instance = Instance::new(Part::Routine, routine, arguments);
        self.pass_thread(&mut values, &instance, place);
        let name = self.lowering.instance(instance);
        if !self.is_impure(routine) {
            return self.at(place).call(&name, values);
        }
        let ty = self.type_of(expression);
        let contract = self.resolution.items.routines.get(&routine).and_then(|it| it.contract());
        let called = Called { name: &name, result: &ty, contract, types: Rc::default() };
        self.call_statement(&called, values, &[], None, expression)
    }

    /// `receiver?.p(…)`: nothing if the receiver is null.
    pub(crate) fn coalescing_call(
        &mut self,
        receiver: &'t Expression,
        arguments: &'t [Expression],
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let Some(CallTarget::Routine(target)) = self.resolution.calls.get(&expression.id) else {
            return self.unsupported(place, "this call");
        };
        let mut all = vec![receiver];
        all.extend(arguments);
        let mut values = self.operands(&all);
        let null = self.at(place).null();
        let exists = self.at(place).different(values[0].clone(), null);
        let call = if self.is_inline(target.routine) {
            self.inlined_values(target, values, expression)
        } else {
            let instance = self.called_instance(target);
            self.pass_thread(&mut values, &instance, place);
            let name = self.lowering.instance(instance);
            let predicate = self.at(place).call(&name, values);
            if self.is_resource_predicate(target.routine) {
                let write = self.at(place).write();
                let amount = Amount::Exact(self.scaled(write, place));
                self.held(Location::One(predicate), amount, place)
            } else {
                predicate
            }
        };
        self.at(place).implies(exists, call)
    }

    /// The type arguments of the class of an object.
    pub(crate) fn class_arguments_of(&self, object: &Expression) -> Vec<Type> {
        match self.type_of(object) {
            Type::Class(_, arguments) => arguments.to_vec(),
            _ => Vec::new(),
        }
    }

    /// The type arguments of the class around, which a field or member belongs to.
    pub(crate) fn own_class_arguments(&self, member: NodeId) -> Vec<Type> {
        let class = self.resolution.items.owners.get(&member).copied();
        let arguments = self.lowering.class_type_arguments(class);
        arguments.iter().map(|ty| self.substituted(ty)).collect()
    }

    /// A failure at the call itself.
    pub(crate) fn null_check(&mut self, object: s::Expression, code: &'static str, place: Span) {
        let mut build = self.at(place);
        let null = build.null();
        let exists = build.different(object, null);
        let statement = build.statement_as(Role::Code(code), s::StatementKind::Assert(exists));
        self.emit(statement);
    }
}
