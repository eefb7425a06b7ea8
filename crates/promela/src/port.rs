//! Promela as a model language: how its models are read, what they call things, and how they are lowered.

use std::collections::BTreeMap;

use model::lowered::{Finding, LoweredModel, Lowers, Optimisations};
use model::{AtomId, Contents, FormulaId, LoadOptions, LoadedModel, Ltl, ModelLanguage, Vocabulary};
use source::{Diagnostic, FileId, Loader, SourceMap, Span};
use transition::model::{Expr as ModelExpr, Model};

use crate::lower::{lower_observing, proposition};
use crate::resolve::Program;
use crate::resolve::program::{
    Expr, Process, ProcessKind, Temporal, TemporalBinary, TemporalKind, TemporalUnary,
};

/// The language.
#[derive(Clone, Copy, Debug)]
pub struct Promela;

impl ModelLanguage for Promela {
    fn load(
        &self,
        name: &str,
        loader: &dyn Loader,
        options: &LoadOptions,
        map: &mut SourceMap,
    ) -> (Option<Box<dyn LoadedModel>>, Vec<Diagnostic>) {
        let split = |define: &String| match define.split_once('=') {
            Some((name, text)) => (name.to_string(), Some(text.to_string())),
            None => (define.clone(), None),
        };
        let preprocessing = crate::Options {
            defines: options.defines.iter().map(split).collect(),
            undefines: options.undefines.clone(),
            includes: options.include_paths.iter().map(|path| path.display().to_string()).collect(),
        };
        let (program, diagnostics) = crate::load(name, loader, &preprocessing, map);
        let model = program.map(|mut program| {
            program.loses_messages = options.loses_messages;
            Box::new(LoweredModel::new(PromelaModel::new(program))) as Box<dyn LoadedModel>
        });
        (model, diagnostics)
    }
}

/// A resolved program with the formulas over it. The first formulas and atoms are those that stand in the program.
struct PromelaModel {
    program: Program,
    formulas: Vec<Ltl>,
    atoms: Vec<Expr>,
    /// How many atoms stand in the program.
    own_atoms: usize,
}

impl PromelaModel {
    fn new(program: Program) -> PromelaModel {
        let mut atoms = Vec::new();
        let formulas = program.formulas.iter().map(|formula| ltl(&formula.formula, &mut atoms)).collect();
        let own_atoms = atoms.len();
        PromelaModel { program, formulas, atoms, own_atoms }
    }

    fn claims(&self) -> impl Iterator<Item = &Process> {
        self.program.processes.iter().filter(|process| process.kind == ProcessKind::Never)
    }

    fn atom(&self, atom: AtomId) -> Option<&Expr> {
        self.atoms.get(atom.0 as usize)
    }
}

impl Vocabulary for PromelaModel {
    fn contents(&self) -> Contents {
        let formulas = self.program.formulas.iter().zip(0..);
        let is_system =
            |process: &&Process| matches!(process.kind, ProcessKind::Proctype | ProcessKind::Init);
        let accepts = |process: &Process| process.labels.iter().any(|label| label.is_accept());
        Contents {
            formulas: formulas.map(|(formula, id)| (formula.name.clone(), FormulaId(id))).collect(),
            claims: self.claims().map(|claim| claim.name.clone()).collect(),
            has_accepting_places: self.program.processes.iter().filter(is_system).any(accepts),
        }
    }

    fn read_formula(&mut self, text: &str, map: &mut SourceMap) -> Result<FormulaId, Vec<Diagnostic>> {
        let (formula, diagnostics) = crate::formula(text, &self.program, map);
        match formula {
            Some(formula) if !diagnostics.iter().any(Diagnostic::is_error) => {
                self.formulas.push(ltl(&formula, &mut self.atoms));
                Ok(FormulaId(self.formulas.len() as u32 - 1))
            }
            _ => Err(diagnostics),
        }
    }

    fn read_atom(&mut self, text: &str) -> Option<AtomId> {
        let (formula, _) = crate::formula(text, &self.program, &mut SourceMap::default());
        self.atoms.push(proposition(&formula?)?);
        Some(AtomId(self.atoms.len() as u32 - 1))
    }

    fn formula(&self, formula: FormulaId) -> &Ltl {
        self.formulas.get(formula.0 as usize).unwrap_or(&Ltl::Constant(false))
    }

    fn show_atom(&self, atom: AtomId) -> String {
        self.atom(atom).map_or_else(String::new, |atom| self.program.show_expr(atom))
    }
}

impl Lowers for PromelaModel {
    fn lower(
        &self,
        optimisations: Optimisations,
        given: &[AtomId],
    ) -> Result<(Model, BTreeMap<AtomId, ModelExpr>), Vec<Diagnostic>> {
        let observed: Vec<&Expr> = given.iter().filter_map(|atom| self.atom(*atom)).collect();
        let mut lowered = lower_observing(&self.program, optimisations, &observed)?;
        let own = (0..self.own_atoms as u32).map(AtomId);
        let mut atoms = BTreeMap::new();
        for atom in own.chain(given.iter().copied()) {
            if let Some(expr) = self.atom(atom) {
                atoms.insert(atom, lowered.expr(expr));
            }
        }
        Ok((lowered.model, atoms))
    }

    fn is_own(&self, atom: AtomId) -> bool {
        (atom.0 as usize) < self.own_atoms
    }

    fn place(&self) -> Span {
        self.program.processes.first().map_or(Span::new(FileId(0), 0, 0), |process| process.span)
    }

    fn code(&self, finding: Finding) -> &'static str {
        match finding {
            Finding::TooLarge => "promela.model-too-large",
            Finding::EndlessAtomic => "promela.endless-atomic",
        }
    }
}

/// The formula over numbered atoms, which are put behind those that are known.
fn ltl(formula: &Temporal, atoms: &mut Vec<Expr>) -> Ltl {
    match &formula.kind {
        TemporalKind::Constant(value) => Ltl::Constant(*value),
        TemporalKind::Atom(expr) => {
            atoms.push(expr.clone());
            Ltl::Atom(AtomId(atoms.len() as u32 - 1))
        }
        TemporalKind::Unary(operator, operand) => {
            let operand = Box::new(ltl(operand, atoms));
            match operator {
                TemporalUnary::Not => Ltl::Not(operand),
                TemporalUnary::Next => Ltl::Next(operand),
                TemporalUnary::Always => Ltl::Always(operand),
                TemporalUnary::Eventually => Ltl::Eventually(operand),
            }
        }
        TemporalKind::Binary(operator, left, right) => {
            let left = Box::new(ltl(left, atoms));
            let right = Box::new(ltl(right, atoms));
            match operator {
                TemporalBinary::And => Ltl::And(left, right),
                TemporalBinary::Or => Ltl::Or(left, right),
                TemporalBinary::Implies => Ltl::Implies(left, right),
                TemporalBinary::Equivalent => Ltl::Equivalent(left, right),
                TemporalBinary::Until => Ltl::Until(left, right),
                TemporalBinary::WeakUntil => Ltl::WeakUntil(left, right),
                TemporalBinary::Release => Ltl::Release(left, right),
            }
        }
    }
}
