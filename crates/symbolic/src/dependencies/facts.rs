//! What is written in one text: the symbols and resources that occur in it, without looking at what they stand for.

use std::collections::BTreeSet;

use silver::typed::{
    Block, DomainId, Expression, ExpressionKind, ExpressionRef, FunctionId, Local, MethodId, PredicateId,
    Program, Resource, Statement, StatementKind, Trigger, Type, Wand, for_each_expression, visit_expression,
    visit_statements,
};

use super::{ResourceSet, WandShapes};

#[derive(Clone, Default, Debug)]
pub(super) struct Facts {
    pub(super) functions: BTreeSet<FunctionId>,
    pub(super) methods: BTreeSet<MethodId>,
    pub(super) domains: BTreeSet<DomainId>,
    pub(super) resources: ResourceSet,
    pub(super) opened: BTreeSet<PredicateId>,
    pub(super) quantified: ResourceSet,
    pub(super) triggers: ResourceSet,
}

impl Facts {
    pub(super) fn of_expressions(
        program: &Program,
        expressions: &[ExpressionRef],
        shapes: &mut WandShapes,
    ) -> Facts {
        let mut facts = Facts::default();
        expressions.iter().for_each(|expression| facts.add_expression(program, expression, shapes));
        facts.add_field_types(program);
        facts
    }

    pub(super) fn of_block(program: &Program, block: &Block, shapes: &mut WandShapes) -> Facts {
        let mut facts = Facts::default();
        visit_statements(block, &mut |statement| {
            facts.add_statement(program, statement, shapes);
            for_each_expression(statement, &mut |expression| {
                facts.add_expression(program, expression, shapes);
            });
        });
        facts.add_field_types(program);
        facts
    }

    /// A heap can hold values of fields that no expression reads.
    fn add_field_types(&mut self, program: &Program) {
        for field in self.resources.fields.clone() {
            self.add_type(&program.field(field).ty);
        }
    }

    pub(super) fn merge(&mut self, other: &Facts) {
        self.functions.extend(&other.functions);
        self.methods.extend(&other.methods);
        self.domains.extend(&other.domains);
        self.resources.extend(&other.resources);
        self.opened.extend(&other.opened);
        self.quantified.extend(&other.quantified);
        self.triggers.extend(&other.triggers);
    }

    pub(super) fn add_locals(&mut self, locals: &[Local]) {
        locals.iter().for_each(|local| self.add_type(&local.ty));
    }

    pub(super) fn add_type(&mut self, ty: &Type) {
        match ty {
            Type::Int | Type::Bool | Type::Perm | Type::Ref | Type::Parameter(_) => {}
            Type::Seq(element) | Type::Set(element) | Type::Multiset(element) => self.add_type(element),
            Type::Map(key, value) => {
                self.add_type(key);
                self.add_type(value);
            }
            Type::Domain(domain, arguments) => {
                self.domains.insert(*domain);
                arguments.iter().for_each(|argument| self.add_type(argument));
            }
        }
    }

    /// What a statement mentions outside the expressions that it holds.
    fn add_statement(&mut self, program: &Program, statement: &Statement, shapes: &mut WandShapes) {
        match &statement.kind {
            StatementKind::FieldAssign { field, .. } => {
                self.resources.fields.insert(*field);
            }
            StatementKind::New { fields, .. } => self.resources.fields.extend(fields.iter().copied()),
            StatementKind::Call { method, .. } => {
                self.methods.insert(*method);
            }
            StatementKind::Fold(access) | StatementKind::Unfold(access) => {
                self.resources.predicates.insert(access.predicate);
                self.opened.insert(access.predicate);
            }
            StatementKind::Package { wand, .. } | StatementKind::Apply(wand) => {
                self.resources.wands.insert(shapes.intern(program, wand));
            }
            StatementKind::Quasihavoc { resource, .. } | StatementKind::QuasihavocAll { resource, .. } => {
                add_resource(&mut self.resources, program, resource, shapes);
            }
            StatementKind::Assign { .. }
            | StatementKind::Inhale(_)
            | StatementKind::Exhale(_)
            | StatementKind::Question(_)
            | StatementKind::Assert { .. }
            | StatementKind::Refute { .. }
            | StatementKind::If { .. }
            | StatementKind::While { .. }
            | StatementKind::Label { .. }
            | StatementKind::Goto(_)
            | StatementKind::Block(_) => {}
        }
    }

    pub(super) fn add_expression(
        &mut self,
        program: &Program,
        root: &ExpressionRef,
        shapes: &mut WandShapes,
    ) {
        visit_expression(root, &mut |node| {
            self.add_type(&node.ty);
            match &node.kind {
                ExpressionKind::FunctionApplication { function, .. } => {
                    self.functions.insert(*function);
                }
                ExpressionKind::DomainApplication { function, type_arguments, .. } => {
                    self.domains.insert(program.domain_function(*function).domain);
                    type_arguments.iter().for_each(|argument| self.add_type(argument));
                }
                ExpressionKind::FieldAccess { .. }
                | ExpressionKind::FieldPermission { .. }
                | ExpressionKind::PredicatePermission(_)
                | ExpressionKind::Wand(_) => add_location(&mut self.resources, program, node, shapes),
                ExpressionKind::ResourceTerm(resource)
                | ExpressionKind::CurrentPermission(resource)
                | ExpressionKind::ForPerm { resource, .. } => {
                    add_resource(&mut self.resources, program, resource, shapes);
                }
                ExpressionKind::Unfolding { access, .. } => {
                    self.resources.predicates.insert(access.predicate);
                    self.opened.insert(access.predicate);
                }
                ExpressionKind::Applying { wand, .. } => {
                    self.resources.wands.insert(shapes.intern(program, wand));
                }
                ExpressionKind::Forall { triggers, .. } => {
                    self.add_triggers(program, triggers, shapes);
                    if let Some(permission) = node.as_quantified_permission() {
                        add_location(&mut self.quantified, program, permission.assertion, shapes);
                    }
                }
                ExpressionKind::Exists { triggers, .. } => self.add_triggers(program, triggers, shapes),
                _ => {}
            }
            true
        });
    }

    fn add_triggers(&mut self, program: &Program, triggers: &[Trigger], shapes: &mut WandShapes) {
        for expression in triggers.iter().flat_map(|trigger| trigger.expressions.iter()) {
            let mut term = expression;
            while let ExpressionKind::Old(body) | ExpressionKind::LabelledOld { body, .. } = &term.kind {
                term = body;
            }
            match &term.kind {
                ExpressionKind::FieldAccess { .. } => add_location(&mut self.triggers, program, term, shapes),
                ExpressionKind::ResourceTerm(resource) => {
                    add_resource(&mut self.triggers, program, resource, shapes);
                }
                _ => {}
            }
        }
    }
}

/// Adds the resource of an access or of an accessibility predicate.
fn add_location(set: &mut ResourceSet, program: &Program, node: &Expression, shapes: &mut WandShapes) {
    match &node.kind {
        ExpressionKind::FieldAccess { field, .. } | ExpressionKind::FieldPermission { field, .. } => {
            set.fields.insert(*field);
        }
        ExpressionKind::PredicatePermission(access) => {
            set.predicates.insert(access.predicate);
        }
        ExpressionKind::Wand(wand) => add_wand(set, program, wand, shapes),
        _ => {}
    }
}

fn add_resource(set: &mut ResourceSet, program: &Program, resource: &Resource, shapes: &mut WandShapes) {
    match resource {
        Resource::Field { field, .. } => {
            set.fields.insert(*field);
        }
        Resource::Predicate { predicate, .. } => {
            set.predicates.insert(*predicate);
        }
        Resource::Wand(wand) => add_wand(set, program, wand, shapes),
    }
}

fn add_wand(set: &mut ResourceSet, program: &Program, wand: &Wand, shapes: &mut WandShapes) {
    set.wands.insert(shapes.intern(program, wand));
}
