//! The port for languages whose programs are proved: what a run needs of such a language, and Silver's own answer.
//!
//! A language reads texts into a typed Silver program, and a [`Translation`] says what of it stands for what in the
//! source. The engine proves the Silver program and reports failures as data; the translation puts each into the terms
//! of the source and renders it. A language that is not proved through Silver has no place here.
#![deny(missing_docs)]

mod callees;
mod generated;
mod identity;
mod meaning;
pub mod render;

use std::collections::BTreeSet;
use std::sync::Arc;

use source::{Diagnostic, Loader, SourceMap, Span};
use verdict::failure::{Finding, Goal};
use verdict::{Assumption, Creation, Inherited, MemberKind, MemberReport, Obligation, ProofReport};

pub use callees::{Callee, callee};
pub use generated::{fold_generated, generated, members};
pub use identity::{Silver, render_finding};
pub use meaning::is_meaningless;

use crate::Options;
use crate::typed::{Domain, DomainId, FunctionId, MethodId, PredicateId, Program};

/// A language whose programs are proved.
pub trait ProofLanguage: Sync {
    /// What sets the language apart, as far as a run has to know.
    fn features(&self) -> Features;

    /// Whether a text can be read as a program of this language.
    fn reads(&self, text: &str) -> bool;

    /// Reads the texts that the loader has under these names, which together are one program. Options that the language
    /// has no use for are errors.
    fn load(&self, names: &[String], loader: &dyn Loader, options: &LoadOptions) -> Result<Loaded, Rejected>;

    /// The texts under these names as they are written, in the layout of a printer, or as the Silver that they are
    /// lowered into.
    fn print(&self, names: &[String], loader: &dyn Loader, options: &LoadOptions)
    -> Result<String, Rejected>;
}

/// What sets a language apart that is proved.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Features {
    /// Several texts can be one program; in other languages one text is, and imports the others.
    pub joins_texts: bool,
    /// There are dialects to choose from: [`LoadOptions::dialect`] says something.
    pub has_dialects: bool,
    /// Programs are put into Silver, which is what is printed of them.
    pub is_lowered: bool,
}

/// How programs are read that are to be proved.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct LoadOptions {
    /// Look for places that no execution reaches, where proofs are empty.
    pub smoke_detection: bool,
    /// Let exact amounts in function preconditions mean what they say, instead of only zero or positive.
    pub respect_function_permission_amounts: bool,
    /// Where files of libraries are looked for.
    pub folders: Vec<String>,
    /// The dialect, by the number that the language gives to it; the language's own choice if absent.
    pub dialect: Option<u8>,
    /// Contracts of models that are believed without a proof, by their names.
    pub assumed_contracts: Vec<String>,
    /// The order in which members are proved, by a number; that of the text if absent. No meaning depends on it.
    pub order: Option<u64>,
}

impl LoadOptions {
    /// What of this is about the Silver that is proved.
    pub fn silver(&self) -> Options {
        Options {
            smoke_detection: self.smoke_detection,
            respect_function_permission_amounts: self.respect_function_permission_amounts,
            folders: self.folders.clone(),
            order: self.order,
        }
    }
}

/// The texts that a loader has under some names, in their order.
pub fn texts(names: &[String], loader: &dyn Loader) -> Result<Vec<(String, Arc<str>)>, Rejected> {
    let text = |name: &String| match loader.load(name) {
        Ok(text) => Ok((name.clone(), text)),
        Err(reason) => Err(Rejected::message(format!("cannot read {name}: {reason}"))),
    };
    names.iter().map(text).collect()
}

/// A program that was read.
pub struct Loaded {
    /// The texts that it was read from, those of the language included.
    pub sources: SourceMap,
    /// What is proved.
    pub program: Program,
    /// Errors end the loading.
    pub warnings: Vec<Diagnostic>,
    /// How it is spoken about.
    pub translation: Box<dyn Translation>,
}

/// Why there is no program.
#[derive(Debug, Default)]
pub struct Rejected {
    /// The texts that were read.
    pub sources: SourceMap,
    /// What is wrong with them.
    pub diagnostics: Vec<Diagnostic>,
    /// Where there is no source to point at.
    pub message: Option<String>,
}

impl Rejected {
    /// A sentence that is about no place in a text.
    pub fn message(message: impl Into<String>) -> Rejected {
        Rejected { message: Some(message.into()), ..Rejected::default() }
    }
}

/// What a translation speaks about.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// What is proved.
    pub program: &'c Program,
    /// The texts that it was read from.
    pub sources: &'c SourceMap,
}

/// A member as it is written in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// What it is.
    pub kind: MemberKind,
    /// Its name, as people write it.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// What a proof can reach: members of the Silver program that were proved themselves, and domains whose axioms it knows.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// Functions whose definitions or contracts it knows.
    pub functions: BTreeSet<FunctionId>,
    /// Predicates that it folds, unfolds or holds.
    pub predicates: BTreeSet<PredicateId>,
    /// Methods whose contracts it uses.
    pub methods: BTreeSet<MethodId>,
    /// Domains whose axioms it knows.
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

    /// Whether triggers of quantifiers are those that the program's author chose.
    fn triggers_are_written(&self) -> bool {
        false
    }

    /// The quantifiers of the Silver program that are written in the source; none if all are.
    fn written_quantifiers(&self) -> Option<&BTreeSet<Span>> {
        None
    }

    /// Whether the axioms of a domain are written in the source, as opposed to what the language says by itself.
    fn writes_domain(&self, context: Context<'_>, domain: &Domain) -> bool;

    /// Whether the Silver program has ghost steps that the proof may take or leave (`@where_known`).
    fn has_own_steps(&self) -> bool {
        false
    }

    /// The member of the source that a member of the Silver program stands for; none if it was generated.
    fn written(&self, context: Context<'_>, kind: MemberKind, silver: &str) -> Option<Written>;

    /// The member of the source that a member of the Silver program is made from, also where it is not what that is
    /// proved by: a choice of types for a generic member, the contract of a thread.
    fn made_from(&self, context: Context<'_>, kind: MemberKind, silver: &str) -> Option<Written> {
        self.written(context, kind, silver)
    }

    /// The members of the Silver program that a report is about.
    fn parts(&self, report: &MemberReport) -> Vec<String>;

    /// Whether what a report is about is there for proofs only: a run of the program never comes to its failure.
    fn is_erased(&self, _report: &MemberReport) -> bool {
        false
    }

    /// What is being proved, in terms of the source.
    fn obligation(&self, goal: &Goal) -> Obligation;

    /// What was found out about members of the Silver program, as reports about the source. What is generated for a
    /// member is already part of what was found out about it.
    ///
    /// This is asked of all members at the end, and of those that stand for one of the source as soon as they are done.
    fn report(&self, context: Context<'_>, findings: Vec<Finding>) -> ProofReport;

    /// The models that a member creates, and what it has of the processes that it follows then; `contracts` says what is
    /// known of those that have one.
    fn creations(
        &self,
        _context: Context<'_>,
        _member: &MemberReport,
        _contracts: &[Inherited],
    ) -> Vec<Creation> {
        Vec::new()
    }

    /// What a proof takes for granted that can reach this.
    fn assumptions(&self, context: Context<'_>, reached: &Reached) -> Vec<Assumption>;
}
