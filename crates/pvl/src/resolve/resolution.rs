//! What is known about a program once names and types are resolved: tables under the ids of the tree.
//!
//! For a program without errors every table has an entry for every node that its description speaks of.

use rustc_hash::FxHashMap;

use super::Type;
use crate::syntax::tree::{
    Adt, AdtFunction, Class, ClassMember, Constructor, Declaration, Enum, Expression, Model, ModelMember,
    NodeId, ProverFunction, ProverType, Routine, Run, TypeParameter,
};

/// The tables. `'tree` is the program that they speak about.
#[derive(Default, Debug)]
pub struct Resolution<'tree> {
    /// The dialect that the program is written in.
    pub dialect: crate::syntax::tree::Dialect,
    /// The type of every expression by itself, before the context converts it.
    pub expressions: FxHashMap<NodeId, Type>,
    /// The type that the context of an expression asks for, where it is not the expression's own.
    ///
    /// Conversions into a smaller type (`rational` to `zfrac` to `frac`) have to be checked.
    pub conversions: FxHashMap<NodeId, Type>,
    /// The type of every variable, by the id of what declares it: parameters, `given`, `yields`, locals, range
    /// variables, bindings, selectors, fields, and the fields of models.
    pub variables: FxHashMap<NodeId, Type>,
    /// The meaning of every written type.
    pub types: FxHashMap<NodeId, Type>,
    /// What an expression that is a name stands for.
    pub names: FxHashMap<NodeId, NameTarget>,
    /// What an expression `e.name` selects.
    pub selections: FxHashMap<NodeId, Selection>,
    /// What a `Call`, `AdtCall` or `CoalescingCall` calls.
    pub calls: FxHashMap<NodeId, CallTarget>,
    /// What a `New` creates.
    pub creations: FxHashMap<NodeId, Creation>,
    /// How a binary operator is meant.
    pub operations: FxHashMap<NodeId, Operation>,
    /// What an `Index`, `Slice` or `Update` works on; also the pointer of `*p`.
    pub subscripts: FxHashMap<NodeId, Subscript>,
    /// The par block of every barrier, by the ids of the statement and the region.
    pub barriers: FxHashMap<NodeId, NodeId>,
    /// The `invariant` statements that an `atomic` or a `barrier` opens, in the order of its names.
    pub opened: FxHashMap<NodeId, Vec<NodeId>>,
    /// The `label` statement of every `goto`, and of every expression `\old[label]`.
    pub labels: FxHashMap<NodeId, NodeId>,
    /// The `send` of every `recv`.
    pub sends: FxHashMap<NodeId, NodeId>,
    /// The variables that a `given` names at a call or `New`, in the order of the arguments written, and likewise
    /// for `yields`.
    pub ghost_arguments: FxHashMap<NodeId, GhostArguments>,
    /// Assertions that are kept as values, the inner ones first; those that are converted into other types later
    /// are none.
    pub kept_resources: Vec<&'tree Expression>,
    /// Variables and fields whose address is taken.
    pub addressed: rustc_hash::FxHashSet<NodeId>,
    /// The functions that a `reveal` or `hide` is about.
    pub revealed: FxHashMap<NodeId, Vec<NodeId>>,
    /// Functions that are hidden somewhere.
    pub hidden: rustc_hash::FxHashSet<NodeId>,
    /// Whether the program speaks about the current thread.
    pub names_threads: bool,
    /// All that is declared.
    pub items: Items<'tree>,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GhostArguments {
    pub given: Vec<NodeId>,
    pub yields: Vec<NodeId>,
}

/// Declarations by id. Ids are those of the [`Declaration`] or [`ClassMember`], except where a node inside has
/// its own.
#[derive(Default, Debug)]
pub struct Items<'tree> {
    pub classes: FxHashMap<NodeId, &'tree Class>,
    pub enums: FxHashMap<NodeId, &'tree Enum>,
    pub adts: FxHashMap<NodeId, &'tree Adt>,
    pub models: FxHashMap<NodeId, &'tree Model>,
    pub prover_types: FxHashMap<NodeId, &'tree ProverType>,
    pub prover_functions: FxHashMap<NodeId, &'tree ProverFunction>,
    pub routines: FxHashMap<NodeId, Routine<'tree>>,
    pub constructors: FxHashMap<NodeId, &'tree Constructor>,
    pub runs: FxHashMap<NodeId, &'tree Run>,
    pub adt_functions: FxHashMap<NodeId, &'tree AdtFunction>,
    pub model_members: FxHashMap<NodeId, &'tree ModelMember>,
    pub type_parameters: FxHashMap<NodeId, &'tree TypeParameter>,
    /// The class, data type, enum or model that a member, field, constant or function belongs to.
    pub owners: FxHashMap<NodeId, NodeId>,
    /// What is marked `static`.
    pub statics: rustc_hash::FxHashSet<NodeId>,
    /// Fields marked `final`.
    pub finals: rustc_hash::FxHashSet<NodeId>,
    /// In source order, over all files.
    pub declarations: Vec<&'tree Declaration>,
    /// Of each class.
    pub members: FxHashMap<NodeId, Vec<&'tree ClassMember>>,
}

impl Items<'_> {
    /// Whether a declaration or member is there for the proof only.
    pub fn is_ghost(&self, id: NodeId) -> bool {
        match self.owners.get(&id) {
            Some(owner) => {
                let members = self.members.get(owner).into_iter().flatten();
                members.into_iter().any(|member| member.id == id && member.ghost)
            }
            None => self.declarations.iter().any(|declaration| declaration.id == id && declaration.ghost),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NameTarget {
    /// A parameter, `given`, `yields`, local, range variable or binding.
    Variable(NodeId),
    /// A field of `this`.
    Field(NodeId),
    StaticField(NodeId),
    /// Inside of a model.
    ModelField(NodeId),
    /// A class, enum, data type or model in front of a dot.
    TypeName(NodeId),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Selection {
    /// The object is the expression in front.
    Field(NodeId),
    StaticField(NodeId),
    ModelField(NodeId),
    EnumConstant(NodeId),
    /// A property of a value.
    Member(Member),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallTarget {
    Routine(RoutineCall),
    /// `receiver.member(arguments)`.
    Member(Member),
    /// The old dialect's `member(receiver, arguments)`.
    MemberFunction(Member),
    AdtFunction {
        adt: NodeId,
        function: NodeId,
        type_arguments: Vec<Type>,
    },
    ProverFunction(NodeId),
    /// A process or action of a model, with the model in front or, inside of the model, without it.
    Process(NodeId),
    /// On the model in front.
    ModelOperation(ModelOperation),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoutineCall {
    pub routine: NodeId,
    pub receiver: Receiver,
    /// One for each type parameter of the routine.
    pub type_arguments: Vec<Type>,
    /// One for each type parameter of the routine's class.
    pub class_arguments: Vec<Type>,
    /// The result type with type arguments put in.
    pub result: Type,
    /// The types of the parameters with type arguments put in.
    pub parameters: Vec<Type>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receiver {
    /// Not in a class, or static.
    None,
    ImplicitThis,
    /// The expression in front of the dot.
    Explicit,
}

/// `new C(…)`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Creation {
    /// A class or a model.
    pub class: NodeId,
    /// `None` for the default constructor, and for a model.
    pub constructor: Option<NodeId>,
    pub class_arguments: Vec<Type>,
    pub type_arguments: Vec<Type>,
    pub parameters: Vec<Type>,
}

/// How a binary operator is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `==> || && **` on booleans or resources, and `-*`.
    Logic,
    /// `==` or `!=` with both sides converted to this type.
    ///
    /// Values of types that have nothing in common are never equal; then the type is `any` and nothing is
    /// converted.
    Equality(Type),
    /// Arithmetic or comparison with both sides converted to this type; `/` on rationals and floats is exact.
    Numbers(Type),
    /// `+` on sequences or strings of this type.
    Concatenation(Type),
    /// Union, difference, intersection, (strict) inclusion of sets, bags or maps of this type.
    Collections(Type),
    /// `x in xs` for a sequence or a set.
    Member,
    /// `x in m` for a map: whether it is a key.
    MapKey,
    /// `x in b` for a bag: how often it occurs.
    BagCount,
    /// `x :: xs`
    Prepend,
    /// `xs ++ x`
    Append,
    /// Choice, sequence, parallel.
    Processes,
    /// A pointer and an offset.
    Pointers,
    /// Element by element.
    Vectors(Type),
    /// An operator declared in a class; its object is on the right for `right+`.
    Declared { routine: NodeId, on_right: bool },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subscript {
    Array,
    Seq,
    Map,
    Pointer,
    Vector,
    String,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ModelOperation {
    Create,
    Destroy,
    Split,
    Merge,
    Choose,
    State,
    AbstractState,
}

/// Members of built-in types; the type in front is that of the receiver.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Member {
    ArrayLength,
    /// Of seq, set, bag, map and string.
    Size,
    /// Of seq, set, bag, map and string.
    IsEmpty,
    SeqHead,
    SeqTail,
    SeqRemoveAt,
    SeqConcat,
    /// `xs.prepend(x)`: `x :: xs`
    SeqPrepend,
    SeqDrop,
    SeqTake,
    SeqSlice,
    SeqUpdate,
    SeqContains,
    SetIntersect,
    SetUnion,
    SetDifference,
    SetContains,
    SetSubset,
    SetStrictSubset,
    BagSum,
    BagIntersect,
    BagDifference,
    BagCount,
    BagSubset,
    BagStrictSubset,
    MapKeys,
    MapValues,
    MapItems,
    MapAdd,
    MapRemove,
    MapGet,
    MapEquals,
    MapDisjoint,
    OptionGet,
    OptionGetOrElse,
    OptionIsEmpty,
    TupleFirst,
    TupleSecond,
    EitherLeft,
    EitherRight,
    EitherIsLeft,
    EitherIsRight,
    ToFloat32,
    ToFloat64,
}
