//! What has been asked for: declarations together with the types that stand for their type parameters.
//!
//! A declaration with type parameters is lowered once with its parameters as opaque types, which is where its proof
//! is, and once more for each choice of types that somebody uses.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::limits;
use crate::resolve::Type;
use crate::syntax::tree::NodeId;

/// What of a declaration is meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Part {
    /// A method, function, predicate or lemma.
    Routine,
    Constructor,
    /// Of a class without a constructor.
    DefaultConstructor,
    Run,
    Field,
    StaticField,
    /// A final field as a function of the object.
    FinalField,
    LockInvariant,
    Held,
    Committed,
    Idle,
    Running,
    Fork,
    Join,
    Enum,
    EnumConstant,
    /// The number of a constant.
    EnumIndex,
    Adt,
    AdtFunction,
    ProverType,
    ProverFunction,
    /// A type parameter of which nothing is known.
    OpaqueType,
    /// A class as a value.
    TypeConstant,
    /// Tokens of a field of a model.
    ModelWrite,
    ModelFree,
    ModelBound,
    ModelOpen,
    /// The value of a field of a model when the model ends.
    ModelFinal,
    /// Whether a model ends.
    ModelEnds,
    /// An action as a constructor of terms.
    ModelAction,
    /// A process as a function.
    ModelProcess,
    /// The contract of a process, with its proof.
    ModelContract,
}

/// A part of a declaration with types for the type parameters: first those of the class, then its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Instance {
    pub(super) part: Part,
    pub(super) id: NodeId,
    pub(super) arguments: Vec<Type>,
}

impl Instance {
    pub(super) fn new(part: Part, id: NodeId, arguments: Vec<Type>) -> Instance {
        Instance { part, id, arguments }
    }

    /// Whether a declaration with type parameters is used at types that are known.
    ///
    /// Its proof is then in the instance with opaque types.
    pub(super) fn is_specialised(&self) -> bool {
        !self.arguments.is_empty() && !self.arguments.iter().any(mentions_variable)
    }
}

/// Whether a type parameter occurs in the type.
pub(super) fn mentions_variable(ty: &Type) -> bool {
    ty.any_part(&|part| matches!(part, Type::Variable(_)))
}

/// Names of instances, and those that still have to be lowered.
#[derive(Default, Debug)]
pub(super) struct Instances {
    names: FxHashMap<Instance, Arc<str>>,
    pub(super) queue: VecDeque<(Instance, Arc<str>)>,
}

impl Instances {
    pub(super) fn get(&self, instance: &Instance) -> Option<Arc<str>> {
        self.names.get(instance).cloned()
    }

    /// Whether an instance is one too many: its types, or all instances together, are beyond what anybody writes.
    pub(super) fn is_endless(&self, instance: &Instance) -> bool {
        let parts = Cell::new(0);
        for argument in &instance.arguments {
            argument.any_part(&|_| {
                parts.set(parts.get() + 1);
                parts.get() > limits::TYPE_PARTS
            });
        }
        let is_generic = !instance.arguments.is_empty();
        parts.get() > limits::TYPE_PARTS || is_generic && self.names.len() > limits::INSTANCES
    }

    pub(super) fn add(&mut self, instance: Instance, name: Arc<str>) {
        self.names.insert(instance.clone(), name.clone());
        self.queue.push_back((instance, name));
    }
}
