//! Calls: which declaration is meant, with which type arguments, and whether it can be called here.
//!
//! Candidates are tried from the inside out, members of the class first, in the order of the text; the first whose
//! parameters fit is taken. A single candidate is taken in any case, so that errors are about its arguments.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use source::Diagnostic;

use super::builtins::{member_of, old_function};
use super::checker::{Checker, ThreadPlace};
use super::{CallTarget, NameTarget, Receiver, RoutineCall, Type};
use crate::codes;
use crate::syntax::tree::{
    self, Call, Expression, ExpressionKind, Name, NodeId, Operator, PredicateKind, Routine,
};

/// What a call needs to know about something that can be called.
pub(super) struct Signature {
    pub(super) parameters: Vec<Type>,
    pub(super) result: Type,
    pub(super) type_parameters: Vec<NodeId>,
}

impl<'tree> Checker<'tree> {
    pub(super) fn signature(&self, routine: NodeId) -> Signature {
        let Some(declared) = self.resolution.items.routines.get(&routine).copied() else {
            return Signature { parameters: Vec::new(), result: Type::Unknown, type_parameters: Vec::new() };
        };
        let written = |ty: &tree::Type| self.resolution.types.get(&ty.id).cloned().unwrap_or(Type::Unknown);
        let result = match declared {
            Routine::Method(method) => written(&method.result),
            Routine::Function(function) => written(&function.result),
            Routine::Predicate(predicate) if predicate.kind == PredicateKind::Fact => Type::Boolean,
            Routine::Predicate(_) => Type::Resource,
            Routine::Lemma(_) => Type::Void,
        };
        Signature {
            parameters: declared.parameters().iter().map(|it| self.type_of_variable(it.id)).collect(),
            result,
            type_parameters: declared.type_parameters().iter().map(|it| it.id).collect(),
        }
    }

    /// Type arguments of the class that a value of this type belongs to, by the ids of its parameters.
    pub(super) fn class_environment(&self, ty: &Type) -> FxHashMap<NodeId, Type> {
        let (parameters, arguments) = match ty {
            Type::Class(id, arguments) => {
                (self.resolution.items.classes.get(id).map(|class| &class.type_parameters), arguments)
            }
            Type::Adt(id, arguments) => {
                (self.resolution.items.adts.get(id).map(|adt| &adt.type_parameters), arguments)
            }
            _ => return FxHashMap::default(),
        };
        let ids = parameters.into_iter().flatten().map(|parameter| parameter.id);
        ids.zip(arguments.iter().cloned()).collect()
    }

    pub(super) fn call(&mut self, expression: &'tree Expression, call: &'tree Call) -> Type {
        let Some(receiver) = &call.receiver else { return self.plain_call(expression, call) };
        if let Some(ty) = self.type_receiver(receiver) {
            return self.call_on_type(expression, call, ty);
        }
        let ty = self.infer(receiver, None);
        match &ty {
            Type::Class(class, _) => {
                let candidates = self.class_candidates(*class, &call.name.text);
                if candidates.is_empty() {
                    self.infer_arguments(call);
                    self.no_such_member(&call.name, &ty);
                    return Type::Unknown;
                }
                self.routine_call(expression, call, &candidates, &ty)
            }
            Type::Model(model) => self.model_call(expression, call, *model, &ty),
            Type::Unknown => {
                self.infer_arguments(call);
                Type::Unknown
            }
            _ => self.member_call(expression, call, receiver, &ty),
        }
    }

    /// The declared type that stands in front of a dot.
    pub(super) fn type_receiver(&mut self, receiver: &'tree Expression) -> Option<NodeId> {
        let ExpressionKind::Name(name) = &*receiver.kind else { return None };
        if self.variable(&name.text).is_some() {
            return None;
        }
        let is_field = self
            .context
            .owner
            .and_then(|owner| self.names.fields.get(&owner))
            .is_some_and(|fields| fields.contains_key(&name.text));
        if is_field {
            return None;
        }
        let id = self.names.types.get(&name.text).copied()?;
        self.resolution.names.insert(receiver.id, NameTarget::TypeName(id));
        Some(id)
    }

    pub(super) fn class_candidates(&self, class: NodeId, name: &str) -> Vec<NodeId> {
        self.names.class_routines.get(&class).and_then(|it| it.get(name)).cloned().unwrap_or_default()
    }

    pub(super) fn infer_arguments(&mut self, call: &'tree Call) {
        for argument in &call.arguments {
            self.infer(argument, None);
        }
        for argument in &call.given {
            self.infer(&argument.value, None);
        }
        for ty in &call.type_arguments {
            self.written_value(ty);
        }
    }

    /// What a name without a receiver can call.
    pub(super) fn plain_candidates(&self, name: &str) -> Vec<NodeId> {
        let mut candidates = Vec::new();
        if let Some(owner) = self.context.owner {
            candidates.extend(self.class_candidates(owner, name));
        }
        candidates.extend(self.names.routines.get(name).into_iter().flatten().copied());
        candidates
    }

    /// A call without a receiver.
    fn plain_call(&mut self, expression: &'tree Expression, call: &'tree Call) -> Type {
        let name = &call.name.text;
        let candidates = self.plain_candidates(name);
        if !candidates.is_empty() {
            let own = self.own_type();
            return self.routine_call(expression, call, &candidates, &own);
        }
        if let Some(owner) = self.context.owner.filter(|_| self.context.in_model)
            && let Some(process) = self.names.processes.get(&owner).and_then(|it| it.get(name)).copied()
        {
            return self.process_call(expression, call, process);
        }
        if let Some(owner) = self.context.owner
            && let Some(function) = self.names.adt_functions.get(&owner).and_then(|it| it.get(name)).copied()
        {
            return self.adt_function(expression, owner, function, None, &call.arguments, &call.name);
        }
        if let Some(function) = self.names.prover_functions.get(name).copied() {
            let declared = self.resolution.items.prover_functions.get(&function).copied();
            let Some(declared) = declared else { return Type::Unknown };
            let parameters: Vec<Type> =
                declared.parameters.iter().map(|it| self.type_of_variable(it.id)).collect();
            self.check_arguments(&call.name, &call.arguments, &parameters);
            self.resolution.calls.insert(expression.id, CallTarget::ProverFunction(function));
            return self.resolution.types.get(&declared.result.id).cloned().unwrap_or(Type::Unknown);
        }
        let members: Vec<NodeId> = self.adts_with_function(name);
        if let [adt] = members[..]
            && let Some(function) = self.names.adt_functions.get(&adt).and_then(|it| it.get(name)).copied()
        {
            return self.adt_function(expression, adt, function, None, &call.arguments, &call.name);
        }
        if self.is_old()
            && let Some(member) = old_function(name)
            && let Some((receiver, arguments)) = call.arguments.split_first()
        {
            return self.old_member_function(expression, call, member, receiver, arguments);
        }
        self.infer_arguments(call);
        self.no_such_routine(&call.name);
        Type::Unknown
    }

    fn adts_with_function(&self, name: &str) -> Vec<NodeId> {
        let declarations = self.resolution.items.declarations.iter().map(|declaration| declaration.id);
        declarations
            .filter(|id| {
                self.names.adt_functions.get(id).is_some_and(|functions| functions.contains_key(name))
            })
            .collect()
    }

    /// `Type.name(…)`: a static routine, or a function of a data type.
    fn call_on_type(&mut self, expression: &'tree Expression, call: &'tree Call, id: NodeId) -> Type {
        if self.resolution.items.adts.contains_key(&id) {
            let Some(function) =
                self.names.adt_functions.get(&id).and_then(|it| it.get(&call.name.text)).copied()
            else {
                self.infer_arguments(call);
                self.no_such_member(&call.name, &Type::Adt(id, Arc::from([])));
                return Type::Unknown;
            };
            return self.adt_function(expression, id, function, None, &call.arguments, &call.name);
        }
        let candidates = self.class_candidates(id, &call.name.text);
        if candidates.is_empty() {
            self.infer_arguments(call);
            self.no_such_member(&call.name, &Type::Class(id, Arc::from([])));
            return Type::Unknown;
        }
        let parameters =
            self.resolution.items.classes.get(&id).map_or(0, |class| class.type_parameters.len());
        let owner = Type::Class(id, vec![Type::Unknown; parameters].into());
        self.routine_call(expression, call, &candidates, &owner)
    }

    /// Chooses among candidates and checks the call. `owner` is the type that members belong to.
    pub(super) fn routine_call(
        &mut self,
        expression: &'tree Expression,
        call: &'tree Call,
        candidates: &[NodeId],
        owner: &Type,
    ) -> Type {
        let written: Vec<Type> = call.type_arguments.iter().map(|ty| self.written_value(ty)).collect();
        let fitting: Vec<NodeId> = candidates
            .iter()
            .copied()
            .filter(|id| {
                let signature = self.signature(*id);
                signature.parameters.len() == call.arguments.len()
                    && (written.is_empty() || written.len() == signature.type_parameters.len())
            })
            .collect();
        let (chosen, inferred) = match fitting[..] {
            [] => {
                for argument in &call.arguments {
                    self.infer(argument, None);
                }
                self.wrong_number(&call.name, candidates, call.arguments.len(), written.len());
                return self.signature(candidates[0]).result;
            }
            [only] if self.signature(only).type_parameters.len() == written.len() => (only, None),
            _ => {
                let types: Vec<Type> =
                    call.arguments.iter().map(|argument| self.infer(argument, None)).collect();
                let chosen = fitting.iter().copied().find(|id| self.accepts(*id, &types, &written, owner));
                match chosen {
                    Some(chosen) => (chosen, Some(types)),
                    None if fitting.len() == 1 => (fitting[0], Some(types)),
                    None => {
                        self.no_overload(call, &types);
                        return self.signature(fitting[0]).result;
                    }
                }
            }
        };
        self.finish_call(expression, call, chosen, inferred, written, owner)
    }

    /// Whether arguments of these types can be passed.
    fn accepts(&self, routine: NodeId, types: &[Type], written: &[Type], owner: &Type) -> bool {
        let signature = self.signature(routine);
        let environment = self.environment(routine, &signature, types, written, owner);
        signature
            .parameters
            .iter()
            .zip(types)
            .all(|(parameter, ty)| ty.fits(&parameter.substitute(&environment)))
    }

    /// What the type parameters of a routine and its class stand for in a call.
    fn environment(
        &self,
        routine: NodeId,
        signature: &Signature,
        types: &[Type],
        written: &[Type],
        owner: &Type,
    ) -> FxHashMap<NodeId, Type> {
        let mut environment = match self.resolution.items.owners.get(&routine) {
            Some(_) => self.class_environment(owner),
            None => FxHashMap::default(),
        };
        if !written.is_empty() {
            environment.extend(signature.type_parameters.iter().copied().zip(written.iter().cloned()));
            return environment;
        }
        let mut found = FxHashMap::default();
        for (parameter, ty) in signature.parameters.iter().zip(types) {
            parameter.substitute(&environment).infer_parameters(ty, &signature.type_parameters, &mut found);
        }
        environment.extend(found);
        environment
    }

    fn finish_call(
        &mut self,
        expression: &'tree Expression,
        call: &'tree Call,
        routine: NodeId,
        inferred: Option<Vec<Type>>,
        written: Vec<Type>,
        owner: &Type,
    ) -> Type {
        let signature = self.signature(routine);
        let types = inferred.clone().unwrap_or_default();
        let mut environment = self.environment(routine, &signature, &types, &written, owner);
        let parameters: Vec<Type> =
            signature.parameters.iter().map(|parameter| parameter.substitute(&environment)).collect();
        match inferred {
            Some(types) => {
                for ((argument, ty), parameter) in call.arguments.iter().zip(&types).zip(&parameters) {
                    self.convert(argument, ty, parameter);
                }
            }
            None => {
                for (argument, parameter) in call.arguments.iter().zip(&parameters) {
                    self.check(argument, parameter);
                }
            }
        }
        let mut type_arguments = Vec::new();
        for parameter in &signature.type_parameters {
            match environment.get(parameter) {
                Some(ty) => type_arguments.push(ty.clone()),
                None => {
                    type_arguments.push(Type::Unknown);
                    environment.insert(*parameter, Type::Unknown);
                    self.error(
                        codes::TYPE_ARGUMENTS,
                        call.name.span,
                        format!(
                            "the type arguments of `{}` cannot be found from its arguments",
                            call.name.text
                        ),
                        "write them: `f<int>(…)`",
                    );
                }
            }
        }
        if let Some(span) = call.revealed
            && !self.is_opaque(routine)
        {
            self.not_opaque(&call.name, span);
        }
        let mut result = signature.result.substitute(&environment);
        let receiver = self.receiver(call, routine);
        if !self.check_callable(expression, &call.name, routine) {
            result = Type::Unknown;
        }
        let class_arguments = match (self.resolution.items.owners.get(&routine), owner) {
            (Some(_), Type::Class(_, arguments)) => arguments.to_vec(),
            _ => Vec::new(),
        };
        let contract = self.resolution.items.routines.get(&routine).and_then(|it| it.contract());
        self.ghost_arguments(expression, &call.name, contract, &call.given, &call.yields, &environment);
        let target = RoutineCall {
            routine,
            receiver,
            type_arguments,
            class_arguments,
            result: result.clone(),
            parameters,
        };
        self.resolution.calls.insert(expression.id, CallTarget::Routine(target));
        result
    }

    /// The object of a call, which must be there for a member that is not static.
    fn receiver(&mut self, call: &'tree Call, routine: NodeId) -> Receiver {
        let items = &self.resolution.items;
        let is_member = items.owners.contains_key(&routine) && !items.statics.contains(&routine);
        // Facts and functions of a model are about its fields, which are always there.
        if !is_member || self.context.in_model && call.receiver.is_none() {
            return Receiver::None;
        }
        let on_type = call
            .receiver
            .as_ref()
            .is_some_and(|it| matches!(self.resolution.names.get(&it.id), Some(NameTarget::TypeName(_))));
        if on_type {
            self.error(
                codes::NO_THIS,
                call.name.span,
                format!("`{}` belongs to an object and not to the class", call.name.text),
                "call it on an object, or mark it `static`",
            );
            return Receiver::None;
        }
        if call.receiver.is_some() {
            return Receiver::Explicit;
        }
        if self.context.constructor_precondition {
            self.error(
                codes::THIS_IN_CONSTRUCTOR_PRECONDITION,
                call.name.span,
                format!("`{}` needs the object, which does not exist yet here", call.name.text),
                "speak about the parameters, or about the object in `ensures`",
            );
        } else if !self.context.has_this {
            self.error(
                codes::NO_THIS,
                call.name.span,
                format!("`{}` belongs to an object, and there is none here", call.name.text),
                "call it on an object, or mark it `static`",
            );
        }
        Receiver::ImplicitThis
    }

    /// Whether a routine may be called in this place; says why not.
    fn check_callable(&mut self, expression: &Expression, name: &Name, routine: NodeId) -> bool {
        let Some(declared) = self.resolution.items.routines.get(&routine).copied() else { return true };
        let is_pure = match declared {
            Routine::Method(method) => method.modifiers.pure.is_some(),
            Routine::Lemma(_) => false,
            Routine::Function(_) | Routine::Predicate(_) => true,
        };
        if !is_pure && self.context.effects_before {
            self.warn_effect(expression);
        } else if !is_pure && self.context.pure {
            let (what, help) = match declared {
                Routine::Lemma(_) => ("a lemma", "call it in a statement before"),
                _ => ("a method", "call it in a statement before, or make it a `pure` function"),
            };
            self.error(
                codes::THREAD_SCOPE,
                expression.span,
                format!("`{}` is {what} and cannot be called where nothing may change", name.text),
                help,
            );
            return false;
        }
        let thread_local = declared.modifiers().is_some_and(|modifiers| modifiers.thread_local.is_some());
        if thread_local && self.context.thread != ThreadPlace::Current {
            self.error(
                codes::THREAD_SCOPE,
                expression.span,
                format!("`{}` speaks about the current thread, and there is none here", name.text),
                self.context.thread.help(),
            );
        }
        if let Routine::Predicate(predicate) = declared
            && predicate.kind == PredicateKind::Fact
            && !self.context.ghost
        {
            self.error(
                codes::GHOST,
                expression.span,
                format!("`{}` is a predicate, which the program cannot evaluate", name.text),
                "use it in contracts and assertions, or make it a `pure boolean` function",
            );
        }
        true
    }

    pub(super) fn check_operator_context(&mut self, expression: &Expression, routine: NodeId) {
        let name = Name { text: "+".into(), span: expression.span };
        self.check_callable(expression, &name, routine);
    }

    /// `+` or `right+` of a class for an operand of this type: the routine, its result and its parameter.
    pub(super) fn find_operator(
        &self,
        object: &Type,
        operator: Operator,
        operand: &Type,
    ) -> Option<(NodeId, Type, Type)> {
        let Type::Class(class, _) = object else { return None };
        let name = if operator == Operator::Plus { "+" } else { "right+" };
        let environment = self.class_environment(object);
        self.class_candidates(*class, name).into_iter().find_map(|routine| {
            let signature = self.signature(routine);
            let [parameter] = &signature.parameters[..] else { return None };
            let parameter = parameter.substitute(&environment);
            operand.fits(&parameter).then(|| (routine, signature.result.substitute(&environment), parameter))
        })
    }

    pub(super) fn check_arguments(
        &mut self,
        name: &Name,
        arguments: &'tree [Expression],
        parameters: &[Type],
    ) {
        if arguments.len() != parameters.len() {
            let plural = if parameters.len() == 1 { "" } else { "s" };
            let message = format!(
                "`{}` takes {} argument{plural}, but {} are given",
                name.text,
                parameters.len(),
                arguments.len()
            );
            self.report(Diagnostic::error(codes::ARGUMENTS, name.span, message));
        }
        for (index, argument) in arguments.iter().enumerate() {
            match parameters.get(index) {
                Some(parameter) => self.check(argument, parameter),
                None => {
                    self.infer(argument, None);
                }
            }
        }
    }

    /// A call on a value of a built-in type.
    fn member_call(
        &mut self,
        expression: &'tree Expression,
        call: &'tree Call,
        receiver: &'tree Expression,
        ty: &Type,
    ) -> Type {
        let Some(found) = member_of(ty, &call.name.text) else {
            self.infer_arguments(call);
            if matches!(ty, Type::Void | Type::Null) {
                self.unexpected(receiver, ty, "an object");
            } else {
                self.no_such_member(&call.name, ty);
            }
            return Type::Unknown;
        };
        self.check_arguments(&call.name, &call.arguments, &found.arguments);
        self.resolution.calls.insert(expression.id, CallTarget::Member(found.member));
        found.value
    }

    /// The old dialect's `head(xs)` for `xs.head`.
    fn old_member_function(
        &mut self,
        expression: &'tree Expression,
        call: &'tree Call,
        member: &str,
        receiver: &'tree Expression,
        arguments: &'tree [Expression],
    ) -> Type {
        let ty = self.infer(receiver, None);
        if ty.is_unknown() {
            for argument in arguments {
                self.infer(argument, None);
            }
            return Type::Unknown;
        }
        let Some(found) = member_of(&ty, member) else {
            for argument in arguments {
                self.infer(argument, None);
            }
            let message = format!("`{}` cannot be applied to a `{}`", call.name.text, self.show(&ty));
            self.report(Diagnostic::error(codes::TYPE, call.name.span, message));
            return Type::Unknown;
        };
        self.check_arguments(&call.name, arguments, &found.arguments);
        self.resolution.calls.insert(expression.id, CallTarget::MemberFunction(found.member));
        found.value
    }

    /// `receiver?.p(…)`
    pub(super) fn coalescing_call(
        &mut self,
        expression: &'tree Expression,
        receiver: &'tree Expression,
        name: &'tree Name,
        arguments: &'tree [Expression],
    ) -> Type {
        let ty = self.infer(receiver, None);
        let Type::Class(class, class_arguments) = &ty else {
            for argument in arguments {
                self.infer(argument, None);
            }
            self.unexpected(receiver, &ty, "an object");
            return Type::Unknown;
        };
        let candidates = self.class_candidates(*class, &name.text);
        let chosen = candidates
            .iter()
            .copied()
            .find(|id| self.signature(*id).parameters.len() == arguments.len())
            .or(candidates.first().copied());
        let Some(routine) = chosen else {
            for argument in arguments {
                self.infer(argument, None);
            }
            self.no_such_member(name, &ty);
            return Type::Unknown;
        };
        let environment = self.class_environment(&ty);
        let signature = self.signature(routine);
        let parameters: Vec<Type> =
            signature.parameters.iter().map(|it| it.substitute(&environment)).collect();
        self.check_arguments(name, arguments, &parameters);
        self.check_callable(expression, name, routine);
        let result = signature.result.substitute(&environment);
        if !matches!(result, Type::Resource | Type::Boolean) {
            self.error(
                codes::TYPE,
                name.span,
                format!("`{}` must be a predicate or boolean to be called with `?.`", name.text),
                "where the object is `null`, the result would not be known",
            );
        }
        let target = RoutineCall {
            routine,
            receiver: Receiver::Explicit,
            type_arguments: Vec::new(),
            class_arguments: class_arguments.to_vec(),
            result: result.clone(),
            parameters,
        };
        self.resolution.calls.insert(expression.id, CallTarget::Routine(target));
        result
    }
}
