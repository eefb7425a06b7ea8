//! Declarations: first the types of everything that can be named, then contracts and bodies.

use super::checker::{Checker, Context, Surroundings, ThreadPlace};
use super::statements::ContractPlace;
use super::{Type, finals};
use crate::codes;
use crate::syntax::tree::{
    Adt, Block, Class, ClassMember, ClassMemberKind, ClauseKind, Constructor, Contract, Declaration,
    DeclarationKind, Expression, Fields, Function, Lemma, Method, Model, ModelMember, ModelMemberKind,
    Modifiers, NodeId, Parameter, Predicate, PredicateKind, Process, Routine, Run, TypeParameter,
};

impl<'tree> Checker<'tree> {
    /// The types of fields, parameters and results of a declaration.
    pub(super) fn declare_types(&mut self, declaration: &'tree Declaration) {
        match &declaration.kind {
            DeclarationKind::Class(class) => self.with_type_parameters(&class.type_parameters, |checker| {
                for member in &class.members {
                    checker.declare_member_types(member);
                }
            }),
            DeclarationKind::Adt(adt) => self.with_type_parameters(&adt.type_parameters, |checker| {
                for function in &adt.functions {
                    checker.parameters(&function.parameters);
                    checker.with_parameters(&[], &function.parameters, |_| {});
                    checker.written_value(&function.result);
                }
            }),
            DeclarationKind::Model(model) => {
                for member in &model.members {
                    match &member.kind {
                        ModelMemberKind::Fields(fields) => self.fields(fields),
                        ModelMemberKind::Process(process) | ModelMemberKind::Action(process) => {
                            self.parameters(&process.parameters);
                            self.ghost_parameters(&process.contract);
                        }
                        ModelMemberKind::Formula(_) => {}
                        ModelMemberKind::Method(method) => self.routine_types(Routine::Method(method)),
                        ModelMemberKind::Function(function) => {
                            self.routine_types(Routine::Function(function))
                        }
                    }
                }
            }
            DeclarationKind::ProverFunction(function) => {
                self.parameters(&function.parameters);
                self.with_parameters(&[], &function.parameters, |_| {});
                self.written_value(&function.result);
            }
            kind => {
                if let Some(routine) = kind.routine() {
                    self.routine_types(routine);
                }
            }
        }
    }

    fn declare_member_types(&mut self, member: &'tree ClassMember) {
        match &member.kind {
            ClassMemberKind::Fields(fields) => self.fields(fields),
            ClassMemberKind::Constructor(constructor) => {
                self.with_type_parameters(&constructor.type_parameters, |checker| {
                    checker.parameters(&constructor.parameters);
                    checker.ghost_parameters(&constructor.contract);
                });
            }
            ClassMemberKind::Run(run) => self.ghost_parameters(&run.contract),
            kind => {
                if let Some(routine) = kind.routine() {
                    self.routine_types(routine);
                }
            }
        }
    }

    fn fields(&mut self, fields: &'tree Fields) {
        let mut ty = self.written_value(&fields.ty);
        let parameters = self.type_variables.iter().map(|(_, id)| (*id, Type::Int)).collect();
        if fields.modifiers.is_static.is_some() && ty.substitute(&parameters) != ty {
            let help = "there is one such field for all objects; remove `static`, or give it another type";
            let message = "a static field cannot have a type parameter of the class in its type";
            self.error(codes::TYPE, fields.ty.span, message, help);
            ty = Type::Unknown;
        }
        for (id, _) in &fields.names {
            self.set_variable(*id, ty.clone());
        }
    }

    fn parameters(&mut self, parameters: &'tree [Parameter]) {
        for parameter in parameters {
            let ty = self.written_value(&parameter.ty);
            self.set_variable(parameter.id, ty);
        }
    }

    fn ghost_parameters(&mut self, contract: &'tree Contract) {
        for parameter in contract.given().chain(contract.yields()) {
            let ty = self.written_value(&parameter.ty);
            self.set_variable(parameter.id, ty);
        }
    }

    fn routine_types(&mut self, routine: Routine<'tree>) {
        self.with_type_parameters(routine.type_parameters(), |checker| {
            checker.parameters(routine.parameters());
            if let Some(contract) = routine.contract() {
                checker.ghost_parameters(contract);
            }
            match routine {
                Routine::Method(method) => {
                    checker.written(&method.result);
                }
                Routine::Function(function) => {
                    checker.written_value(&function.result);
                }
                Routine::Predicate(_) | Routine::Lemma(_) => {}
            }
        });
    }

    /// Contracts and bodies.
    pub(super) fn declaration(&mut self, declaration: &'tree Declaration) {
        self.context = Context::default();
        self.around = Surroundings::default();
        match &declaration.kind {
            DeclarationKind::Class(class) => self.class(declaration.id, class),
            DeclarationKind::Method(method) => self.method(method),
            DeclarationKind::Function(function) => self.function(function),
            DeclarationKind::Predicate(predicate) => self.predicate(predicate),
            DeclarationKind::Lemma(lemma) => self.lemma(lemma),
            DeclarationKind::Adt(adt) => self.adt(declaration.id, adt),
            DeclarationKind::Model(model) => self.model(declaration.id, model),
            DeclarationKind::RewriteRule(rule) => {
                self.report(
                    source::Diagnostic::warning(
                        codes::SUSPICIOUS,
                        rule.name.span,
                        "a rule for VerCors' simplifier, which has no effect here",
                    )
                    .help("facts that should be assumed are axioms of an `adt`"),
                );
            }
            DeclarationKind::Enum(_)
            | DeclarationKind::ProverType(_)
            | DeclarationKind::ProverFunction(_) => {}
        }
    }

    fn class(&mut self, id: NodeId, class: &'tree Class) {
        self.with_type_parameters(&class.type_parameters, |checker| {
            let context = Context { owner: Some(id), has_this: true, ..Context::default() };
            checker.clauses(&class.contract, ContractPlace::Class);
            checker.within(
                |place| *place = context.clone(),
                |checker| {
                    for invariant in class.contract.lock_invariants() {
                        checker.scoped(|checker| checker.assertion(invariant));
                    }
                },
            );
            for member in &class.members {
                checker.context = context.clone();
                checker.around = Surroundings::default();
                let is_static = checker.resolution.items.statics.contains(&member.id);
                checker.context.has_this = !is_static;
                match &member.kind {
                    ClassMemberKind::Fields(fields) => checker.field_modifiers(&fields.modifiers),
                    ClassMemberKind::Constructor(constructor) => checker.constructor(constructor),
                    ClassMemberKind::Run(run) => checker.run(run),
                    ClassMemberKind::Method(method) => checker.method(method),
                    ClassMemberKind::Function(function) => checker.function(function),
                    ClassMemberKind::Predicate(predicate) => checker.predicate(predicate),
                    ClassMemberKind::Lemma(lemma) => checker.lemma(lemma),
                }
            }
            checker.context = Context::default();
        });
    }

    fn field_modifiers(&mut self, modifiers: &Modifiers) {
        let all = [
            (modifiers.pure, "pure"),
            (modifiers.inline, "inline"),
            (modifiers.opaque, "opaque"),
            (modifiers.thread_local, "thread_local"),
        ];
        for (span, name) in all {
            if let Some(span) = span {
                self.error(codes::MODIFIER, span, format!("a field cannot be `{name}`"), "remove it");
            }
        }
    }

    fn routine_modifiers(&mut self, modifiers: &Modifiers, in_class: bool) {
        self.resolution.names_threads |= modifiers.thread_local.is_some();
        if let Some(span) = modifiers.is_final {
            self.error(codes::MODIFIER, span, "only fields can be `final`", "remove it");
        }
        if let Some(span) = modifiers.opaque
            && (modifiers.pure.is_none() || modifiers.inline.is_some())
        {
            self.error(
                codes::MODIFIER,
                span,
                "only pure functions that are not `inline` can be `opaque`",
                "remove it",
            );
        }
        if let Some(span) = modifiers.is_static
            && !in_class
        {
            self.error(codes::MODIFIER, span, "outside of classes everything is static", "remove it");
        }
    }

    /// Runs a part in the scope of the parameters of a routine.
    fn with_parameters(
        &mut self,
        type_parameters: &'tree [TypeParameter],
        parameters: &'tree [Parameter],
        part: impl FnOnce(&mut Self),
    ) {
        self.with_type_parameters(type_parameters, |checker| {
            checker.scoped(|checker| {
                for parameter in parameters {
                    checker.declare(&parameter.name, parameter.id, false);
                }
                part(checker);
            });
        });
    }

    /// The contract of a routine. Ghost parameters are in scope everywhere, ghost results where they have a value.
    fn contract(&mut self, contract: &'tree Contract, place: ContractPlace) {
        self.clauses(contract, place);
        for parameter in contract.given() {
            self.declare(&parameter.name, parameter.id, false);
        }
        let is_constructor = place == ContractPlace::Constructor;
        for clause in &contract.clauses {
            match &clause.kind {
                ClauseKind::Requires(e) | ClauseKind::Context(e) | ClauseKind::ContextEverywhere(e) => self
                    .within(
                        |context| {
                            context.constructor_precondition = is_constructor;
                            context.routine_contract = true;
                        },
                        |checker| checker.assertion(e),
                    ),
                ClauseKind::Ensures(e) => self.within(
                    |context| {
                        context.result_allowed = true;
                        context.old_allowed = true;
                        context.routine_contract = true;
                    },
                    |checker| {
                        checker.scoped(|checker| {
                            for parameter in contract.yields() {
                                checker.declare(&parameter.name, parameter.id, false);
                            }
                            checker.assertion(e);
                        });
                    },
                ),
                _ => {}
            }
        }
        self.measure(contract);
        let assertions: Vec<&'tree Expression> =
            contract.preconditions().chain(contract.everywhere()).collect();
        self.check_auto_values(&assertions);
        let assertions: Vec<&'tree Expression> =
            contract.postconditions().chain(contract.everywhere()).collect();
        self.check_auto_values(&assertions);
    }

    /// The body of a method, with its ghost results as variables.
    fn method_block(&mut self, contract: &'tree Contract, body: &'tree Block) {
        self.collect_labels(body);
        let jumps = super::jumps::check(body);
        let locks = super::kept_locks::check(contract, body);
        for message in jumps.into_iter().chain(locks) {
            self.report(message);
        }
        self.within(
            |context| {
                context.old_allowed = true;
                context.thread = ThreadPlace::Current;
            },
            |checker| {
                checker.scoped(|checker| {
                    for parameter in contract.yields() {
                        checker.declare(&parameter.name, parameter.id, false);
                    }
                    checker.block(body);
                });
            },
        );
    }

    fn method(&mut self, method: &'tree Method) {
        self.routine_modifiers(&method.modifiers, self.context.owner.is_some());
        let result = self.resolution.types.get(&method.result.id).cloned().unwrap_or(Type::Unknown);
        let is_pure = method.modifiers.pure.is_some();
        self.context.result = Some(result);
        self.context.thread = if is_pure { ThreadPlace::of(&method.modifiers) } else { ThreadPlace::Current };
        if let Some(span) = method.modifiers.thread_local
            && !is_pure
        {
            self.error(
                codes::MODIFIER,
                span,
                "every method has a current thread",
                "only predicates and pure functions are marked `thread_local`",
            );
        }
        let has_this = self.context.has_this;
        self.with_parameters(&method.type_parameters, &method.parameters, |checker| {
            let place = if is_pure { ContractPlace::Function } else { ContractPlace::Routine };
            checker.contract(&method.contract, place);
            let Some(body) = &method.body else { return };
            if is_pure {
                checker.within(|context| context.pure = true, |checker| checker.pure_block(body));
            } else {
                checker.method_block(&method.contract, body);
            }
        });
        self.context.has_this = has_this;
    }

    fn function(&mut self, function: &'tree Function) {
        self.routine_modifiers(&function.modifiers, self.context.owner.is_some());
        let result = self.resolution.types.get(&function.result.id).cloned().unwrap_or(Type::Unknown);
        self.context.result = Some(result.clone());
        self.context.thread = ThreadPlace::of(&function.modifiers);
        self.context.pure = true;
        self.with_parameters(&function.type_parameters, &function.parameters, |checker| {
            checker.contract(&function.contract, ContractPlace::Function);
            if let Some(body) = &function.body {
                // A function can be called by the program, so only what that can evaluate is allowed, but the
                // borders between program and specification are the callers'.
                checker.within(|context| context.ghost = true, |checker| checker.check(body, &result));
                checker.forbid_held_amounts(body);
            }
        });
    }

    fn predicate(&mut self, predicate: &'tree Predicate) {
        self.routine_modifiers(&predicate.modifiers, self.context.owner.is_some());
        self.context.thread = ThreadPlace::of(&predicate.modifiers);
        if let Some(span) = predicate.modifiers.pure {
            self.error(codes::MODIFIER, span, "predicates are pure anyway", "remove `pure`");
        }
        self.with_parameters(&[], &predicate.parameters, |checker| {
            let Some(body) = &predicate.body else { return };
            checker.forbid_held_amounts(body);
            match predicate.kind {
                PredicateKind::Resource => checker.assertion(body),
                PredicateKind::Fact => {
                    let ty = checker.specification(|checker| checker.infer(body, Some(&Type::Boolean)));
                    if ty == Type::Resource {
                        checker.error(
                            codes::TYPE,
                            body.span,
                            format!("the predicate `{}` holds permissions", predicate.name.text),
                            "a `predicate` is a fact; what holds permissions is declared with `resource`",
                        );
                    } else {
                        checker.convert(body, &ty, &Type::Boolean);
                    }
                }
            }
        });
    }

    fn lemma(&mut self, lemma: &'tree Lemma) {
        self.routine_modifiers(&lemma.modifiers, self.context.owner.is_some());
        let Modifiers { pure, inline, thread_local, .. } = &lemma.modifiers;
        if let Some(span) = pure.or(*inline).or(*thread_local) {
            self.error(codes::MODIFIER, span, "a lemma can only be marked `static`", "remove it");
        }
        self.context.result = Some(Type::Void);
        self.context.thread = ThreadPlace::Current;
        self.context.ghost = true;
        self.with_parameters(&lemma.type_parameters, &lemma.parameters, |checker| {
            checker.contract(&lemma.contract, ContractPlace::Routine);
            if let Some(body) = &lemma.body {
                checker.method_block(&lemma.contract, body);
            }
        });
    }

    fn constructor(&mut self, constructor: &'tree Constructor) {
        self.context.thread = ThreadPlace::Current;
        self.with_parameters(&constructor.type_parameters, &constructor.parameters, |checker| {
            checker.contract(&constructor.contract, ContractPlace::Constructor);
            if let Some(body) = &constructor.body {
                checker.context.result = Some(Type::Void);
                checker.context.in_constructor = true;
                checker.method_block(&constructor.contract, body);
                let mut errors = finals::check(&checker.resolution, body);
                checker.diagnostics.append(&mut errors);
            }
        });
    }

    fn run(&mut self, run: &'tree Run) {
        // The contract is used by the threads that fork and join this one, so it cannot mention the current thread.
        self.context.thread = ThreadPlace::Shared;
        self.context.result = Some(Type::Void);
        self.scoped(|checker| {
            checker.contract(&run.contract, ContractPlace::Routine);
            if let Some(body) = &run.body {
                checker.method_block(&run.contract, body);
            }
        });
        for clause in &run.contract.clauses {
            if matches!(clause.kind, ClauseKind::Given(_) | ClauseKind::Yields(_)) {
                self.error(
                    codes::CLAUSE,
                    clause.span,
                    "`run` has no ghost parameters: `fork` cannot pass them",
                    "keep the value in a field",
                );
            }
        }
    }

    fn adt(&mut self, id: NodeId, adt: &'tree Adt) {
        self.with_type_parameters(&adt.type_parameters, |checker| {
            checker.context = Context { owner: Some(id), pure: true, ghost: true, ..Context::default() };
            for axiom in &adt.axioms {
                checker.scoped(|checker| checker.check(&axiom.body, &Type::Boolean));
            }
        });
    }

    fn model(&mut self, id: NodeId, model: &'tree Model) {
        for member in &model.members {
            self.context = Context { owner: Some(id), in_model: true, ghost: true, ..Context::default() };
            self.around = Surroundings::default();
            self.model_member(id, member);
        }
    }

    fn model_member(&mut self, model: NodeId, member: &'tree ModelMember) {
        match &member.kind {
            ModelMemberKind::Fields(_) => {}
            ModelMemberKind::Formula(named) => self.formula(model, &named.formula),
            ModelMemberKind::Process(process) | ModelMemberKind::Action(process) => {
                self.process(model, process);
            }
            ModelMemberKind::Method(method) => self.method(method),
            ModelMemberKind::Function(function) => self.function(function),
        }
    }

    fn process(&mut self, model: NodeId, process: &'tree Process) {
        self.with_parameters(&[], &process.parameters, |checker| {
            checker.contract(&process.contract, ContractPlace::Process);
            for clause in &process.contract.clauses {
                let (ClauseKind::Modifies(names) | ClauseKind::Accessible(names)) = &clause.kind else {
                    continue;
                };
                for name in names {
                    let known =
                        checker.names.fields.get(&model).is_some_and(|it| it.contains_key(&name.text));
                    if !known {
                        checker.error(
                            codes::NO_SUCH_NAME,
                            name.span,
                            format!("the model has no field `{}`", name.text),
                            "these clauses name fields of the model",
                        );
                    }
                }
            }
            if let Some(body) = &process.body {
                checker.specification(|checker| checker.check(body, &Type::Process));
            }
        });
    }
}
