//! Calls: the caller's values are put into the summary of what is called.

use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;

use super::flow::{Flow, Here};
use super::places::{Location, Place};
use super::summary::{Origin, Taint};
use crate::resolve::{CallTarget, NameTarget, Receiver, Selection};
use crate::syntax::tree::{
    Builtin, ClauseKind, Contract, Expression, ExpressionKind, GivenArgument, NodeId, Parameter, Routine,
    UnaryOperator, YieldsResult,
};

/// What is passed.
struct Passed {
    arguments: FxHashMap<NodeId, Taint>,
    this: Taint,
    /// Something that is declared as ghost is named in an argument.
    names_ghost: bool,
}

impl Flow<'_, '_> {
    pub(super) fn call_expression(&mut self, expression: &Expression, here: &Here) -> Taint {
        let items = &self.resolution.items;
        match &*expression.kind {
            ExpressionKind::New { arguments, given, yields, .. } => {
                let taints: Vec<Taint> = arguments.iter().map(|it| self.expression(it, here)).collect();
                self.given(given, here);
                self.allocation(expression, here);
                let constructor = self.resolution.creations.get(&expression.id).and_then(|it| it.constructor);
                if let Some(id) = constructor
                    && let Some(declared) = items.constructors.get(&id)
                {
                    let passed = passed(&declared.parameters, taints, Taint::default());
                    self.call(id, &passed, expression.span, here);
                }
                self.yields(yields, here);
                // Which object it is depends on nothing; what is in it was written by the constructor.
                Taint::default()
            }
            ExpressionKind::Call(call) => {
                let target = self.resolution.calls.get(&expression.id);
                let here = &self.around_arguments(expression, target, here);
                let receiver = call.receiver.as_ref().map(|receiver| self.receiver(receiver, here));
                let taints: Vec<Taint> = call.arguments.iter().map(|it| self.expression(it, here)).collect();
                self.given(&call.given, here);
                let value = match target {
                    Some(CallTarget::Routine(target)) if items.routines.contains_key(&target.routine) => {
                        let this = match target.receiver {
                            Receiver::Explicit => {
                                let taint = receiver.unwrap_or_default();
                                if let Some(object) = &call.receiver {
                                    self.accessed(expression.span, object, &taint, here);
                                }
                                taint
                            }
                            Receiver::ImplicitThis => Taint::of(Origin::This(self.routine)),
                            Receiver::None => Taint::default(),
                        };
                        let parameters = items.routines.get(&target.routine).map(|it| it.parameters());
                        let mut passed = passed(parameters.unwrap_or_default(), taints, this);
                        passed.names_ghost = call.arguments.iter().any(|argument| self.names_ghost(argument));
                        self.call(target.routine, &passed, expression.span, here)
                    }
                    _ => {
                        let mut parts = receiver.into_iter().chain(taints);
                        let object = parts.next().unwrap_or_default();
                        let arguments = parts.fold(Taint::default(), |taint, it| taint.joined(&it));
                        if let Some(CallTarget::Member(member) | CallTarget::MemberFunction(member)) = target
                        {
                            self.selected(expression, *member, &object, &arguments, here);
                        }
                        object.joined(&arguments)
                    }
                };
                self.yields(&call.yields, here);
                value
            }
            ExpressionKind::CoalescingCall { receiver, arguments, .. } => {
                let taint = self.expression(receiver, here);
                arguments.iter().fold(taint, |taint, it| taint.joined(&self.expression(it, here)))
            }
            _ => Taint::default(),
        }
    }

    /// Where the arguments of a call are evaluated: those of ghost methods are ghost code, and those of methods in an
    /// assertion are evaluated like the call itself.
    fn around_arguments(&mut self, call: &Expression, target: Option<&CallTarget>, here: &Here) -> Here {
        let Some(CallTarget::Routine(target)) = target else { return here.clone() };
        let items = &self.resolution.items;
        let declared = items.routines.get(&target.routine);
        if items.is_ghost(target.routine) || matches!(declared, Some(Routine::Lemma(_))) {
            let source = self.source(call.span, "this is ghost code".to_string());
            return self.inside_ghost_code(here, &source);
        }
        let is_method = matches!(declared, Some(Routine::Method(method)) if method.modifiers.pure.is_none());
        Here { for_proof: here.for_proof && !is_method, ..here.clone() }
    }

    /// What stands in front of the dot, which can be a type.
    fn receiver(&mut self, receiver: &Expression, here: &Here) -> Taint {
        match self.resolution.names.get(&receiver.id) {
            Some(NameTarget::TypeName(_)) => Taint::default(),
            _ => self.expression(receiver, here),
        }
    }

    pub(super) fn operator_call(
        &mut self,
        expression: &Expression,
        routine: NodeId,
        this: Taint,
        argument: Taint,
        here: &Here,
    ) -> Taint {
        let parameters = self.resolution.items.routines.get(&routine).map(|it| it.parameters());
        let passed = passed(parameters.unwrap_or_default(), vec![argument], this);
        self.call(routine, &passed, expression.span, here)
    }

    /// `fork e`: what the thread does to the heap happens; what it waits for, only it waits for.
    pub(super) fn started(&mut self, object: &Expression, this: &Taint, here: &Here) {
        let crate::resolve::Type::Class(class, _) = self.type_of(object) else { return };
        let members = self.resolution.items.members.get(&class).into_iter().flatten();
        let run = members.map(|member| member.id).find(|id| self.resolution.items.runs.contains_key(id));
        let Some(run) = run else { return };
        let passed = Passed { arguments: FxHashMap::default(), this: this.clone(), names_ghost: false };
        self.writes_of(run, &passed, object.span, here);
    }

    /// A call, and what its value depends on.
    fn call(&mut self, routine: NodeId, passed: &Passed, span: Span, here: &Here) -> Taint {
        let items = &self.resolution.items;
        let declared = items.routines.get(&routine).copied();
        if matches!(declared, Some(Routine::Predicate(_))) {
            return passed.arguments.values().fold(passed.this.clone(), |taint, it| taint.joined(it));
        }
        let is_ghost = items.is_ghost(routine) || matches!(declared, Some(Routine::Lemma(_)));
        self.writes_of(routine, passed, span, here);
        let summary = self.summaries.get(&routine).cloned().unwrap_or_default();
        if is_ghost {
            let name = declared.map(|it| it.name().text.to_string()).unwrap_or_default();
            return self.source(span, format!("`{name}` exists for the proof only, and so does its result"));
        }
        if let Some(behaviour) = &summary.behaviour {
            self.behaviour_of_callee(behaviour, span, here);
        }
        for (behaviour, taint) in &summary.decides {
            let taint = taint.seen_by_caller(&passed.arguments, &passed.this);
            self.decided_in_callee(behaviour, &taint, span, here);
        }
        for (behaviour, taint) in &summary.fails {
            let taint = taint.seen_by_caller(&passed.arguments, &passed.this);
            self.callee_may_fail(behaviour, &taint, passed.names_ghost, span, here);
        }
        let mut end = summary.end.seen_by_caller(&passed.arguments, &passed.this);
        if self.calls_itself_without_end(routine) {
            end.join(&self.control(here));
        }
        self.end_depends_on(&end, span, here);
        let result = summary.result.seen_by_caller(&passed.arguments, &passed.this);
        // The way of a ghost value that is made inside goes on from the result.
        let own = |origin: &Origin| summary.result.0.contains_key(origin);
        let place = Place::Result(routine);
        let via = |origin: &Origin, via: &Option<Place>| match own(origin) {
            true => Some(place.clone()),
            false => via.clone(),
        };
        Taint(result.0.iter().map(|(origin, place)| (*origin, via(origin, place))).collect())
    }

    /// What is called writes to the heap.
    fn writes_of(&mut self, routine: NodeId, passed: &Passed, span: Span, here: &Here) {
        let writes = self.summaries.get(&routine).map(|summary| summary.writes.clone()).unwrap_or_default();
        let control = here.control.clone().joined(&self.jumps());
        let mut changed = false;
        for (location, taint) in &writes {
            let mut taint = taint.seen_by_caller(&passed.arguments, &passed.this);
            let is_ghost_field = matches!(location, Location::Field(field) if self.is_ghost_field(*field));
            if !here.ghost && !is_ghost_field {
                self.stored_by_callee(routine, location, &taint, span);
            }
            taint.join(&control);
            self.write_heap(location, &taint, span);
            changed |= !is_ghost_field;
        }
        if changed {
            self.changed_by_call(routine, span, here, &control);
        }
    }

    fn given(&mut self, given: &[GivenArgument], here: &Here) {
        for argument in given {
            let source = self.source(argument.value.span, "this is a ghost argument".to_string());
            self.expression(&argument.value, &self.inside_ghost_code(here, &source));
        }
    }

    fn yields(&mut self, yields: &[YieldsResult], here: &Here) {
        for result in yields {
            let text = format!("`{}` is a ghost result", result.name.text);
            let source = self.source(result.name.span, text);
            let inside = self.inside_ghost_code(here, &source);
            self.assign(&result.target, &source, result.target.span, &inside);
        }
    }

    /// All locations that a contract gives to a routine without a body.
    pub(super) fn locations_of(&mut self, contract: &Contract) -> Vec<Location> {
        let mut search = Locations { flow: self, found: Vec::new(), seen: FxHashSet::default() };
        for clause in &contract.clauses {
            if let ClauseKind::Requires(e) | ClauseKind::Context(e) | ClauseKind::ContextEverywhere(e) =
                &clause.kind
            {
                search.expression(e);
            }
        }
        search.found
    }
}

fn passed(parameters: &[Parameter], taints: Vec<Taint>, this: Taint) -> Passed {
    let arguments = parameters.iter().map(|parameter| parameter.id).zip(taints).collect();
    Passed { arguments, this, names_ghost: false }
}

/// Locations that an assertion speaks about, in the predicates and functions that it applies as well.
struct Locations<'f, 'a, 'tree> {
    flow: &'f mut Flow<'a, 'tree>,
    found: Vec<Location>,
    seen: FxHashSet<NodeId>,
}

impl Locations<'_, '_, '_> {
    fn add(&mut self, location: Location) {
        if !self.found.contains(&location) {
            self.found.push(location);
        }
    }

    fn expression(&mut self, expression: &Expression) {
        let resolution = self.flow.resolution;
        match &*expression.kind {
            ExpressionKind::Name(_) => {
                if let Some(NameTarget::Field(id) | NameTarget::StaticField(id)) =
                    resolution.names.get(&expression.id)
                {
                    self.add(Location::Field(*id));
                }
            }
            ExpressionKind::Field(..) => {
                if let Some(Selection::Field(id) | Selection::StaticField(id)) =
                    resolution.selections.get(&expression.id)
                {
                    self.add(Location::Field(*id));
                }
            }
            ExpressionKind::Index(..) => {
                if let Some(location) = self.flow.element(expression) {
                    self.add(location);
                }
            }
            ExpressionKind::Unary(UnaryOperator::Dereference, _) => {
                self.add(Location::Target(self.flow.type_of(expression)));
            }
            // Whole arrays and the ranges of pointers.
            ExpressionKind::Builtin(
                Builtin::Array
                | Builtin::Matrix
                | Builtin::Values
                | Builtin::Pointer
                | Builtin::PointerIndex
                | Builtin::ArrayPermission,
                _,
            ) => self.add(Location::Anything),
            // Locks and threads protect whatever their invariants say.
            ExpressionKind::Builtin(
                Builtin::Committed | Builtin::Held | Builtin::Idle | Builtin::Running,
                _,
            ) => self.add(Location::Anything),
            _ => {}
        }
        // A resource that is a value can hold anything.
        if self.flow.type_of(expression) == crate::resolve::Type::ResourceValue {
            self.add(Location::Anything);
        }
        if let Some(CallTarget::Routine(call)) = resolution.calls.get(&expression.id)
            && self.seen.insert(call.routine)
        {
            match resolution.items.routines.get(&call.routine) {
                Some(Routine::Predicate(predicate)) => match &predicate.body {
                    Some(body) => self.expression(body),
                    None => self.add(Location::Anything),
                },
                Some(Routine::Function(function)) => {
                    function.body.iter().for_each(|body| self.expression(body))
                }
                _ => {}
            }
        }
        expression.kind.for_each_child(&mut |child| self.expression(child));
    }
}
