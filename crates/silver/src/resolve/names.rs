//! Reports names that are declared twice.
//!
//! Global names are unique in the program, formals and ADT fields in their member, local and bound variables in
//! their scope; and no name may be the same as a unique one that is visible around it. Like Viper's name analysis
//! this goes through the members in order, so a clash is reported at the later declaration.

use std::convert::Infallible;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};

use crate::codes;
use crate::syntax::rewrite::Rewrite;
use crate::syntax::tree::{Binding, Member, MemberKind, Name, Statement, StatementKind};

/// How far a name has to be unique.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    Program,
    Member,
    Scope,
    /// Labels: they clash with unique names, but not with each other.
    Nowhere,
}

#[derive(Clone, Copy)]
struct Entry {
    /// Whether the declaration is visible here, or only somewhere inside.
    visible: bool,
    reach: Reach,
    span: Span,
}

#[derive(Default)]
struct Scope {
    names: FxHashMap<Arc<str>, Entry>,
    /// In order of declaration, for a deterministic report.
    order: Vec<Arc<str>>,
    is_member: bool,
}

impl Scope {
    fn set(&mut self, name: &Arc<str>, entry: Entry) {
        if self.names.insert(name.clone(), entry).is_none() {
            self.order.push(name.clone());
        }
    }

    /// Adds a declaration; gives the place of one that it clashes with.
    fn add(&mut self, name: &Arc<str>, entry: Entry) -> Option<Span> {
        let previous = self.names.get(name).copied();
        let unique = |reach| previous.is_some_and(|other| other.visible && other.reach == reach);
        let in_program = unique(Reach::Program);
        let in_member = in_program || unique(Reach::Member);
        let in_scope = in_member || unique(Reach::Scope);
        match entry.reach {
            Reach::Program if entry.visible => self.set(name, entry),
            Reach::Member if entry.visible && !in_program => self.set(name, entry),
            Reach::Scope if entry.visible && !in_member => self.set(name, entry),
            _ if in_scope => {}
            _ => {
                self.set(name, entry);
                return None;
            }
        }
        previous.map(|other| other.span)
    }
}

pub(super) struct Names {
    scopes: Vec<Scope>,
    /// Whether the member is one of the built-in library: names inside of it are not looked at.
    is_library: bool,
    diagnostics: Vec<Diagnostic>,
}

/// Checks all members, those of imported files first; each with whether it belongs to the built-in library.
pub(super) fn check<'a>(members: impl Iterator<Item = (&'a Member, bool)>) -> Vec<Diagnostic> {
    let mut names = Names { scopes: vec![Scope::default()], is_library: false, diagnostics: Vec::new() };
    for (member, is_library) in members {
        names.is_library = is_library;
        names.member(member);
    }
    names.diagnostics
}

impl Names {
    fn declare(&mut self, name: &Name, reach: Reach) {
        let entry = Entry { visible: true, reach, span: name.span };
        if let Some(scope) = self.scopes.last_mut()
            && let Some(other) = scope.add(&name.text, entry)
        {
            self.clash(&name.text, name.span, other);
        }
    }

    fn clash(&mut self, name: &str, span: Span, other: Span) {
        self.diagnostics.push(
            Diagnostic::error(codes::TYPECHECKER, span, format!("the name `{name}` is already used"))
                .label(other, "the other declaration")
                .help("rename one of them"),
        );
    }

    fn open(&mut self, is_member: bool) {
        self.scopes.push(Scope { is_member, ..Scope::default() });
    }

    /// Closes a scope: its names stay known outside, as names that are used inside.
    fn close(&mut self) {
        let Some(inner) = self.scopes.pop() else { return };
        let Some(outer) = self.scopes.last_mut() else { return };
        let mut clashes = Vec::new();
        for name in &inner.order {
            let Some(entry) = inner.names.get(name) else { continue };
            let leaves = match entry.reach {
                Reach::Program => true,
                Reach::Member => !inner.is_member,
                Reach::Scope | Reach::Nowhere => false,
            };
            let entry = Entry { visible: entry.visible && leaves, ..*entry };
            if self.is_library && !entry.visible {
                continue;
            }
            if let Some(other) = outer.add(name, entry) {
                clashes.push((name.clone(), entry.span, other));
            }
        }
        for (name, span, other) in clashes {
            self.clash(&name, span, other);
        }
    }

    fn declare_all(&mut self, bindings: &[Binding], reach: Reach) {
        for binding in bindings {
            self.declare(&binding.name, reach);
        }
    }

    fn type_parameters(&mut self, parameters: Option<&[Name]>) {
        for parameter in parameters.unwrap_or(&[]) {
            self.declare(parameter, Reach::Nowhere);
        }
    }

    fn member(&mut self, member: &Member) {
        match &member.kind {
            MemberKind::Import(_) | MemberKind::Define(_) => {}
            MemberKind::Fields(bindings) => {
                self.open(true);
                self.declare_all(bindings, Reach::Program);
                self.close();
            }
            MemberKind::Method(method) => {
                self.declare(&method.name, Reach::Program);
                self.open(true);
                self.declare_all(&method.formals, Reach::Member);
                self.declare_all(&method.returns, Reach::Member);
                let _ = self.specifications(&method.preconditions);
                let _ = self.specifications(&method.postconditions);
                if let Some(body) = &method.body {
                    let _ = self.block(body);
                }
                self.close();
            }
            MemberKind::Function(function) => {
                self.declare(&function.name, Reach::Program);
                self.open(true);
                self.declare_all(&function.formals, Reach::Member);
                let _ = self.specifications(&function.preconditions);
                let _ = self.specifications(&function.postconditions);
                let _ = self.optional(function.body.as_ref());
                self.close();
            }
            MemberKind::Predicate(predicate) => {
                self.declare(&predicate.name, Reach::Program);
                self.open(true);
                self.declare_all(&predicate.formals, Reach::Member);
                let _ = self.optional(predicate.body.as_ref());
                self.close();
            }
            MemberKind::Domain(domain) => {
                self.declare(&domain.name, Reach::Program);
                self.open(true);
                self.type_parameters(domain.parameters.as_deref());
                for function in &domain.functions {
                    self.declare(&function.name, Reach::Program);
                }
                for axiom in &domain.axioms {
                    self.open(false);
                    let _ = self.expression(&axiom.body);
                    self.close();
                }
                self.close();
            }
            MemberKind::Adt(adt) => {
                self.declare(&adt.name, Reach::Program);
                self.open(true);
                self.type_parameters(adt.parameters.as_deref());
                for constructor in &adt.constructors {
                    self.declare(&constructor.name, Reach::Program);
                    self.open(false);
                    self.declare_all(&constructor.fields, Reach::Member);
                    self.close();
                }
                self.close();
            }
        }
    }
}

impl Rewrite for Names {
    type Error = Infallible;

    fn enter_scope(&mut self) {
        self.open(false);
    }

    fn leave_scope(&mut self) {
        self.close();
    }

    fn definition(&mut self, name: &Name) -> Result<Name, Infallible> {
        self.declare(name, Reach::Scope);
        Ok(name.clone())
    }

    fn statement(&mut self, statement: &Statement) -> Result<Statement, Infallible> {
        if let StatementKind::Label { name, invariants } = &statement.kind {
            self.declare(name, Reach::Nowhere);
            let _ = self.specifications(invariants);
            return Ok(statement.clone());
        }
        self.walk_statement(statement)
    }
}
