//! What is asked about a model: one of its processes, for which arguments and which values of fields.

use std::sync::Arc;

use source::Span;

use crate::expression::{Expression, ExpressionKind};
use crate::model::{FieldId, Model, Parameter, ProcessId, VariableId};
use crate::types::Type;

/// A process with its arguments, and the values of the names in them. Each choice of values is an instance.
#[derive(Clone, Debug)]
pub struct Question {
    /// The process.
    pub process: ProcessId,
    /// Its arguments, over the names of the ranges.
    pub arguments: Vec<Expression>,
    /// Names and their values; later ranges may use the names of earlier ones.
    pub ranges: Vec<Range>,
    /// What must be true of the values of an instance.
    pub conditions: Vec<Expression>,
    /// Where nothing determines a value, small ones up to this size are tried, and what cannot be listed is left out: then
    /// not everything is seen, and only what is found counts.
    pub small: Option<u32>,
}

impl Question {
    /// A process for small values of its parameters and fields.
    pub fn small(model: &Model, process: ProcessId, size: u32) -> Question {
        let parameters = &model.processes[process.0 as usize].parameters;
        let range = |it: &Parameter| Range {
            name: it.name.clone(),
            variable: it.variable,
            field: None,
            ty: it.ty.clone(),
            kind: RangeKind::Small(size),
            span: it.span,
        };
        let argument =
            |it: &Parameter| Expression::new(ExpressionKind::Variable(it.variable), it.ty.clone(), it.span);
        Question {
            process,
            arguments: parameters.iter().map(argument).collect(),
            ranges: parameters.iter().map(range).collect(),
            conditions: Vec::new(),
            small: Some(size),
        }
    }
}

/// A name and its values.
#[derive(Clone, Debug)]
pub struct Range {
    /// The name.
    pub name: Arc<str>,
    /// The variable that stands for it.
    pub variable: VariableId,
    /// The field of that name: it begins with one of the values, and has only these where nothing else determines it.
    pub field: Option<FieldId>,
    /// The type of the values.
    pub ty: Type,
    /// The values.
    pub kind: RangeKind,
    /// Where it is written.
    pub span: Span,
}

/// The values of a name.
#[derive(Clone, Debug)]
pub enum RangeKind {
    /// Integers from the first up to, not including, the second.
    Interval(Expression, Expression),
    /// These values.
    Listed(Vec<Expression>),
    /// The sequences in which each value of a range occurs once.
    Permutations(Box<RangeKind>),
    /// The sequences of so many values of a range.
    Sequences(Expression, Box<RangeKind>),
    /// Values of the type up to a size, not all of them where there are many.
    Small(u32),
}
