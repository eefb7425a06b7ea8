//! Collects what a program declares, before anything inside of it is looked at.

use rustc_hash::FxHashMap;
use source::Diagnostic;
use std::sync::Arc;

use super::Items;
use crate::codes;
use crate::syntax::tree::{
    Class, ClassMemberKind, DeclarationKind, Model, ModelMemberKind, Modifiers, Name, NodeId, Program,
    Routine, TypeParameter,
};

/// Declarations by name. Routines can share a name; the order is that of the text.
#[derive(Default, Debug)]
pub(super) struct Names {
    pub(super) types: FxHashMap<Arc<str>, NodeId>,
    pub(super) routines: FxHashMap<Arc<str>, Vec<NodeId>>,
    pub(super) prover_functions: FxHashMap<Arc<str>, NodeId>,
    /// Of each class.
    pub(super) class_routines: FxHashMap<NodeId, FxHashMap<Arc<str>, Vec<NodeId>>>,
    /// Of each class and model.
    pub(super) fields: FxHashMap<NodeId, FxHashMap<Arc<str>, NodeId>>,
    pub(super) constructors: FxHashMap<NodeId, Vec<NodeId>>,
    /// The member that says what the thread of an object does.
    pub(super) runs: FxHashMap<NodeId, NodeId>,
    /// Of each enum.
    pub(super) constants: FxHashMap<NodeId, FxHashMap<Arc<str>, NodeId>>,
    /// Of each data type.
    pub(super) adt_functions: FxHashMap<NodeId, FxHashMap<Arc<str>, NodeId>>,
    /// Processes and actions of each model.
    pub(super) processes: FxHashMap<NodeId, FxHashMap<Arc<str>, NodeId>>,
}

pub(super) struct Collector<'tree> {
    pub(super) items: Items<'tree>,
    pub(super) names: Names,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Where each type name was declared first.
    places: FxHashMap<Arc<str>, &'tree Name>,
}

pub(super) fn collect(program: &Program) -> Collector<'_> {
    let mut collector = Collector {
        items: Items::default(),
        names: Names::default(),
        diagnostics: Vec::new(),
        places: FxHashMap::default(),
    };
    for declaration in &program.declarations {
        collector.items.declarations.push(declaration);
        let id = declaration.id;
        match &declaration.kind {
            DeclarationKind::Class(class) => collector.class(id, class),
            DeclarationKind::Enum(it) => {
                collector.type_name(&it.name, id);
                collector.items.enums.insert(id, it);
                for constant in &it.constants {
                    collector.items.owners.insert(constant.id, id);
                    let constants = collector.names.constants.entry(id).or_default();
                    if constants.insert(constant.name.text.clone(), constant.id).is_some() {
                        collector.duplicate(&constant.name, "this constant", None);
                    }
                }
            }
            DeclarationKind::Adt(it) => {
                collector.type_name(&it.name, id);
                collector.items.adts.insert(id, it);
                collector.type_parameters(&it.type_parameters);
                collector.names.adt_functions.entry(id).or_default();
                for function in &it.functions {
                    collector.items.adt_functions.insert(function.id, function);
                    collector.items.owners.insert(function.id, id);
                    let functions = collector.names.adt_functions.entry(id).or_default();
                    if functions.insert(function.name.text.clone(), function.id).is_some() {
                        collector.duplicate(&function.name, "this function", None);
                    }
                }
            }
            DeclarationKind::Model(model) => collector.model(id, model),
            DeclarationKind::ProverType(it) => {
                collector.type_name(&it.name, id);
                collector.items.prover_types.insert(id, it);
            }
            DeclarationKind::ProverFunction(it) => {
                collector.items.prover_functions.insert(id, it);
                if collector.names.prover_functions.insert(it.name.text.clone(), id).is_some() {
                    collector.duplicate(&it.name, "this function", None);
                }
            }
            DeclarationKind::RewriteRule(_) => {}
            kind => {
                if let Some(routine) = kind.routine() {
                    collector.routine(id, routine);
                    let name = routine.name().text.clone();
                    collector.names.routines.entry(name).or_default().push(id);
                }
            }
        }
    }
    collector
}

impl<'tree> Collector<'tree> {
    fn type_name(&mut self, name: &'tree Name, id: NodeId) {
        let Some(first) = self.places.get(&name.text).copied() else {
            self.names.types.insert(name.text.clone(), id);
            self.places.insert(name.text.clone(), name);
            return;
        };
        // Files that are verified together may have been written to be verified alone, too.
        if first.span.file != name.span.file {
            let warning = Diagnostic::warning(
                codes::DUPLICATE_NAME,
                name.span,
                format!(
                    "the type `{}` is declared in another file, too; that one is meant everywhere",
                    name.text
                ),
            )
            .label(first.span, "this one")
            .help("remove one of them, or give it another name");
            self.diagnostics.push(warning);
            return;
        }
        self.duplicate(name, "this type", Some(first));
    }

    fn duplicate(&mut self, name: &Name, what: &str, first: Option<&Name>) {
        let mut error = Diagnostic::error(
            codes::DUPLICATE_NAME,
            name.span,
            format!("{what} has the name `{}`, which is taken", name.text),
        )
        .help("give one of them another name");
        if let Some(first) = first {
            error = error.label(first.span, "taken here");
        }
        self.diagnostics.push(error);
    }

    fn type_parameters(&mut self, parameters: &'tree [TypeParameter]) {
        for parameter in parameters {
            self.items.type_parameters.insert(parameter.id, parameter);
        }
    }

    fn routine(&mut self, id: NodeId, routine: Routine<'tree>) {
        self.items.routines.insert(id, routine);
        self.type_parameters(routine.type_parameters());
        self.modifiers(id, routine.modifiers());
    }

    fn modifiers(&mut self, id: NodeId, modifiers: Option<&Modifiers>) {
        let Some(modifiers) = modifiers else { return };
        if modifiers.is_static.is_some() {
            self.items.statics.insert(id);
        }
        if modifiers.is_final.is_some() {
            self.items.finals.insert(id);
        }
    }

    fn class(&mut self, id: NodeId, class: &'tree Class) {
        self.type_name(&class.name, id);
        self.items.classes.insert(id, class);
        self.type_parameters(&class.type_parameters);
        self.items.members.insert(id, class.members.iter().collect());
        self.names.class_routines.entry(id).or_default();
        for member in &class.members {
            self.items.owners.insert(member.id, id);
            match &member.kind {
                ClassMemberKind::Fields(fields) => {
                    for (field, name) in &fields.names {
                        self.field(id, *field, name);
                        self.modifiers(*field, Some(&fields.modifiers));
                    }
                }
                ClassMemberKind::Constructor(constructor) => {
                    self.items.constructors.insert(member.id, constructor);
                    self.type_parameters(&constructor.type_parameters);
                    self.names.constructors.entry(id).or_default().push(member.id);
                }
                ClassMemberKind::Run(run) => {
                    self.items.runs.insert(member.id, run);
                    if self.names.runs.insert(id, member.id).is_some() {
                        self.diagnostics.push(
                            Diagnostic::error(
                                codes::DUPLICATE_NAME,
                                run.keyword,
                                format!("the class `{}` has a second `run`", class.name.text),
                            )
                            .help("an object has one thread; put both bodies into one `run`"),
                        );
                    }
                }
                kind => {
                    if let Some(routine) = kind.routine() {
                        self.routine(member.id, routine);
                        let routines = self.names.class_routines.entry(id).or_default();
                        routines.entry(routine.name().text.clone()).or_default().push(member.id);
                    }
                }
            }
        }
    }

    fn field(&mut self, owner: NodeId, field: NodeId, name: &'tree Name) {
        self.items.owners.insert(field, owner);
        if self.names.fields.entry(owner).or_default().insert(name.text.clone(), field).is_some() {
            self.duplicate(name, "this field", None);
        }
    }

    fn model(&mut self, id: NodeId, model: &'tree Model) {
        self.type_name(&model.name, id);
        self.items.models.insert(id, model);
        self.names.class_routines.entry(id).or_default();
        let mut formulas = rustc_hash::FxHashSet::default();
        for member in &model.members {
            self.items.owners.insert(member.id, id);
            self.items.model_members.insert(member.id, member);
            match &member.kind {
                ModelMemberKind::Fields(fields) => {
                    for (field, name) in &fields.names {
                        self.field(id, *field, name);
                    }
                }
                ModelMemberKind::Process(process) | ModelMemberKind::Action(process) => {
                    let processes = self.names.processes.entry(id).or_default();
                    if processes.insert(process.name.text.clone(), member.id).is_some() {
                        self.duplicate(&process.name, "this process", None);
                    }
                }
                ModelMemberKind::Formula(named) => {
                    if !formulas.insert(named.name.text.clone()) {
                        self.duplicate(&named.name, "this formula", None);
                    }
                }
                ModelMemberKind::Method(method) => self.model_routine(id, member.id, Routine::Method(method)),
                ModelMemberKind::Function(function) => {
                    self.model_routine(id, member.id, Routine::Function(function));
                }
            }
        }
    }

    fn model_routine(&mut self, model: NodeId, id: NodeId, routine: Routine<'tree>) {
        self.routine(id, routine);
        let routines = self.names.class_routines.entry(model).or_default();
        routines.entry(routine.name().text.clone()).or_default().push(id);
    }
}
