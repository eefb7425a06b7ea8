//! Terms that a failure speaks about: locations, values, and what has them.

use num_bigint::BigInt;
use num_rational::BigRational;

/// A term as the program could write it, or a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shown {
    Variable(String),
    /// The result of a function.
    Result,
    Null,
    Bool(bool),
    Int(BigInt),
    /// An amount of permission.
    Amount(BigRational),
    /// A value of a type without literals, by a number in order of appearance.
    Element {
        sort: String,
        number: usize,
    },
    /// A field of an object.
    Field(Box<Shown>, String),
    /// A field of a value of a data type.
    Selection(Box<Shown>, String),
    /// A function or a predicate of the program, or a function of a domain.
    Apply(String, Vec<Shown>),
    Old(Box<Shown>),
    /// How much permission is held to a location.
    Permission(Box<Shown>),
    /// How much is in a collection.
    Size(Box<Shown>),
    Index(Box<Shown>, Box<Shown>),
    /// How often the first is in the second, or whether it is.
    In(Box<Shown>, Box<Shown>),
    Operation(Operator, Box<Shown>, Box<Shown>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
}

impl Operator {
    pub fn text(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
        }
    }
}

impl Shown {
    pub fn variable(name: impl Into<String>) -> Shown {
        Shown::Variable(name.into())
    }

    pub fn field(self, name: impl Into<String>) -> Shown {
        Shown::Field(Box::new(self), name.into())
    }

    pub fn old(self) -> Shown {
        Shown::Old(Box::new(self))
    }

    pub fn size(self) -> Shown {
        Shown::Size(Box::new(self))
    }

    pub fn at(self, index: Shown) -> Shown {
        Shown::Index(Box::new(self), Box::new(index))
    }

    pub fn is_in(self, collection: Shown) -> Shown {
        Shown::In(Box::new(self), Box::new(collection))
    }

    /// Calls `f` on the direct parts.
    pub fn for_each_part<'t>(&'t self, f: &mut dyn FnMut(&'t Shown)) {
        match self {
            Shown::Variable(_)
            | Shown::Result
            | Shown::Null
            | Shown::Bool(_)
            | Shown::Int(_)
            | Shown::Amount(_)
            | Shown::Element { .. } => {}
            Shown::Field(of, _)
            | Shown::Selection(of, _)
            | Shown::Old(of)
            | Shown::Permission(of)
            | Shown::Size(of) => f(of),
            Shown::Index(left, right) | Shown::In(left, right) | Shown::Operation(_, left, right) => {
                f(left);
                f(right);
            }
            Shown::Apply(_, arguments) => arguments.iter().for_each(f),
        }
    }

    /// How many fields are selected on the way.
    pub fn steps(&self) -> usize {
        let mut steps = usize::from(matches!(self, Shown::Field(..) | Shown::Selection(..)));
        self.for_each_part(&mut |part| steps += part.steps());
        steps
    }

    /// About how many characters it takes to write this.
    pub fn width(&self) -> usize {
        let mut width = match self {
            Shown::Variable(name) => name.len(),
            Shown::Result => 6,
            Shown::Null | Shown::Bool(_) => 4,
            Shown::Int(value) => value.to_string().len(),
            Shown::Amount(value) => value.to_string().len(),
            Shown::Element { sort, number } => sort.len() + 1 + number.to_string().len(),
            Shown::Field(_, name) | Shown::Selection(_, name) => 1 + name.len(),
            Shown::Apply(name, arguments) => name.len() + 2 + 2 * arguments.len().saturating_sub(1),
            Shown::Old(_) => 5,
            Shown::Permission(_) => 6,
            Shown::Size(_) | Shown::Index(..) => 2,
            Shown::In(..) => 4,
            Shown::Operation(..) => 3,
        };
        self.for_each_part(&mut |part| width += part.width());
        width
    }

    /// Whether the term mentions something that fulfils a condition.
    pub fn mentions(&self, wanted: &dyn Fn(&Shown) -> bool) -> bool {
        let mut found = wanted(self);
        self.for_each_part(&mut |part| found |= part.mentions(wanted));
        found
    }

    /// As an integer, if it is one.
    pub fn as_int(&self) -> Option<&BigInt> {
        match self {
            Shown::Int(value) => Some(value),
            _ => None,
        }
    }
}
