//! From tree to program: names, types, constants, and SPIN's statement structure.
//!
//! Units are read in the order of the text, as SPIN reads them: a global is visible after its declaration
//! only. Remote references and jumps may point forward, so they leave a ticket in the tree that is
//! redeemed when everything is known (`remote`, `label`). A fault never stops the work: it is reported and
//! a harmless stand-in takes its place; a program with errors is not handed out.

mod check;
mod declare;
mod desugar;
mod expression;
mod formula;
mod label;
mod place;
mod print;
mod process;
pub mod program;
mod remote;
mod statement;
mod types;
mod walk;

use std::sync::Arc;

use parse::Messages;
use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};

use crate::limits;
use crate::syntax::{Macros, Names, tree};
use program::{
    Expansion, ExpansionId, Formula, Mtype, MtypeId, Process, ProcessId, ProcessKind, StmtId, Structure,
    StructureId, Type, VarId, Variable,
};

pub use formula::resolve_formula;
pub use program::Program;

/// Gives every name of a model its meaning.
pub fn resolve(module: &tree::Module, macros: Macros) -> (Option<Program>, Vec<Diagnostic>) {
    let mut resolver = Resolver::default();
    resolver.mtypes.push(Mtype { name: None, names: Vec::new() });
    resolver.announce(module);
    resolver.units(module);
    resolver.formulas(module);
    resolver.redeem_remotes();
    resolver.check_whole();
    let failed = resolver.messages.0.has_errors();
    let program = Program {
        variables: resolver.variables,
        globals: resolver.global_order,
        structures: resolver.structures,
        mtypes: resolver.mtypes,
        processes: resolver.processes,
        formulas: resolver.formulas,
        expansions: resolver.expansions,
        statement_count: resolver.statement_count,
        macros,
        loses_messages: false,
    };
    ((!failed).then_some(program), resolver.messages.0.into_list())
}

/// At most [`limits::ERRORS`] messages of a kind.
struct Bounded(Messages);

impl Default for Bounded {
    fn default() -> Bounded {
        Bounded(Messages::new(limits::ERRORS))
    }
}

#[derive(Default)]
struct Resolver {
    variables: Vec<Variable>,
    global_order: Vec<VarId>,
    structures: Vec<Structure>,
    mtypes: Vec<Mtype>,
    processes: Vec<Process>,
    formulas: Vec<Formula>,
    expansions: Vec<Expansion>,
    statement_count: u32,

    globals: FxHashMap<Arc<str>, VarId>,
    types: FxHashMap<Arc<str>, StructureId>,
    subtypes: FxHashMap<Arc<str>, MtypeId>,
    constants: FxHashMap<Arc<str>, (MtypeId, i32)>,
    process_names: FxHashMap<Arc<str>, ProcessId>,
    /// Scalars in a structure, and structures within it.
    structure_sizes: Vec<(u64, u32)>,
    /// The message fields of declared channels before flattening, for `for (m in q)`.
    message_types: FxHashMap<VarId, Vec<Type>>,
    /// The list of constants a variable was first given, see `check`.
    bound_mtypes: FxHashMap<VarId, MtypeId>,
    /// Who claimed the receiving (true) or sending end of a channel.
    claims: FxHashMap<(VarId, bool), (ProcessId, Span)>,
    has_exclusive: bool,
    remotes: Vec<remote::Remote>,
    /// Every `run` with the number of its arguments.
    runs: Vec<(ProcessId, usize, Span)>,
    /// Every send with the number of its fields.
    sends: Vec<(usize, Span)>,
    /// Fields of the largest message any channel was declared with.
    largest_message: usize,
    current: Option<Current>,
    messages: Bounded,
    /// Everything reported, repetitions included.
    faults: u32,
}

/// What is known while the body of a process is read.
struct Current {
    id: ProcessId,
    kind: ProcessKind,
    locals: FxHashMap<Arc<str>, VarId>,
    /// Locals of the open scopes, for taking them back.
    declared: Vec<Arc<str>>,
    /// The parent of each scope; scope 0 is the process itself.
    scopes: Vec<u32>,
    scope: u32,
    /// No statement has been read yet: a declaration is no step.
    leading: bool,
    variables: Vec<VarId>,
    computes_initial: bool,
    /// The sequences being built, innermost last.
    output: Vec<Vec<program::Stmt>>,
    /// Statements that come right after the one being read.
    trailing: Vec<program::Stmt>,
    /// The loops around, with the `d_step` they stand in.
    loops: Vec<(StmtId, Option<u32>)>,
    /// Number of the outermost `d_step` around.
    d_step: Option<u32>,
    d_steps: u32,
    labels: label::Labels,
    /// Counters of `for (m in q)` by scope.
    counters: FxHashMap<u32, VarId>,
    exclusive: Vec<program::Exclusive>,
    call: Option<u32>,
}

impl Resolver {
    #[inline(never)]
    fn report(&mut self, diagnostic: Diagnostic) {
        self.faults += 1;
        let call = self.current.as_ref().and_then(|current| current.call);
        let call = call.and_then(|call| self.expansions.get(call as usize));
        let diagnostic = match call {
            Some(call) if diagnostic.span() != Some(call.call) => {
                diagnostic.label(call.call, format!("in this call of inline `{}`", call.name))
            }
            _ => diagnostic,
        };
        // A faulty inline complains at its first call only.
        if !self.messages.0.said(diagnostic.code, diagnostic.span()) {
            self.messages.0.report(diagnostic);
        }
    }

    #[inline(never)]
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: &str) {
        self.report(Diagnostic::error(code, span, message).help(help));
    }

    #[inline(never)]
    fn warn(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: &str) {
        self.report(Diagnostic::warning(code, span, message).help(help));
    }

    /// Names that may be used before the text has come to them: constants and processes.
    fn announce(&mut self, module: &tree::Module) {
        for call in &module.calls {
            self.expansions.push(Expansion {
                name: call.name.text.to_string(),
                call: call.span,
                parent: call.parent.map(ExpansionId),
            });
        }
        let mut id = 0;
        for unit in &module.units {
            match unit {
                tree::Unit::Mtype(list) => self.mtype_list(list),
                tree::Unit::Process(process) => {
                    self.process_names.entry(process.name.text.clone()).or_insert(ProcessId(id));
                    id += 1;
                }
                tree::Unit::Typedef(_) | tree::Unit::Variables(_) => {}
            }
        }
    }

    fn units(&mut self, module: &tree::Module) {
        for unit in &module.units {
            match unit {
                tree::Unit::Mtype(_) => {}
                tree::Unit::Typedef(typedef) => self.typedef(typedef),
                tree::Unit::Variables(declaration) => self.declare(declaration),
                tree::Unit::Process(process) => self.process(process),
            }
        }
    }

    fn process_id(&self, name: &str) -> Option<ProcessId> {
        self.process_names.get(name).copied()
    }

    fn next_statement(&mut self) -> StmtId {
        let id = StmtId(self.statement_count);
        self.statement_count += 1;
        id
    }
}

impl Program {
    /// The names that decide how a formula about this model parses.
    pub(crate) fn lexer_names(&self) -> Names {
        let mut names = Names::default();
        for structure in &self.structures {
            names.types.insert(structure.name.as_str().into());
        }
        for process in &self.processes {
            names.processes.insert(process.name.as_str().into());
        }
        for constant in self.mtypes.iter().flat_map(|list| &list.names) {
            names.constants.insert(constant.as_str().into());
        }
        names
    }
}
