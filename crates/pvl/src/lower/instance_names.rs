//! The names of instances: what a declaration with its types is called in Silver, and how the source writes it.

use std::sync::Arc;

use source::Diagnostic;

use super::Lowering;
use super::instances::{Instance, Part};
use crate::codes::ENDLESS_TYPES;
use crate::syntax::tree::NodeId;

impl Lowering<'_> {
    /// The Silver name of an instance, which is thereby asked for.
    pub(super) fn instance(&mut self, instance: Instance) -> Arc<str> {
        if let Some(name) = self.instances.get(&instance) {
            return name;
        }
        // A name is all that is needed behind an error.
        if self.instances.is_endless(&instance) {
            self.refuse_endless(&instance);
            return self.globals.fresh("endless");
        }
        let wanted = self.wanted_name(&instance);
        let name = self.globals.fresh(&wanted);
        self.spell(&instance, &name);
        self.instances.add(instance, name.clone());
        name
    }

    /// Says once of a generic declaration that there is no end of the types that it is used with.
    fn refuse_endless(&mut self, instance: &Instance) {
        let items = &self.resolution.items;
        let routine = items.routines.get(&instance.id).map(|routine| routine.name());
        let class =
            items.owners.get(&instance.id).or(Some(&instance.id)).and_then(|id| items.classes.get(id));
        let Some(name) = routine.or(class.map(|class| &class.name)) else { return };
        let message = format!("there is no end of the types that `{}` is used with", name.text);
        let error = Diagnostic::error(ENDLESS_TYPES, name.span, message)
            .at("it uses itself, perhaps through others, at ever larger types")
            .help("use it at the types that it has been given");
        if !self.diagnostics.contains(&error) {
            self.diagnostics.push(error);
        }
    }

    /// Remembers how the source writes what an instance declares.
    fn spell(&mut self, instance: &Instance, name: &Arc<str>) {
        let written = self.declared_name(instance.id);
        let owner = self.resolution.items.owners.get(&instance.id).copied();
        match instance.part {
            Part::Field | Part::StaticField => self.spelling.add_field(name, written),
            Part::FinalField => self.spelling.add_final_field(name, written),
            Part::Routine => {
                let is_static = self.resolution.items.statics.contains(&instance.id);
                self.spelling.add_routine(name, written, owner.is_some() && !is_static);
            }
            Part::EnumConstant => {
                let owner = owner.map(|owner| self.declared_name(owner)).unwrap_or_default();
                self.spelling.add_constant(name, format!("{owner}.{written}"));
            }
            Part::ModelAction | Part::ModelProcess => self.spelling.add_routine(name, written, false),
            Part::AdtFunction => {
                let owner = owner.map(|owner| self.declared_name(owner)).unwrap_or_default();
                self.spelling.add_routine(name, format!("{owner}.{written}"), false);
            }
            Part::Held => self.spelling.add_routine(name, "held".to_string(), false),
            Part::Committed => self.spelling.add_routine(name, "committed".to_string(), false),
            Part::Idle => self.spelling.add_routine(name, "idle".to_string(), false),
            Part::Running => self.spelling.add_routine(name, "running".to_string(), false),
            Part::LockInvariant => self.spelling.add_routine(name, "lock_invariant".to_string(), false),
            Part::ModelWrite => self.spelling.add_token(name, written, None),
            Part::ModelFree => self.spelling.add_token(name, written, Some("Perm")),
            Part::ModelBound => self.spelling.add_token(name, written, Some("HPerm")),
            Part::ModelOpen => self.spelling.add_token(name, written, Some("APerm")),
            Part::ModelFinal | Part::ModelEnds => self.spelling.add_kept(name),
            Part::OpaqueType => {
                let written = self.type_parameter_name(instance.id);
                self.spelling.add_type_parameter(name, written);
            }
            _ => {}
        }
    }

    fn wanted_name(&mut self, instance: &Instance) -> String {
        let mut owner = match instance.part {
            Part::Routine
            | Part::Constructor
            | Part::Field
            | Part::StaticField
            | Part::FinalField
            | Part::EnumConstant
            | Part::AdtFunction
            | Part::ModelWrite
            | Part::ModelFree
            | Part::ModelBound
            | Part::ModelOpen
            | Part::ModelFinal
            | Part::ModelAction
            | Part::ModelProcess
            | Part::ModelContract
            | Part::Run => {
                self.resolution.items.owners.get(&instance.id).map(|owner| self.declared_name(*owner))
            }
            _ => None,
        };
        let mut name = match instance.part {
            Part::Constructor => "new".to_string(),
            Part::Run => "run".to_string(),
            Part::OpaqueType => format!("Type_{}", self.type_parameter_name(instance.id)),
            Part::TypeConstant => format!("type_{}", self.declared_name(instance.id)),
            _ => self.declared_name(instance.id),
        };
        let suffix = match instance.part {
            Part::DefaultConstructor => "_new",
            Part::LockInvariant => "_lock_invariant",
            Part::Held => "_held",
            Part::Committed => "_committed",
            Part::Idle => "_idle",
            Part::Running => "_running",
            Part::Fork => "_fork",
            Part::Join => "_join",
            Part::EnumIndex => "_index",
            Part::ModelWrite => "_write",
            Part::ModelFree => "_free",
            Part::ModelBound => "_bound",
            Part::ModelOpen => "_open",
            Part::ModelFinal => "_final",
            Part::ModelEnds => "_ends",
            Part::ModelContract => "_contract",
            _ => "",
        };
        name.push_str(suffix);
        if let Some(owner) = owner.take() {
            name = format!("{owner}_{name}");
        }
        if instance.is_specialised() {
            for argument in &instance.arguments {
                let word = self.type_word(argument);
                name = format!("{name}_{word}");
            }
        }
        name
    }

    /// The name that the source gives a declaration, member, field or constant.
    pub(super) fn declared_name(&self, id: NodeId) -> String {
        let items = &self.resolution.items;
        if let Some(routine) = items.routines.get(&id) {
            let name = routine.name();
            return match &*name.text {
                "+" => "plus".to_string(),
                "right+" => "right_plus".to_string(),
                text => text.to_string(),
            };
        }
        if let Some(it) = items.classes.get(&id) {
            return it.name.text.to_string();
        }
        if let Some(it) = items.enums.get(&id) {
            return it.name.text.to_string();
        }
        if let Some(it) = items.adts.get(&id) {
            return it.name.text.to_string();
        }
        if let Some(it) = items.prover_types.get(&id) {
            return it.name.text.to_string();
        }
        if let Some(it) = items.prover_functions.get(&id) {
            return it.name.text.to_string();
        }
        if let Some(it) = items.adt_functions.get(&id) {
            return it.name.text.to_string();
        }
        if let Some(it) = items.models.get(&id) {
            return it.name.text.to_string();
        }
        if let Some((process, _)) = self.process_declaration(id) {
            return process.name.text.to_string();
        }
        let owner = items.owners.get(&id);
        if let Some(owner) = owner.and_then(|owner| items.enums.get(owner)) {
            let constant = owner.constants.iter().find(|constant| constant.id == id);
            return constant
                .map_or_else(|| "constant".to_string(), |constant| constant.name.text.to_string());
        }
        self.field_name(id).unwrap_or_else(|| "it".to_string())
    }

    pub(super) fn type_parameter_name(&self, id: NodeId) -> String {
        let parameter = self.resolution.items.type_parameters.get(&id);
        parameter.map_or_else(|| "T".to_string(), |parameter| parameter.name.text.to_string())
    }
}
