//! Members of a typed program and the ids that name them.
//!
//! Each id indexes the vector of its kind in [`Program`]. A member owns a table of its variables, formals
//! first; ids of variables are meaningful in that member only.

use std::sync::Arc;

use source::Span;

use super::{Annotations, Block, ExpressionRef, Type};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    DomainId;
    DomainFunctionId;
    FieldId;
    FunctionId;
    PredicateId;
    MethodId;
    /// A variable of one member: formal, local, or bound.
    LocalId;
    /// A label of one method.
    LabelId;
}

#[derive(Clone, Default, Debug)]
pub struct Program {
    pub domains: Vec<Domain>,
    pub domain_functions: Vec<DomainFunction>,
    pub fields: Vec<Field>,
    pub functions: Vec<Function>,
    pub predicates: Vec<Predicate>,
    pub methods: Vec<Method>,
}

#[derive(Clone, Debug)]
pub struct Domain {
    pub name: String,
    pub span: Span,
    pub annotations: Annotations,
    pub parameters: Vec<String>,
    /// Back end and its type, for example `SMTLIB` and `(_ BitVec 32)`; present for interpreted domains.
    pub interpretations: Option<Vec<(String, String)>>,
    pub functions: Vec<DomainFunctionId>,
    pub axioms: Vec<Axiom>,
    /// Whether the domain encodes an ADT.
    pub is_adt: bool,
}

#[derive(Clone, Debug)]
pub struct DomainFunction {
    pub name: String,
    pub span: Span,
    pub annotations: Annotations,
    pub domain: DomainId,
    pub formals: Vec<Formal>,
    pub result: Type,
    pub unique: bool,
    /// The solver's own name of an interpreted function.
    pub interpretation: Option<String>,
    pub origin: DomainFunctionOrigin,
}

/// What a domain function stands for in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DomainFunctionOrigin {
    Source,
    /// `.field` of a data type.
    Field(Arc<str>),
    /// Tells the constructors of a data type apart; it is generated.
    Tag,
    /// How deep values of a data type are nested; it is generated.
    Height,
}

/// A parameter of a domain function, which need not have a name.
#[derive(Clone, Debug)]
pub struct Formal {
    pub name: Option<String>,
    pub ty: Type,
}

#[derive(Clone, Debug)]
pub struct Axiom {
    pub name: Option<String>,
    pub span: Span,
    pub locals: Vec<Local>,
    pub body: ExpressionRef,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub span: Span,
    pub annotations: Annotations,
    pub ty: Type,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// Starts at the keyword `function` or at its first annotation.
    pub span: Span,
    /// The part of it in front of contract and body.
    pub head: Span,
    pub annotations: Annotations,
    pub locals: Vec<Local>,
    pub formals: Vec<LocalId>,
    pub result: Type,
    pub preconditions: Vec<ExpressionRef>,
    pub postconditions: Vec<ExpressionRef>,
    pub body: Option<ExpressionRef>,
    pub origin: FunctionOrigin,
    pub termination: Termination,
    pub assumptions: Vec<Assumption>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FunctionOrigin {
    Source,
    /// Stands for `#P(…)`: a failed precondition is `predicateinstance.no.access` instead of
    /// `application.precondition`.
    PredicateInstance(PredicateId),
}

#[derive(Clone, Debug)]
pub struct Predicate {
    pub name: String,
    pub span: Span,
    /// The part of it in front of the body.
    pub head: Span,
    pub annotations: Annotations,
    pub locals: Vec<Local>,
    pub formals: Vec<LocalId>,
    pub body: Option<ExpressionRef>,
    pub assumptions: Vec<Assumption>,
}

#[derive(Clone, Debug)]
pub struct Method {
    pub name: String,
    pub span: Span,
    /// The part of it in front of contract and body.
    pub head: Span,
    pub annotations: Annotations,
    pub locals: Vec<Local>,
    pub formals: Vec<LocalId>,
    pub returns: Vec<LocalId>,
    pub preconditions: Vec<ExpressionRef>,
    pub postconditions: Vec<ExpressionRef>,
    pub labels: Vec<Label>,
    pub body: Option<Block>,
    pub origin: MethodOrigin,
    pub termination: Termination,
    pub assumptions: Vec<Assumption>,
}

/// What is said about whether a function or a method ends.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Termination {
    /// Whether there is a clause for every case.
    pub is_stated: bool,
    /// Where it is taken for granted: `decreases _`, also that of loops.
    pub assumed: Vec<Span>,
}

/// Something in the program that is taken for granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assumption {
    pub kind: AssumptionKind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssumptionKind {
    /// The statement `assume`.
    Assume,
    /// The statement `inhale`.
    Inhale,
    /// `[A, B]`: what is assumed need not be what is checked.
    InhaleExhale,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MethodOrigin {
    Source,
    /// Generated to prove that a function terminates.
    TerminationProof(FunctionId),
}

#[derive(Clone, Debug)]
pub struct Label {
    pub name: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Local {
    pub name: Arc<str>,
    pub ty: Type,
    pub span: Span,
    pub kind: LocalKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LocalKind {
    Formal,
    Return,
    /// Declared by `var`.
    Variable,
    /// Bound by a quantifier, a `let` or `quasihavocall`.
    Bound,
    /// Introduced by a desugaring.
    Generated,
}

impl Domain {
    /// A domain without parameters, functions and axioms.
    pub(crate) fn empty(name: impl Into<String>, span: Span) -> Domain {
        Domain {
            name: name.into(),
            span,
            annotations: Annotations::default(),
            parameters: Vec::new(),
            interpretations: None,
            functions: Vec::new(),
            axioms: Vec::new(),
            is_adt: false,
        }
    }
}

impl Program {
    /// Whether a domain is a data type, or the order of its values, which is generated with it.
    pub fn is_of_data_type(&self, domain: &Domain) -> bool {
        let is_inside = |outer: Span, inner: Span| {
            inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
        };
        self.domains.iter().any(|other| other.is_adt && is_inside(other.span, domain.span))
    }

    pub fn domain(&self, id: DomainId) -> &Domain {
        &self.domains[id.index()]
    }

    pub fn domain_function(&self, id: DomainFunctionId) -> &DomainFunction {
        &self.domain_functions[id.index()]
    }

    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.index()]
    }

    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    pub fn predicate(&self, id: PredicateId) -> &Predicate {
        &self.predicates[id.index()]
    }

    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.index()]
    }

    pub fn find_domain_function(&self, name: &str) -> Option<DomainFunctionId> {
        let index = self.domain_functions.iter().position(|function| function.name == name)?;
        Some(DomainFunctionId(index as u32))
    }

    pub fn find_domain(&self, name: &str) -> Option<DomainId> {
        let index = self.domains.iter().position(|domain| domain.name == name)?;
        Some(DomainId(index as u32))
    }

    /// Whether applications of the function depend on the heap: some precondition mentions a location.
    pub fn is_heap_dependent(&self, id: FunctionId) -> bool {
        self.function(id)
            .preconditions
            .iter()
            .any(|precondition| self.mentions_heap(precondition, &mut vec![id]))
    }

    fn mentions_heap(&self, expression: &ExpressionRef, seen: &mut Vec<FunctionId>) -> bool {
        use super::ExpressionKind::*;
        let mut called = Vec::new();
        let mut found = false;
        super::visit_expression(expression, &mut |node| {
            match &node.kind {
                FieldAccess { .. }
                | FieldPermission { .. }
                | PredicatePermission(_)
                | Wand(_)
                | ResourceTerm(_) => {
                    found = true;
                }
                FunctionApplication { function, .. } => called.push(*function),
                _ => {}
            }
            !found
        });
        found
            || called.into_iter().any(|function| {
                if seen.contains(&function) {
                    return false;
                }
                seen.push(function);
                let preconditions = &self.function(function).preconditions;
                preconditions.iter().any(|precondition| self.mentions_heap(precondition, seen))
            })
    }
}
