//! What a term is made of: sorts, functions, operators, and the node that an id stands for.
//!
//! All ids index tables of one [`super::Terms`]; ids of different tables must not be mixed.

use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub(crate) u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A formula or a value. Equal ids are equal terms; a term's id is larger than the ids of its parts.
    Term;
    Sort;
    /// A constant or function symbol.
    Function;
    /// A variable that a quantifier binds, or will bind.
    Bound;
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SortKind {
    Bool,
    Int,
    Real,
    /// Declared without a definition; solvers learn of it when a term first uses it.
    Uninterpreted(Arc<str>),
    /// A sort of the solver's own, written as given, for example `(_ BitVec 32)`.
    Native(Arc<str>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FunctionKind {
    /// Solvers learn of it when a term first uses it.
    Declared,
    /// A function of the solver's own: its name is written as given.
    Native,
}

/// Name and signature of a function symbol.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Signature {
    pub name: Arc<str>,
    pub kind: FunctionKind,
    pub arguments: Arc<[Sort]>,
    pub result: Sort,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    Not,
    And,
    Or,
    Implies,
    Equal,
    IfThenElse,
    /// Over integers or over reals, as are the comparisons.
    Add,
    Subtract,
    Multiply,
    /// Euclidean division of integers.
    IntDivide,
    IntModulo,
    RealDivide,
    Less,
    LessEqual,
    IntToReal,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QuantifierKind {
    Forall,
    Exists,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Quantifier {
    pub kind: QuantifierKind,
    pub variables: Arc<[Bound]>,
    /// Each inner list is one multi-pattern; none leaves the choice to the solver.
    pub triggers: Arc<[Arc<[Term]>]>,
    pub body: Term,
    /// Appears in the solver's statistics.
    pub name: Arc<str>,
    pub weight: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Bool(bool),
    Int(Arc<BigInt>),
    Real(Arc<BigRational>),
    Bound(Bound),
    Apply(Function, Arc<[Term]>),
    Operation(Operator, Arc<[Term]>),
    Quantified(Arc<Quantifier>),
}
