//! Classes: fields, constructors and the objects they make.
//!
//! An object is a `Ref` whatever its class; each field is a Silver field. A constructor is a method that returns the
//! new object: its body starts with all permissions for the object's fields, and its contract says which are handed
//! out. A final field is a function of the object, assigned at most once and before the object is used.

use std::rc::Rc;
use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::contracts::clauses::satisfiability_place;
use crate::lower::contracts::methods::MethodParts;
use crate::lower::heap::all_fields::Stored;
use crate::lower::instances::{Instance, Part};
use crate::lower::origin::Role;
use crate::lower::prelude::Theory;
use crate::lower::scope::{ResultPlace, Scope, Variable};
use crate::lower::values::types::{Substitution, substitute};
use crate::resolve::Type;
use crate::syntax::tree::{ClassMemberKind, Constructor, NodeId};

impl<'t> Lowering<'t> {
    pub(crate) fn declare_class(&mut self, class: NodeId) {
        let class_arguments = self.class_type_arguments(Some(class));
        let members = self.resolution.items.members.get(&class).cloned().unwrap_or_default();
        for member in &members {
            if let ClassMemberKind::Fields(fields) = &member.kind {
                for (id, _) in &fields.names {
                    self.instance(self.field_instance(*id, class_arguments.clone()));
                }
            }
        }
        let mut has_constructor = false;
        for member in &members {
            match &member.kind {
                ClassMemberKind::Fields(_) => {}
                ClassMemberKind::Constructor(_) => {
                    has_constructor = true;
                    let arguments = self.own_type_arguments(member.id);
                    self.instance(Instance::new(Part::Constructor, member.id, arguments));
                }
                ClassMemberKind::Run(_) => {
                    self.instance(Instance::new(Part::Run, member.id, class_arguments.clone()));
                }
                _ => {
                    let arguments = self.own_type_arguments(member.id);
                    self.instance(Instance::new(Part::Routine, member.id, arguments));
                }
            }
        }
        if !has_constructor {
            self.instance(Instance::new(Part::DefaultConstructor, class, class_arguments.clone()));
        }
        let declared = self.resolution.items.classes.get(&class);
        if declared.is_some_and(|class| class.contract.lock_invariants().next().is_some()) {
            self.instance(Instance::new(Part::LockInvariant, class, class_arguments));
        }
    }

    pub(crate) fn field_instance(&self, field: NodeId, class_arguments: Vec<Type>) -> Instance {
        let items = &self.resolution.items;
        if items.statics.contains(&field) {
            return Instance::new(Part::StaticField, field, Vec::new());
        }
        let part = if items.finals.contains(&field) { Part::FinalField } else { Part::Field };
        Instance::new(part, field, class_arguments)
    }

    /// The name and place of a field.
    fn field_declaration(&self, field: NodeId) -> Option<(&'t str, Span)> {
        if let Some(known) = self.model_field_declaration(field) {
            return Some(known);
        }
        let owner = self.resolution.items.owners.get(&field)?;
        let members = self.resolution.items.members.get(owner)?;
        members.iter().find_map(|member| match &member.kind {
            ClassMemberKind::Fields(fields) => {
                fields.names.iter().find(|(id, _)| *id == field).map(|(_, name)| (&*name.text, name.span))
            }
            _ => None,
        })
    }

    pub(crate) fn field_name(&self, field: NodeId) -> Option<String> {
        self.field_declaration(field).map(|(name, _)| name.to_string())
    }

    /// Types for the type parameters of a class.
    pub(crate) fn class_substitution(&self, class: Option<NodeId>, arguments: &[Type]) -> Substitution {
        let mut substitution = Substitution::default();
        for (parameter, argument) in self.class_type_arguments(class).iter().zip(arguments) {
            if let Type::Variable(id) = parameter {
                substitution.insert(*id, argument.clone());
            }
        }
        substitution
    }

    pub(crate) fn field_type(&self, instance: &Instance) -> Type {
        let owner = self.resolution.items.owners.get(&instance.id).copied();
        let substitution = self.class_substitution(owner, &instance.arguments);
        let ty = self.resolution.variables.get(&instance.id).cloned().unwrap_or(Type::Unknown);
        substitute(&ty, &substitution)
    }

    pub(crate) fn lower_field(&mut self, instance: &Instance, name: &Arc<str>) {
        // It is where pointers find it.
        if self.resolution.addressed.contains(&instance.id) {
            return;
        }
        let Some((_, span)) = self.field_declaration(instance.id) else { return };
        self.note_field(Stored::Declared(instance.clone()));
        let ty = self.field_type(instance);
        let ty = self.ty(&ty, span);
        let binding = self.at(span).binding(name, ty);
        self.add_member(span, s::MemberKind::Fields(vec![binding]));
    }

    pub(crate) fn lower_final_field(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some((_, span)) = self.field_declaration(instance.id) else { return };
        let ty = self.field_type(instance);
        let result = self.ty(&ty, span);
        let mut scope = Scope::new(self, Rc::default());
        let formals = vec![scope.this_formal(span)];
        let exists = scope.this_exists(span);
        let preconditions = vec![scope.at(span).specification(exists)];
        let value = scope.at(span).expression(s::ExpressionKind::Result);
        let fact = scope.type_fact(&value, &ty, span);
        let mut build = scope.at(span);
        let function = s::Function {
            name: build.name(name),
            formals,
            result,
            preconditions,
            postconditions: fact.into_iter().map(|fact| build.specification(fact)).collect(),
            body: None,
        };
        self.add_member(span, s::MemberKind::Function(function));
    }

    /// The fields that an object has permissions for, and the final ones.
    fn fields_of(&self, class: NodeId) -> (Vec<NodeId>, Vec<NodeId>) {
        let items = &self.resolution.items;
        let members = items.members.get(&class).into_iter().flatten();
        let fields = members.filter_map(|member| match &member.kind {
            ClassMemberKind::Fields(fields) => Some(fields.names.iter().map(|(id, _)| *id)),
            _ => None,
        });
        let of_object = fields.flatten().filter(|id| !items.statics.contains(id));
        of_object.partition(|id| !items.finals.contains(id))
    }

    fn has_run(&self, class: NodeId) -> bool {
        let mut members = self.resolution.items.members.get(&class).into_iter().flatten();
        members.any(|member| matches!(member.kind, ClassMemberKind::Run(_)))
    }

    pub(crate) fn lower_constructor(&mut self, instance: &Instance, name: &Arc<str>) {
        let items = &self.resolution.items;
        let (class, constructor) = match instance.part {
            Part::Constructor => {
                (items.owners.get(&instance.id).copied(), items.constructors.get(&instance.id).copied())
            }
            _ => (Some(instance.id), None),
        };
        let Some(class) = class else { return };
        let Some(declared) = items.classes.get(&class).copied() else { return };
        let class_count = declared.type_parameters.len();
        let class_arguments = instance.arguments[..class_count.min(instance.arguments.len())].to_vec();
        let place = constructor.map_or(declared.name.span, |constructor| constructor.keyword);
        let (span, substitution) = match constructor {
            Some(_) => (
                self.member_span(instance.id).unwrap_or(place),
                self.substitution_for(instance.id, &instance.arguments),
            ),
            None => (place, self.class_substitution(Some(class), &instance.arguments)),
        };
        let object = self.new_object(class, class_arguments, constructor, place);
        let mut scope = Scope::new(self, Rc::new(substitution));
        let mut signature = scope.constructor_signature(instance, constructor, place);
        let this = signature.this.clone();
        scope.bindings.this = Some(Variable::Named(this.clone()));
        let kind = scope.with_result(ResultPlace::Variable(this), |scope| {
            scope.constructor_postconditions(name, &object, &mut signature)
        });
        let has_body = constructor.is_none_or(|constructor| constructor.body.is_some());
        let contract = constructor.map(|constructor| &constructor.contract);
        if let Some(contract) = contract.filter(|_| !has_body && !instance.is_specialised()) {
            let (formals, preconditions) = (&signature.formals, &signature.preconditions);
            scope.check_satisfiable(contract, (name, instance.id), formals, preconditions);
        }
        let body = (has_body && !instance.is_specialised())
            .then(|| scope.constructor_body(&object, &signature.this, kind));
        let silver_name = scope.at(place).name(name);
        let Signature { formals, returns, preconditions, postconditions, .. } = signature;
        let method = s::Method { name: silver_name, formals, returns, preconditions, postconditions, body };
        self.add_member(span, s::MemberKind::Method(method));
        if constructor.is_some() && !instance.is_specialised() {
            self.describe_member(name, instance.id, verdict::MemberKind::Constructor, span);
        }
    }

    fn new_object(
        &mut self,
        class: NodeId,
        class_arguments: Vec<Type>,
        constructor: Option<&'t Constructor>,
        place: Span,
    ) -> NewObject<'t> {
        let (fields, finals) = self.fields_of(class);
        let (addressed, fields): (Vec<NodeId>, Vec<NodeId>) =
            fields.into_iter().partition(|id| self.resolution.addressed.contains(id));
        let fields: Vec<Arc<str>> = fields
            .into_iter()
            .map(|id| self.instance(self.field_instance(id, class_arguments.clone())))
            .collect();
        let idle = self
            .has_run(class)
            .then(|| self.instance(Instance::new(Part::Idle, class, class_arguments.clone())));
        NewObject { class, class_arguments, constructor, fields, addressed, finals, idle, place }
    }
}

/// What an object is made of.
struct NewObject<'t> {
    class: NodeId,
    class_arguments: Vec<Type>,
    constructor: Option<&'t Constructor>,
    fields: Vec<Arc<str>>,
    /// Fields whose address is taken.
    addressed: Vec<NodeId>,
    finals: Vec<NodeId>,
    /// The token of a thread that does not run, if there is one.
    idle: Option<Arc<str>>,
    place: Span,
}

/// The method that a constructor is, without its body.
struct Signature {
    /// The new object.
    this: Arc<str>,
    formals: Vec<s::Binding>,
    returns: Vec<s::Binding>,
    preconditions: Vec<s::Specification>,
    postconditions: Vec<s::Specification>,
}

impl<'t> Scope<'_, 't> {
    /// Parameters and results with what their types say, and what is required.
    fn constructor_signature(
        &mut self,
        instance: &Instance,
        constructor: Option<&'t Constructor>,
        place: Span,
    ) -> Signature {
        let mut formals = Vec::new();
        let mut preconditions = Vec::new();
        if self.lowering.is_thread_local(instance) {
            formals.push(self.thread_formal(place));
        }
        let contract = constructor.map(|constructor| &constructor.contract);
        let given = contract.into_iter().flat_map(|contract| contract.given());
        for parameter in constructor.into_iter().flat_map(|it| &it.parameters).chain(given) {
            let (binding, fact) = self.formal(parameter);
            formals.push(binding);
            if let Some(fact) = fact {
                preconditions.push(self.at(parameter.span).specification(fact));
            }
        }
        let this = self.member.names.fresh("this");
        let mut build = self.at(place);
        let ty = build.ty(s::TypeKind::Ref);
        let mut returns = vec![build.binding(&this, ty)];
        let mut postconditions = Vec::new();
        if let Some(contract) = contract {
            preconditions.extend(self.preconditions_with_loans(contract));
        }
        for parameter in contract.into_iter().flat_map(|contract| contract.yields()) {
            let (binding, fact) = self.formal(parameter);
            returns.push(binding);
            if let Some(fact) = fact {
                postconditions.push(self.at(parameter.span).specification(fact));
            }
        }
        Signature { this, formals, returns, preconditions, postconditions }
    }

    /// Adds what the constructor ensures and how it ends; gives what is known of the type of the object.
    fn constructor_postconditions(
        &mut self,
        name: &Arc<str>,
        object: &NewObject<'t>,
        signature: &mut Signature,
    ) -> Option<s::Expression> {
        let place = object.place;
        let exists = self.this_exists(place);
        signature.postconditions.insert(0, self.at(place).specification(exists));
        let kind = self.type_of_this(object.class, &object.class_arguments, place);
        if let Some(kind) = kind.clone() {
            signature.postconditions.insert(1, self.at(place).specification(kind));
        }
        match object.constructor.map(|constructor| &constructor.contract) {
            Some(contract) => {
                let own = self.postconditions_with_loans(contract);
                self.check_contract_with_loans(
                    contract,
                    (name, place),
                    (&signature.formals, &signature.returns),
                    (&signature.preconditions, &signature.postconditions),
                );
                signature.postconditions.extend(own);
                if let (Some(idle), Some(constructor)) = (&object.idle, object.constructor)
                    && self.lowering.gives_idle(constructor)
                {
                    let token = self.idle_token(idle, place);
                    signature.postconditions.push(self.at(place).specification(token));
                }
                let measure = self.measure(contract);
                self.member.terminates = measure.is_some();
                signature.preconditions.extend(measure);
            }
            None => {
                signature.postconditions.extend(self.default_postconditions(object));
                self.lowering.ends.push(name.clone());
            }
        }
        kind
    }

    /// Without a constructor, the caller gets everything.
    fn default_postconditions(&mut self, object: &NewObject<'t>) -> Vec<s::Specification> {
        let place = object.place;
        let mut result = Vec::new();
        for field in &object.fields {
            let this = self.this(place);
            let mut build = self.at(place);
            let location = build.field(Role::Plain, this, field);
            let write = build.write();
            let access = build.access(location, write);
            result.push(build.specification(access));
        }
        for token in self.tokens(object) {
            result.push(self.at(place).specification(token));
        }
        result
    }

    /// What there is of a new object beside its fields.
    fn tokens(&mut self, object: &NewObject<'t>) -> Vec<s::Expression> {
        let mut tokens = Vec::new();
        tokens.extend(object.idle.as_ref().map(|idle| self.idle_token(idle, object.place)));
        tokens.extend(self.addressed_fields(&object.addressed, &object.class_arguments, object.place));
        tokens
    }

    fn idle_token(&mut self, idle: &Arc<str>, place: Span) -> s::Expression {
        let this = self.this(place);
        let mut build = self.at(place);
        let predicate = build.call(idle, vec![this]);
        let write = build.write();
        build.access(predicate, write)
    }

    fn constructor_body(
        &mut self,
        object: &NewObject<'t>,
        this: &Arc<str>,
        kind: Option<s::Expression>,
    ) -> s::Block {
        let place = object.place;
        let tokens = self.tokens(object);
        self.code(place, |scope| {
            if let Some(place) = object.constructor.and_then(|it| satisfiability_place(&it.contract)) {
                let refute = scope.refute_false(place);
                scope.emit(refute);
            }
            let mut build = scope.at(place);
            let target = build.variable(this);
            let names = object.fields.iter().map(|field| build.name(field)).collect();
            let new = build.expression(s::ExpressionKind::New(s::NewFields::Listed(names)));
            scope.assign(target, new, place);
            for token in tokens {
                scope.inhale(token, place);
            }
            scope.final_flags(&object.finals, place);
            if let Some(kind) = kind {
                scope.inhale(kind, place);
            }
            if let Some(constructor) = object.constructor
                && let Some(body) = &constructor.body
            {
                scope.check_final_assignments(&object.finals, &constructor.parameters, body);
                scope.check_final_reads(&object.finals, &constructor.contract, body);
                let parts = MethodParts {
                    contract: &constructor.contract,
                    parameters: &constructor.parameters,
                    result: Type::Void,
                    body: Some(body),
                    has_this: true,
                    is_ghost: false,
                    kind: verdict::MemberKind::Constructor,
                    name_span: place,
                    span: place,
                };
                scope.member.constructs = Some(object.class);
                let commits = scope.lowering.commits_by_constructor(object.class);
                if commits {
                    scope.lowering.check_kept_to_itself(body);
                }
                scope.statements_of_body(&parts, body);
                if commits {
                    scope.commit_new_object(&(object.class, object.class_arguments.clone()), place);
                }
            }
        })
    }

    /// The Silver field of an object.
    pub(crate) fn field(&mut self, field: NodeId, class_arguments: Vec<Type>) -> Arc<str> {
        let instance = self.lowering.field_instance(field, class_arguments);
        self.lowering.instance(instance)
    }

    pub(crate) fn read_field(
        &mut self,
        field: NodeId,
        class_arguments: Vec<Type>,
        object: s::Expression,
        place: Span,
    ) -> s::Expression {
        if self.resolution.items.finals.contains(&field) {
            let name = self.field(field, class_arguments);
            return self.at(place).call(&name, vec![object]);
        }
        self.field_location(field, class_arguments, object, Role::Location("perm"), place)
    }

    /// A field of the one object that holds all static fields.
    pub(crate) fn static_field(&mut self, field: NodeId, role: Role, place: Span) -> s::Expression {
        self.lowering.need(Theory::Static);
        let object = self.at(place).call("static_object", Vec::new());
        self.field_location(field, Vec::new(), object, role, place)
    }
}
