//! Threads: `run`, `fork` and `join`.
//!
//! A class with `run` has two abstract predicates: an object that is idle can be forked, one that is running can be
//! joined. Forking takes what `run` requires, joining gives what it ensures.

use std::rc::Rc;
use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::contracts::methods::MethodParts;
use crate::lower::instances::{Instance, Part};
use crate::lower::models::Actual;
use crate::lower::origin::Role;
use crate::lower::scope::Scope;
use crate::resolve::Type;
use crate::syntax::tree::{ClassMemberKind, Expression, NodeId, Run};

impl<'t> Lowering<'t> {
    pub(crate) fn lower_run(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some(run) = self.resolution.items.runs.get(&instance.id).copied() else { return };
        let span = self.member_span(instance.id).unwrap_or(run.keyword);
        let parts = MethodParts {
            contract: &run.contract,
            parameters: &[],
            result: Type::Void,
            body: run.body.as_ref(),
            has_this: true,
            is_ghost: false,
            kind: verdict::MemberKind::Run,
            name_span: run.keyword,
            span,
        };
        self.lower_method_with(instance, name, &parts);
    }

    /// The `run` of a class.
    fn run_of(&self, class: NodeId) -> Option<(&'t Run, Span)> {
        let mut members = self.resolution.items.members.get(&class)?.iter();
        members.find_map(|member| match &member.kind {
            ClassMemberKind::Run(run) => Some((run, member.span)),
            _ => None,
        })
    }

    pub(crate) fn lower_fork_method(&mut self, instance: &Instance, name: &Arc<str>) {
        self.lower_thread_method(instance, name, true);
    }

    pub(crate) fn lower_join_method(&mut self, instance: &Instance, name: &Arc<str>) {
        self.lower_thread_method(instance, name, false);
    }

    fn lower_thread_method(&mut self, instance: &Instance, name: &Arc<str>, is_fork: bool) {
        let Some((run, span)) = self.run_of(instance.id) else { return };
        let place = run.keyword;
        let substitution = Rc::new(self.class_substitution(Some(instance.id), &instance.arguments));
        let part = |part| Instance::new(part, instance.id, instance.arguments.clone());
        let idle = self.instance(part(Part::Idle));
        let running = self.instance(part(Part::Running));
        let values = self.values_at_fork(&run.contract);
        let mut scope = Scope::new(self, substitution);
        let formals = vec![scope.this_formal(place)];
        let token = |scope: &mut Scope<'_, 't>, name: &Arc<str>, role: Role| {
            let this = scope.this(place);
            let mark = scope.lowering.origins.mark();
            let mut build = scope.at(place);
            let predicate = build.call(name, vec![this]);
            let write = build.write();
            let access = build.expression_as(role, s::ExpressionKind::Access(predicate, Some(write)));
            let specification = build.specification(access);
            scope.lowering.origins.add_region(mark, role);
            specification
        };
        let this = scope.this(place);
        let mut build = scope.at(place);
        let null = build.null();
        let kind = s::ExpressionKind::Binary(s::BinaryOperator::NotEqual, this, null);
        let code = if is_fork { "forkNull" } else { "joinNull" };
        let exists = build.expression_as(Role::Code(code), kind);
        let mut preconditions = vec![build.specification(exists)];
        let mut postconditions = Vec::new();
        if is_fork {
            // Only the thread itself may go on forever.
            scope.lowering.ends.push(name.clone());
            preconditions.push(token(&mut scope, &idle, Role::Code("running")));
            preconditions.extend(scope.preconditions(&run.contract));
            postconditions.push(token(&mut scope, &running, Role::Plain));
            postconditions.extend(scope.say_values_at_fork(values, instance));
        } else {
            preconditions.push(token(&mut scope, &running, Role::Code("idle")));
            postconditions.push(token(&mut scope, &idle, Role::Plain));
            scope.use_values_at_fork(values, instance);
            postconditions.extend(scope.postconditions(&run.contract));
        }
        let name = scope.at(place).name(name);
        let method =
            s::Method { name, formals, returns: Vec::new(), preconditions, postconditions, body: None };
        self.add_member(span, s::MemberKind::Method(method));
    }
}

impl<'t> Scope<'_, 't> {
    pub(crate) fn fork(&mut self, object: &'t Expression, place: Span) {
        self.thread_call(Part::Fork, object, place);
    }

    pub(crate) fn join(&mut self, object: &'t Expression, place: Span) {
        self.thread_call(Part::Join, object, place);
    }

    fn thread_call(&mut self, part: Part, object: &'t Expression, place: Span) {
        let Some((class, arguments)) = self.class_of(object, "a thread that is not an object of a class")
        else {
            return;
        };
        let Some((run, _)) = self.lowering.run_of(class) else {
            let message = "objects of this class cannot be forked or joined, because it has no `run`";
            self.error("runnableMethodMissing", object.span, message, "give the class a `run { … }`");
            return;
        };
        let types = Rc::new(self.lowering.class_substitution(Some(class), &arguments));
        let name = self.lowering.instance(Instance::new(part, class, arguments));
        let ty = self.type_of(object);
        let mut object = self.expression(object);
        let clauses: Vec<&'t Expression> = match part {
            Part::Fork => run.contract.preconditions().collect(),
            _ => run.contract.postconditions().collect(),
        };
        let shared = self.have_parts(&clauses).then(|| {
            object = self.keep(object.clone(), &ty, "thread", place);
            Actual { this: Some(object.clone()), parameters: Vec::new(), types }
        });
        if let (Part::Fork, Some(actual)) = (part, &shared) {
            self.take_parts(&clauses, actual, Role::Base("forkPre"), place);
        }
        let mut build = self.at(place);
        let call = build.call(&name, vec![object]);
        let kind = s::StatementKind::Assign { targets: Vec::new(), value: call };
        let role = if part == Part::Fork { Role::Base("forkPre") } else { Role::Base("joinPre") };
        let statement = build.statement_as(role, kind);
        self.emit(statement);
        if let (Part::Join, Some(actual)) = (part, &shared) {
            self.give_parts(&clauses, actual, place);
        }
    }
}
