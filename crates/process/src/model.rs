//! A model: what is declared in it. Members are referred to by their numbers, which are places in its lists.

use std::sync::Arc;

use source::Span;

use crate::expression::Expression;
use crate::term::Term;
use crate::types::Type;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
    };
}

number!(
    /// A field, by its place in [`Model::fields`].
    FieldId
);
number!(
    /// An action, by its place in [`Model::actions`].
    ActionId
);
number!(
    /// A process, by its place in [`Model::processes`].
    ProcessId
);
number!(
    /// A pure function, by its place in [`Model::functions`].
    FunctionId
);
number!(
    /// An enumeration, by its place in [`Model::enumerations`].
    EnumerationId
);
number!(
    /// An algebraic data type, by its place in [`Model::data_types`].
    DataId
);
number!(
    /// A parameter or a bound variable; no two of a model have the same number.
    VariableId
);

/// A model and what its expressions refer to.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name.
    pub name: Arc<str>,
    /// The fields, in the order of their declaration.
    pub fields: Vec<Field>,
    /// The actions.
    pub actions: Vec<Action>,
    /// The processes.
    pub processes: Vec<Process>,
    /// The pure functions that can be called.
    pub functions: Vec<Function>,
    /// The enumerations.
    pub enumerations: Vec<Enumeration>,
    /// The algebraic data types.
    pub data_types: Vec<DataType>,
    /// The first number that no variable has; more may be made from there on.
    pub next_variable: u32,
    /// Where it is declared.
    pub span: Span,
}

/// A field: a variable of the model's store.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// The type of its values.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
}

/// A parameter of a member.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The variable that stands for it.
    pub variable: VariableId,
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
}

/// An action: where its guard is true the fields that it modifies change to any values that make its effect true.
#[derive(Clone, Debug)]
pub struct Action {
    /// Its name.
    pub name: Arc<str>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The conjuncts of its guard, over parameters and fields.
    pub requires: Vec<Expression>,
    /// The conjuncts of its effect, over parameters and fields before and after it.
    pub ensures: Vec<Expression>,
    /// The fields that it may change, in order and without repetition.
    pub modifies: Vec<FieldId>,
    /// The fields that it only reads, in order and without repetition.
    pub accessible: Vec<FieldId>,
    /// Where it is declared.
    pub span: Span,
}

/// A process: a name for a term, with a contract that every run that ends has to keep.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its name.
    pub name: Arc<str>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The conjuncts of what its contract supposes, over parameters and fields.
    pub requires: Vec<Expression>,
    /// The conjuncts of what its contract claims, over parameters and fields at the start and at the end.
    pub ensures: Vec<Expression>,
    /// The fields that its actions may change.
    pub modifies: Vec<FieldId>,
    /// The fields that it and its actions only read.
    pub accessible: Vec<FieldId>,
    /// What gets smaller with every call of itself, where that is given.
    pub decreases: Vec<Expression>,
    /// What it does.
    pub body: Term,
    /// Where it is declared.
    pub span: Span,
}

/// A pure function. Without a body it cannot be evaluated, only compared.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The type of its values.
    pub result: Type,
    /// The conjuncts of where it is defined.
    pub requires: Vec<Expression>,
    /// Its definition.
    pub body: Option<Expression>,
    /// Where it is declared.
    pub span: Span,
}

/// An enumeration and its constants.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// Its name.
    pub name: Arc<str>,
    /// The names of its constants.
    pub constants: Vec<Arc<str>>,
}

/// An algebraic data type whose values are built by constructors.
#[derive(Clone, Debug)]
pub struct DataType {
    /// Its name.
    pub name: Arc<str>,
    /// Its constructors.
    pub constructors: Vec<Constructor>,
}

/// A constructor of a data type.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// Its name.
    pub name: Arc<str>,
    /// The types of its arguments.
    pub arguments: Vec<Type>,
}
