//! The state of the type checker: what is declared globally, and what the member being checked has declared.
//!
//! Members are declared first, signatures next, bodies last, so that order in the file does not matter. Messages are
//! collected; a type that could not be made sense of is [`Ty::Error`] and causes no further messages.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Span};

use super::termination::Decreases;
use super::unify::{Solver, Ty};
use crate::codes;
use crate::syntax::tree;
use crate::typed::{
    Assumption, Domain, DomainFunctionId, DomainId, FieldId, FunctionId, Label, LabelId, Local, LocalId,
    LocalKind, MethodId, PredicateId, Program, Type,
};

/// What a global name can mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Global {
    Field(FieldId),
    Method(MethodId),
    Function(FunctionId),
    Predicate(PredicateId),
    Domain(DomainId),
    DomainFunction(DomainFunctionId),
    Adt(DomainId),
    Constructor(DomainFunctionId),
}

/// What the encoding of an ADT and its uses need to know.
#[derive(Clone, Debug)]
pub(super) struct AdtInfo {
    pub(super) domain: DomainId,
    pub(super) span: Span,
    pub(super) constructors: Vec<ConstructorInfo>,
    pub(super) tag: DomainFunctionId,
    /// Of an ADT whose values can be parts of each other.
    pub(super) height: Option<DomainFunctionId>,
    /// For `derives { contains without … }`: the fields left out.
    pub(super) contains_without: Option<Vec<Arc<str>>>,
}

#[derive(Clone, Debug)]
pub(super) struct ConstructorInfo {
    pub(super) name: Arc<str>,
    pub(super) span: Span,
    pub(super) function: DomainFunctionId,
    /// Name and destructor of each field.
    pub(super) fields: Vec<(Arc<str>, DomainFunctionId)>,
    pub(super) tag: usize,
}

/// The decreases clauses of a program, beside the typed tree, until they are turned into checks.
#[derive(Default, Debug)]
pub(super) struct DecreasesClauses {
    pub(super) functions: FxHashMap<FunctionId, Vec<Decreases>>,
    pub(super) methods: FxHashMap<MethodId, Vec<Decreases>>,
    /// The loops of a method in the order in which a walk over its body meets them.
    pub(super) loops: FxHashMap<MethodId, Vec<Vec<Decreases>>>,
}

/// What is known about the member being checked.
#[derive(Default, Debug)]
pub(super) struct Member {
    pub(super) locals: Vec<Local>,
    /// Visible variables, innermost scope last.
    pub(super) scopes: Vec<Vec<(Arc<str>, LocalId)>>,
    pub(super) labels: Vec<Label>,
    pub(super) type_parameters: Vec<Arc<str>>,
    /// The domain whose axiom is checked.
    pub(super) axiom_of: Option<DomainId>,
    pub(super) function_result: Option<Type>,
    pub(super) result_allowed: bool,
    /// Where `perm` and `forperm` are forbidden right now.
    pub(super) permission_ban: Option<&'static str>,
    /// Decreases clauses of the loops met so far.
    pub(super) loops: Vec<Vec<Decreases>>,
    pub(super) assumptions: Vec<Assumption>,
}

pub(super) struct Checker {
    pub(super) program: Program,
    pub(super) globals: FxHashMap<Arc<str>, Vec<Global>>,
    pub(super) adts: Vec<AdtInfo>,
    /// Fields of ADTs by name: the ADT and the destructor.
    pub(super) destructors: FxHashMap<Arc<str>, Vec<(DomainId, DomainFunctionId)>>,
    pub(super) decreases: DecreasesClauses,
    pub(super) member: Member,
    pub(super) solver: Solver,
    /// Types of variables bound by `let` whose expression is still being inferred.
    pub(super) let_types: Vec<(LocalId, Ty)>,
    /// How many comparison chains are open around the expression being read.
    pub(super) chain_nesting: usize,
    /// Whether a measure of termination is read, where a predicate means its instance.
    pub(super) in_measure: bool,
    /// The type of predicate instances, if it is used but not declared yet.
    pub(super) implicit_instance_domain: Option<DomainId>,
    /// Stand-ins for types that are used but not declared.
    undeclared_types: FxHashMap<Arc<str>, DomainId>,
    /// Where `#P(…)` was written.
    pub(super) instance_uses: Vec<Span>,
    /// Predicates without a body, which cannot be folded or unfolded.
    pub(super) bodyless_predicates: FxHashSet<PredicateId>,
    /// Functions with a `requires` clause, which axioms cannot use.
    pub(super) functions_with_preconditions: FxHashSet<FunctionId>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Consistency errors that are only known while trees are built.
    pub(super) inconsistencies: Vec<Diagnostic>,
}

impl Checker {
    pub(super) fn new() -> Checker {
        Checker {
            program: Program::default(),
            globals: FxHashMap::default(),
            adts: Vec::new(),
            destructors: FxHashMap::default(),
            decreases: DecreasesClauses::default(),
            member: Member::default(),
            solver: Solver::default(),
            let_types: Vec::new(),
            chain_nesting: 0,
            in_measure: false,
            implicit_instance_domain: None,
            undeclared_types: FxHashMap::default(),
            instance_uses: Vec::new(),
            bodyless_predicates: FxHashSet::default(),
            functions_with_preconditions: FxHashSet::default(),
            diagnostics: Vec::new(),
            inconsistencies: Vec::new(),
        }
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.diagnostics.push(Diagnostic::error(codes::TYPECHECKER, span, message).help(help));
    }

    pub(super) fn inconsistent(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.inconsistencies.push(Diagnostic::error(codes::CONSISTENCY, span, message).help(help));
    }

    pub(super) fn global(&self, name: &str) -> &[Global] {
        self.globals.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn declare_global(&mut self, name: &tree::Name, global: Global) {
        self.globals.entry(name.text.clone()).or_default().push(global);
    }

    /// Starts a member with no variables.
    pub(super) fn begin_member(&mut self) {
        self.member = Member { scopes: vec![Vec::new()], ..Member::default() };
        self.solver.reset();
        self.let_types.clear();
    }

    pub(super) fn enter_scope(&mut self) {
        self.member.scopes.push(Vec::new());
    }

    pub(super) fn leave_scope(&mut self) {
        self.member.scopes.pop();
    }

    /// Adds a variable without a visible name.
    pub(super) fn new_local(&mut self, name: &str, ty: Type, span: Span, kind: LocalKind) -> LocalId {
        self.member.locals.push(Local { name: name.into(), ty, span, kind });
        LocalId(self.member.locals.len() as u32 - 1)
    }

    /// Adds a variable to the innermost scope.
    pub(super) fn declare_local(&mut self, name: &tree::Name, ty: Type, kind: LocalKind) -> LocalId {
        let local = self.new_local(&name.text, ty, name.span, kind);
        if let Some(scope) = self.member.scopes.last_mut() {
            scope.push((name.text.clone(), local));
        }
        local
    }

    /// All variables that a name can mean here.
    pub(super) fn visible_locals(&self, name: &str) -> Vec<LocalId> {
        let scopes = self.member.scopes.iter().flatten();
        scopes.filter(|(visible, _)| **visible == *name).map(|(_, local)| *local).collect()
    }

    pub(super) fn find_label(&self, name: &str) -> Option<LabelId> {
        let index = self.member.labels.iter().position(|label| label.name == name)?;
        Some(LabelId(index as u32))
    }

    /// The type as it is written in messages.
    pub(super) fn describe(&self, ty: &Ty) -> String {
        match self.solver.shallow(ty) {
            Ty::Int => "Int".to_string(),
            Ty::Bool => "Bool".to_string(),
            Ty::Perm => "Perm".to_string(),
            Ty::Ref => "Ref".to_string(),
            Ty::Seq(element) => format!("Seq[{}]", self.describe(&element)),
            Ty::Set(element) => format!("Set[{}]", self.describe(&element)),
            Ty::Multiset(element) => format!("Multiset[{}]", self.describe(&element)),
            Ty::Map(key, value) => format!("Map[{}, {}]", self.describe(&key), self.describe(&value)),
            Ty::Domain(domain, arguments) => {
                let name = &self.program.domain(domain).name;
                if arguments.is_empty() {
                    return name.clone();
                }
                let arguments: Vec<String> = arguments.iter().map(|ty| self.describe(ty)).collect();
                format!("{name}[{}]", arguments.join(", "))
            }
            Ty::Parameter(index) => {
                let name = self.member.type_parameters.get(index as usize);
                name.map_or_else(|| "a type parameter".to_string(), |name| name.to_string())
            }
            Ty::Variable(_) => "_".to_string(),
            Ty::Impure => "an assertion".to_string(),
            Ty::Wand => "a wand".to_string(),
            Ty::Predicate => "a predicate".to_string(),
            Ty::Error => "an error".to_string(),
        }
    }

    /// The meaning of a written type.
    pub(super) fn ty(&mut self, ty: &tree::Type) -> Ty {
        use tree::TypeKind;
        match &ty.kind {
            TypeKind::Int => Ty::Int,
            TypeKind::Bool => Ty::Bool,
            TypeKind::Perm | TypeKind::Rational => Ty::Perm,
            TypeKind::Ref => Ty::Ref,
            TypeKind::Seq(element) => Ty::seq(self.ty(element)),
            TypeKind::Set(element) => Ty::set(self.ty(element)),
            TypeKind::Multiset(element) => Ty::multiset(self.ty(element)),
            TypeKind::Map(key, value) => Ty::map(self.ty(key), self.ty(value)),
            TypeKind::Named(name, arguments) => self.named_type(ty.span, name, arguments.as_deref()),
            TypeKind::Macro(name, _) => {
                self.error(
                    ty.span,
                    format!("`{}(…)` is not a type", name.text),
                    "write a type, a domain or an ADT",
                );
                Ty::Error
            }
        }
    }

    /// A written type where no inference takes place.
    pub(super) fn ground_type(&mut self, ty: &tree::Type) -> Type {
        let ty = self.ty(ty);
        self.solver.ground(&ty)
    }

    /// A type that is only equal to itself, so that uses are still checked.
    fn undeclared_type(&mut self, name: &tree::Name, arguments: Vec<Ty>) -> Ty {
        let domain = match self.undeclared_types.get(&name.text) {
            Some(domain) => *domain,
            None => {
                let domain = DomainId(self.program.domains.len() as u32);
                self.program.domains.push(Domain::empty(&*name.text, name.span));
                self.undeclared_types.insert(name.text.clone(), domain);
                domain
            }
        };
        Ty::Domain(domain, arguments.into())
    }

    fn named_type(&mut self, span: Span, name: &tree::Name, arguments: Option<&[tree::Type]>) -> Ty {
        let written: Vec<Ty> = arguments.unwrap_or(&[]).iter().map(|ty| self.ty(ty)).collect();
        if arguments.is_none()
            && let Some(index) =
                self.member.type_parameters.iter().position(|parameter| **parameter == *name.text)
        {
            return Ty::Parameter(index as u32);
        }
        let mut candidates = Vec::new();
        for global in self.global(&name.text) {
            if let Global::Domain(domain) | Global::Adt(domain) = global {
                candidates.push(*domain);
            }
        }
        let Some(&domain) = candidates.first() else {
            let help = "declare a domain or an ADT of this name";
            self.error(span, format!("the type `{}` is not declared", name.text), help);
            return self.undeclared_type(name, written);
        };
        if candidates.len() > 1 {
            self.error(
                span,
                format!("the type `{}` is declared more than once", name.text),
                "rename all but one of the declarations",
            );
            return Ty::Error;
        }
        let expected = self.program.domain(domain).parameters.len();
        if expected != written.len() {
            let message = format!(
                "the type `{}` takes {expected} type arguments, but has {}",
                name.text,
                written.len()
            );
            self.error(span, message, "write one type for each parameter of the domain");
            return Ty::Error;
        }
        if written.contains(&Ty::Error) {
            return Ty::Error;
        }
        Ty::Domain(domain, written.into())
    }
}
