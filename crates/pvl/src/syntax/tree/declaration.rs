//! Declarations of a program and members of classes, data types and models.

use std::sync::Arc;

use source::Span;

use super::{Block, Contract, Expression, Formula, Name, NodeId, Parameter, Type, TypeParameter};

#[derive(Clone, Debug)]
pub struct Declaration {
    pub id: NodeId,
    pub ghost: bool,
    pub kind: DeclarationKind,
    /// From the first clause, modifier or keyword to the end.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum DeclarationKind {
    Class(Class),
    Method(Method),
    Function(Function),
    Predicate(Predicate),
    Lemma(Lemma),
    Enum(Enum),
    Adt(Adt),
    Model(Model),
    RewriteRule(RewriteRule),
    ProverType(ProverType),
    ProverFunction(ProverFunction),
}

#[derive(Clone, Debug)]
pub struct Class {
    /// Only `lock_invariant` has a meaning here.
    pub contract: Contract,
    pub name: Name,
    pub type_parameters: Vec<TypeParameter>,
    pub members: Vec<ClassMember>,
}

#[derive(Clone, Debug)]
pub struct ClassMember {
    pub id: NodeId,
    pub ghost: bool,
    pub kind: ClassMemberKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ClassMemberKind {
    Fields(Fields),
    Constructor(Constructor),
    Run(Run),
    Method(Method),
    Function(Function),
    Predicate(Predicate),
    Lemma(Lemma),
}

impl ClassMemberKind {
    /// What says which member it is: what stands between its contract and its body.
    pub fn head(&self) -> Option<Span> {
        match self {
            ClassMemberKind::Fields(_) => None,
            ClassMemberKind::Constructor(it) => Some(it.head),
            ClassMemberKind::Run(it) => Some(it.head),
            ClassMemberKind::Method(it) => Some(it.head),
            ClassMemberKind::Function(it) => Some(it.head),
            ClassMemberKind::Predicate(it) => Some(it.head),
            ClassMemberKind::Lemma(it) => Some(it.head),
        }
    }
}

impl DeclarationKind {
    /// What stands between contract and body of a member outside of classes.
    pub fn head(&self) -> Option<Span> {
        match self {
            DeclarationKind::Method(it) => Some(it.head),
            DeclarationKind::Function(it) => Some(it.head),
            DeclarationKind::Predicate(it) => Some(it.head),
            DeclarationKind::Lemma(it) => Some(it.head),
            _ => None,
        }
    }
}

/// `final? static? type a, b;`
#[derive(Clone, Debug)]
pub struct Fields {
    pub modifiers: Modifiers,
    pub ty: Type,
    /// The name without a value; ids name the fields.
    pub names: Vec<(NodeId, Name)>,
}

/// Where each modifier stands, if it does.
#[derive(Clone, Default, Debug)]
pub struct Modifiers {
    pub pure: Option<Span>,
    pub inline: Option<Span>,
    /// Proofs know the value of a function only by its contract, unless it is revealed.
    pub opaque: Option<Span>,
    pub thread_local: Option<Span>,
    pub is_static: Option<Span>,
    pub is_final: Option<Span>,
}

impl Modifiers {
    /// Whether there is no modifier at all.
    pub fn none(&self) -> bool {
        self.first().is_none()
    }

    /// The place of one of the modifiers, if there is any.
    pub fn first(&self) -> Option<Span> {
        let all = [self.pure, self.inline, self.opaque, self.thread_local, self.is_static, self.is_final];
        all.into_iter().flatten().min_by_key(|span| span.start)
    }
}

#[derive(Clone, Debug)]
pub struct Constructor {
    /// What stands between contract and body.
    pub head: Span,
    pub contract: Contract,
    pub type_parameters: Vec<TypeParameter>,
    pub parameters: Vec<Parameter>,
    pub body: Option<Block>,
    /// `constructor`, or the name of the class in the old dialect.
    pub keyword: Span,
}

/// `run { … }`: what `fork` starts.
#[derive(Clone, Debug)]
pub struct Run {
    /// What stands between contract and body.
    pub head: Span,
    pub contract: Contract,
    pub body: Option<Block>,
    pub keyword: Span,
}

/// `T m(…) { … }` or `T m(…);`, with `pure` also where the body is a block.
#[derive(Clone, Debug)]
pub struct Method {
    /// What stands between contract and body.
    pub head: Span,
    pub contract: Contract,
    pub modifiers: Modifiers,
    pub result: Type,
    pub name: RoutineName,
    pub type_parameters: Vec<TypeParameter>,
    pub parameters: Vec<Parameter>,
    pub body: Option<Block>,
}

/// `pure T f(…) = e;` or `pure T f(…);`
#[derive(Clone, Debug)]
pub struct Function {
    /// What stands between contract and body.
    pub head: Span,
    pub contract: Contract,
    pub modifiers: Modifiers,
    pub result: Type,
    pub name: RoutineName,
    pub type_parameters: Vec<TypeParameter>,
    pub parameters: Vec<Parameter>,
    pub body: Option<Expression>,
}

#[derive(Clone, Debug)]
pub struct RoutineName {
    /// For an operator its text.
    pub name: Name,
    pub operator: Option<Operator>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// `+`: the object is on the left.
    Plus,
    /// `right+`: the object is on the right.
    RightPlus,
}

#[derive(Clone, Debug)]
pub struct Predicate {
    /// What stands between contract and body.
    pub head: Span,
    pub kind: PredicateKind,
    pub modifiers: Modifiers,
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub body: Option<Expression>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PredicateKind {
    /// `resource p(…) = e;`: holds permissions and is folded and unfolded.
    Resource,
    /// `predicate p(…) = e;`: a boolean fact that only specifications and ghost code speak about.
    Fact,
}

/// `lemma l(…) { … }`: a proof that must terminate and changes nothing; without a body it is trusted.
#[derive(Clone, Debug)]
pub struct Lemma {
    /// What stands between contract and body.
    pub head: Span,
    pub contract: Contract,
    pub modifiers: Modifiers,
    pub name: Name,
    pub type_parameters: Vec<TypeParameter>,
    pub parameters: Vec<Parameter>,
    pub body: Option<Block>,
}

#[derive(Clone, Debug)]
pub struct Enum {
    pub name: Name,
    pub constants: Vec<EnumConstant>,
}

#[derive(Clone, Debug)]
pub struct EnumConstant {
    pub id: NodeId,
    pub name: Name,
}

/// `adt A<T> { pure T f(…); axiom e; }`
#[derive(Clone, Debug)]
pub struct Adt {
    pub name: Name,
    pub type_parameters: Vec<TypeParameter>,
    pub functions: Vec<AdtFunction>,
    pub axioms: Vec<AdtAxiom>,
}

#[derive(Clone, Debug)]
pub struct AdtFunction {
    pub id: NodeId,
    pub result: Type,
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct AdtAxiom {
    pub id: NodeId,
    pub body: Expression,
    pub span: Span,
}

/// `model M { … }`, or a class named `Future` or `History` in the old dialect.
#[derive(Clone, Debug)]
pub struct Model {
    pub kind: ModelKind,
    pub name: Name,
    pub members: Vec<ModelMember>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelKind {
    Future,
    History,
}

#[derive(Clone, Debug)]
pub struct ModelMember {
    pub id: NodeId,
    pub kind: ModelMemberKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ModelMemberKind {
    Fields(Fields),
    /// `process p(…) = e;`
    Process(Process),
    /// `action a(…);`, which has no body.
    Action(Process),
    /// A law about processes in a history of the old dialect, proved by induction.
    Method(Method),
    /// Old dialect only.
    Function(Function),
    /// `ltl name { formula }`
    Formula(NamedFormula),
}

#[derive(Clone, Debug)]
pub struct Process {
    pub contract: Contract,
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub body: Option<Expression>,
}

/// A property of the runs of a model.
#[derive(Clone, Debug)]
pub struct NamedFormula {
    pub name: Name,
    pub formula: Formula,
}

/// `axiom n { l == r }` at top level: a rule for a simplifier, not an assumption.
#[derive(Clone, Debug)]
pub struct RewriteRule {
    pub name: Name,
    pub body: Expression,
}

/// `` prover_type N \smtlib `Int`; ``
#[derive(Clone, Debug)]
pub struct ProverType {
    pub name: Name,
    pub interpretations: Vec<ProverInterpretation>,
}

/// `` prover_function int f(int x) \smtlib `abs`; ``
#[derive(Clone, Debug)]
pub struct ProverFunction {
    pub result: Type,
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub interpretations: Vec<ProverInterpretation>,
}

#[derive(Clone, Debug)]
pub struct ProverInterpretation {
    pub language: ProverLanguage,
    pub text: Arc<str>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProverLanguage {
    SmtLib,
    Boogie,
}

/// What callers see of anything that can be called, wherever it is declared.
#[derive(Clone, Copy, Debug)]
pub enum Routine<'tree> {
    Method(&'tree Method),
    Function(&'tree Function),
    Predicate(&'tree Predicate),
    Lemma(&'tree Lemma),
}

impl<'tree> Routine<'tree> {
    pub fn name(self) -> &'tree Name {
        match self {
            Routine::Method(it) => &it.name.name,
            Routine::Function(it) => &it.name.name,
            Routine::Predicate(it) => &it.name,
            Routine::Lemma(it) => &it.name,
        }
    }

    pub fn parameters(self) -> &'tree [Parameter] {
        match self {
            Routine::Method(it) => &it.parameters,
            Routine::Function(it) => &it.parameters,
            Routine::Predicate(it) => &it.parameters,
            Routine::Lemma(it) => &it.parameters,
        }
    }

    pub fn type_parameters(self) -> &'tree [TypeParameter] {
        match self {
            Routine::Method(it) => &it.type_parameters,
            Routine::Function(it) => &it.type_parameters,
            Routine::Predicate(_) => &[],
            Routine::Lemma(it) => &it.type_parameters,
        }
    }

    /// `None` for predicates, which have no contract.
    pub fn contract(self) -> Option<&'tree Contract> {
        match self {
            Routine::Method(it) => Some(&it.contract),
            Routine::Function(it) => Some(&it.contract),
            Routine::Predicate(_) => None,
            Routine::Lemma(it) => Some(&it.contract),
        }
    }

    pub fn modifiers(self) -> Option<&'tree Modifiers> {
        match self {
            Routine::Method(it) => Some(&it.modifiers),
            Routine::Function(it) => Some(&it.modifiers),
            Routine::Predicate(it) => Some(&it.modifiers),
            Routine::Lemma(it) => Some(&it.modifiers),
        }
    }
}

impl DeclarationKind {
    pub fn name(&self) -> &Name {
        match self {
            DeclarationKind::Class(it) => &it.name,
            DeclarationKind::Method(it) => &it.name.name,
            DeclarationKind::Function(it) => &it.name.name,
            DeclarationKind::Predicate(it) => &it.name,
            DeclarationKind::Lemma(it) => &it.name,
            DeclarationKind::Enum(it) => &it.name,
            DeclarationKind::Adt(it) => &it.name,
            DeclarationKind::Model(it) => &it.name,
            DeclarationKind::RewriteRule(it) => &it.name,
            DeclarationKind::ProverType(it) => &it.name,
            DeclarationKind::ProverFunction(it) => &it.name,
        }
    }

    pub fn routine(&self) -> Option<Routine<'_>> {
        match self {
            DeclarationKind::Method(it) => Some(Routine::Method(it)),
            DeclarationKind::Function(it) => Some(Routine::Function(it)),
            DeclarationKind::Predicate(it) => Some(Routine::Predicate(it)),
            DeclarationKind::Lemma(it) => Some(Routine::Lemma(it)),
            _ => None,
        }
    }
}

impl ClassMemberKind {
    pub fn routine(&self) -> Option<Routine<'_>> {
        match self {
            ClassMemberKind::Method(it) => Some(Routine::Method(it)),
            ClassMemberKind::Function(it) => Some(Routine::Function(it)),
            ClassMemberKind::Predicate(it) => Some(Routine::Predicate(it)),
            ClassMemberKind::Lemma(it) => Some(Routine::Lemma(it)),
            _ => None,
        }
    }
}
