//! The port for languages whose programs are proved: what a run needs of such a language, and Silver's own answer.
//!
//! A language reads texts into a typed Silver program, and a [`Translation`] says what of it stands for what in the
//! source. The engine proves the Silver program and reports failures as data; the translation puts each into the terms
//! of the source and renders it. A language that is not proved through Silver has no place here.

mod callees;
mod generated;
mod identity;
pub mod render;

use std::collections::BTreeSet;
use std::sync::Arc;

use source::{Diagnostic, SourceMap, Span};
use verdict::failure::{Finding, Goal};
use verdict::{Assumption, MemberKind, MemberReport, Obligation, ProofReport};

pub use callees::{Callee, callee};
pub use generated::{fold_generated, generated, members};
pub use identity::{Silver, render_finding};

use crate::typed::{DomainId, FunctionId, MethodId, PredicateId, Program};
use crate::{Loader, Options};

/// A language whose programs are proved.
pub trait ProofLanguage {
    /// Whether a text can be read as a program of this language.
    fn reads(&self, text: &str) -> bool;

    /// Reads texts, each with its name, that together are one program.
    fn load(
        &self,
        texts: Vec<(String, Arc<str>)>,
        options: &Options,
        loader: &dyn Loader,
    ) -> Result<Loaded, Rejected>;

    /// Texts as they are written, in the layout of a printer, or as the Silver that they are lowered into.
    fn print(&self, texts: Vec<(String, Arc<str>)>) -> Result<String, Rejected>;
}

/// A program that was read.
pub struct Loaded {
    pub sources: SourceMap,
    /// What is proved.
    pub program: Program,
    /// Errors end the loading.
    pub warnings: Vec<Diagnostic>,
    pub translation: Box<dyn Translation>,
}

/// Why there is no program.
#[derive(Debug, Default)]
pub struct Rejected {
    pub sources: SourceMap,
    pub diagnostics: Vec<Diagnostic>,
    /// Where there is no source to point at.
    pub message: Option<String>,
}

/// What a translation speaks about.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    pub program: &'c Program,
    pub sources: &'c SourceMap,
}

/// A member as it is written in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    pub kind: MemberKind,
    pub name: String,
    pub span: Span,
}

/// What a proof can reach: members of the Silver program that were proved themselves, and domains whose axioms it knows.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    pub functions: BTreeSet<FunctionId>,
    pub predicates: BTreeSet<PredicateId>,
    pub methods: BTreeSet<MethodId>,
    pub domains: BTreeSet<DomainId>,
    /// Of the functions, those that apply themselves.
    pub recursive: BTreeSet<FunctionId>,
}

/// How a program is spoken about in terms of its source.
pub trait Translation: Send + Sync {
    /// Everything that can be proved, in the order of the source.
    fn members(&self, context: Context<'_>) -> Vec<Written>;

    /// Whether a name is that of a member, as people write it when they ask for one.
    fn has_member(&self, context: Context<'_>, name: &str) -> bool;

    /// The members of the Silver program that stand for members of the source with these names.
    fn silver_names(&self, names: &[String]) -> Vec<String>;

    /// The members of the Silver program to be proved when these are asked for: beside those that stand for them, those
    /// that every proof may rest on.
    fn wanted(&self, names: &[String]) -> Vec<String> {
        self.silver_names(names)
    }

    /// Whether members have to be looked at beyond their first failures, because some of these may be none.
    fn looks_on(&self) -> bool {
        false
    }

    /// The member of the source that a member of the Silver program stands for; none if nobody wrote it.
    fn written(&self, context: Context<'_>, kind: MemberKind, silver: &str) -> Option<Written>;

    /// The member of the source that a member of the Silver program is made from, also where it is not what that is
    /// proved by: a choice of types for a generic member, the contract of a thread.
    fn made_from(&self, context: Context<'_>, kind: MemberKind, silver: &str) -> Option<Written> {
        self.written(context, kind, silver)
    }

    /// The members of the Silver program that a report is about.
    fn parts(&self, report: &MemberReport) -> Vec<String>;

    /// What is being proved, in terms of the source.
    fn obligation(&self, goal: &Goal) -> Obligation;

    /// What was found out about members of the Silver program, as reports about the source. What is generated for a
    /// member is already part of what was found out about it.
    ///
    /// This is asked of all members at the end, and of those that stand for one of the source as soon as they are done.
    fn report(&self, context: Context<'_>, findings: Vec<Finding>) -> ProofReport;

    /// What a proof takes for granted that can reach this.
    fn assumptions(&self, context: Context<'_>, reached: &Reached) -> Vec<Assumption>;
}
