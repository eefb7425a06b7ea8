//! The lock of an object: `lock`, `unlock`, `commit`, `wait`, `notify`, `held` and `committed`.
//!
//! Each class has a predicate for its lock invariant, an abstract predicate that says that the lock is held, and an
//! abstract function that says that the invariant has been given up once. What is committed stays committed, and
//! nothing can be concluded from an object not being committed: `committed` stands only where it is asked for or
//! promised.

use std::rc::Rc;
use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::heap::permissions::{Amount, Location};
use crate::lower::instances::{Instance, Part};
use crate::lower::models::Actual;
use crate::lower::origin::Role;
use crate::lower::scope::Scope;
use crate::resolve::Type;
use crate::syntax::tree::{Builtin, Expression, NodeId};

impl<'t> Lowering<'t> {
    pub(crate) fn lower_lock_invariant(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some(class) = self.resolution.items.classes.get(&instance.id).copied() else { return };
        let place = class.name.span;
        let substitution = Rc::new(self.class_substitution(Some(instance.id), &instance.arguments));
        let mut scope = Scope::new(self, substitution);
        scope.member.is_definition = true;
        let formals = vec![scope.this_formal(place)];
        let mut conjuncts = vec![scope.this_exists(place)];
        for assertion in class.contract.lock_invariants() {
            conjuncts.push(scope.assertion(assertion));
        }
        let mut build = scope.at(place);
        let body = Some(build.all(conjuncts));
        let predicate = s::Predicate { name: build.name(name), formals, body };
        self.add_member(place, s::MemberKind::Predicate(predicate));
        if class.contract.lock_invariants().next().is_some() {
            let shown = format!("{}.lock_invariant", class.name.text);
            self.describe(name, shown, verdict::MemberKind::LockInvariant, place);
            if let Some(described) = self.described.last_mut() {
                described.own_name = "lock_invariant".to_string();
            }
        }
    }

    /// An abstract predicate over an object.
    pub(crate) fn lower_token(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some(class) = self.resolution.items.classes.get(&instance.id) else { return };
        let place = class.name.span;
        let mut scope = Scope::new(self, Rc::default());
        let formals = vec![scope.this_formal(place)];
        let predicate = s::Predicate { name: scope.at(place).name(name), formals, body: None };
        self.add_member(place, s::MemberKind::Predicate(predicate));
    }

    pub(crate) fn lower_committed(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some(class) = self.resolution.items.classes.get(&instance.id) else { return };
        let place = class.name.span;
        let mut scope = Scope::new(self, Rc::default());
        let formals = vec![scope.this_formal(place)];
        let mut build = scope.at(place);
        let function = s::Function {
            name: build.name(name),
            formals,
            result: build.ty(s::TypeKind::Bool),
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            body: None,
        };
        self.add_member(place, s::MemberKind::Function(function));
    }
}

impl<'t> Scope<'_, 't> {
    /// The class of an object and its type arguments.
    pub(crate) fn class_of(&mut self, object: &'t Expression, what: &str) -> Option<(NodeId, Vec<Type>)> {
        match self.type_of(object) {
            Type::Class(id, arguments) => Some((id, arguments.to_vec())),
            _ => {
                self.unsupported(object.span, what);
                None
            }
        }
    }

    fn part_of(&mut self, part: Part, class: &(NodeId, Vec<Type>)) -> Arc<str> {
        self.lowering.instance(Instance::new(part, class.0, class.1.clone()))
    }

    /// `part(object)` with full permission.
    fn full(
        &mut self,
        part: Part,
        class: &(NodeId, Vec<Type>),
        object: &s::Expression,
        place: Span,
    ) -> s::Expression {
        let name = self.part_of(part, class);
        let mut build = self.at(place);
        let predicate = build.call(&name, vec![object.clone()]);
        let write = build.write();
        build.access(predicate, write)
    }

    /// `held(o)`, `committed(o)`, `idle(o)` or `running(o)`
    pub(crate) fn token(
        &mut self,
        builtin: Builtin,
        object: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let Some(class) = self.class_of(object, "this object, whose class is not known,") else {
            return self.at(place).bool(true);
        };
        let part = match builtin {
            Builtin::Held => Part::Held,
            Builtin::Committed => Part::Committed,
            Builtin::Idle => Part::Idle,
            _ => Part::Running,
        };
        let object = self.expression(object);
        let name = self.part_of(part, &class);
        let call = self.at(place).call(&name, vec![object]);
        if part == Part::Committed {
            return call;
        }
        let write = self.at(place).write();
        let amount = Amount::Exact(self.scaled(write, place));
        self.held(Location::One(call), amount, place)
    }

    fn lock_object(
        &mut self,
        object: &'t Expression,
        place: Span,
    ) -> Option<((NodeId, Vec<Type>), s::Expression)> {
        let class = self.class_of(object, "the lock of something that is not an object of a class")?;
        let ty = self.type_of(object);
        let object = self.expression(object);
        let object = self.keep(object, &ty, "lock", place);
        self.null_check(object.clone(), "lockNull", place);
        Some((class, object))
    }

    pub(crate) fn lock(&mut self, object: &'t Expression, place: Span) {
        let Some((class, object)) = self.lock_object(object, place) else { return };
        if self.lowering.commits_by_constructor(class.0) {
            // Only what is under construction may not have been committed.
            if self.member.constructs == Some(class.0) {
                let this = self.this(place);
                let other = self.at(place).different(object.clone(), this);
                self.assert_as(Role::Code("lockNotCommitted"), other, place);
            }
            self.acquire(&class, &object, place);
            return;
        }
        let committed = self.part_of(Part::Committed, &class);
        let committed = self.at(place).call(&committed, vec![object.clone()]);
        self.assert_as(Role::Code("lockNotCommitted"), committed, place);
        self.acquire(&class, &object, place);
    }

    fn acquire(&mut self, class: &(NodeId, Vec<Type>), object: &s::Expression, place: Span) {
        let invariant = self.full(Part::LockInvariant, class, object, place);
        self.inhale(invariant.clone(), place);
        self.emit_kind(place, s::StatementKind::Unfold(invariant));
        let held = self.full(Part::Held, class, object, place);
        self.inhale(held, place);
        let (clauses, actual) = self.lock_parts(class, object);
        self.give_parts(&clauses, &actual, place);
    }

    /// What the lock invariant of an object says, with what its names stand for.
    fn lock_parts(
        &mut self,
        class: &(NodeId, Vec<Type>),
        object: &s::Expression,
    ) -> (Vec<&'t Expression>, Actual) {
        let declared = self.resolution.items.classes.get(&class.0).copied();
        let clauses: Vec<&'t Expression> =
            declared.into_iter().flat_map(|it| it.contract.lock_invariants()).collect();
        let types = Rc::new(self.lowering.class_substitution(Some(class.0), &class.1));
        (clauses, Actual { this: Some(object.clone()), parameters: Vec::new(), types })
    }

    fn release(&mut self, class: &(NodeId, Vec<Type>), object: &s::Expression, place: Span) {
        self.give_up_invariant(class, object, "invariantFailed", place);
        let held = self.full(Part::Held, class, object, place);
        self.exhale_as(Role::Base("heldFailed"), held, place);
        self.assume_committed(class, object, place);
    }

    fn give_up_invariant(
        &mut self,
        class: &(NodeId, Vec<Type>),
        object: &s::Expression,
        code: &'static str,
        place: Span,
    ) {
        let (clauses, actual) = self.lock_parts(class, object);
        self.take_parts(&clauses, &actual, Role::Base(code), place);
        let invariant = self.full(Part::LockInvariant, class, object, place);
        let kind = s::StatementKind::Fold(invariant.clone());
        let fold = self.at(place).statement_as(Role::Base(code), kind);
        self.emit(fold);
        self.exhale_as(Role::Base(code), invariant, place);
    }

    fn assume_committed(&mut self, class: &(NodeId, Vec<Type>), object: &s::Expression, place: Span) {
        let committed = self.part_of(Part::Committed, class);
        let committed = self.at(place).call(&committed, vec![object.clone()]);
        self.inhale(committed, place);
    }

    pub(crate) fn unlock(&mut self, object: &'t Expression, place: Span) {
        let Some((class, object)) = self.lock_object(object, place) else { return };
        self.release(&class, &object, place);
    }

    /// Gives the lock away and gets it back.
    pub(crate) fn wait(&mut self, object: &'t Expression, place: Span) {
        let Some((class, object)) = self.lock_object(object, place) else { return };
        self.release(&class, &object, place);
        self.acquire(&class, &object, place);
    }

    pub(crate) fn notify(&mut self, object: &'t Expression, place: Span) {
        let Some((class, object)) = self.lock_object(object, place) else { return };
        let held = self.full(Part::Held, &class, &object, place);
        self.assert_as(Role::Base("heldFailed"), held, place);
    }

    /// The end of a constructor, where its object is committed.
    pub(crate) fn commit_new_object(&mut self, class: &(NodeId, Vec<Type>), place: Span) {
        let this = self.this(place);
        self.give_up_invariant(class, &this, "commitFailed", place);
        self.assume_committed(class, &this, place);
    }

    pub(crate) fn commit(&mut self, object: &'t Expression, place: Span) {
        let Some((class, object)) = self.lock_object(object, place) else { return };
        self.give_up_invariant(&class, &object, "commitFailed", place);
        self.assume_committed(&class, &object, place);
    }
}
