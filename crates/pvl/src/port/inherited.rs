//! What a program has of the processes that it follows: the contract, where the model is destroyed, and between its actions
//! each formula of the model that is a safety property over fields.

use std::sync::{Arc, PoisonError};

use model::processes::FormulaOfProgram;
use silver::port::Context;
use verdict::{Creation, How, Inherited, InheritedProperty, MemberReport};

use super::Translated;
use crate::lower::Created;

/// What is known of the formulas of a process, by their names.
pub(super) type Formulas = Arc<Vec<(String, FormulaOfProgram)>>;

impl Translated {
    /// The models that a member creates.
    pub(super) fn creations_of(
        &self,
        context: Context<'_>,
        member: &MemberReport,
        contracts: &[Inherited],
    ) -> Vec<Creation> {
        let is_inside = |created: &&Created| {
            self.around(created.span).is_some_and(|it| it.name == member.name && it.span == member.span)
        };
        let mut found = Vec::new();
        for created in self.created.iter().filter(is_inside) {
            let mut inherits: Vec<InheritedProperty> = Vec::new();
            inherits.extend(contract(created, contracts));
            for (name, formula) in self.formulas_of(context, created).iter() {
                inherits.extend(property(name, formula));
            }
            let (process, span) = (created.process.clone(), created.span);
            found.push(Creation { process, span, inherits });
        }
        found.sort_by_key(|it| (it.span.file, it.span.start));
        found
    }

    /// Looks at the formulas of a process; that is done once.
    fn formulas_of(&self, context: Context<'_>, created: &Created) -> Formulas {
        let Some(converted) = &created.model else { return Formulas::default() };
        let mut known = self.formulas.lock().unwrap_or_else(PoisonError::into_inner);
        let formulas = known.entry(created.process.clone()).or_insert_with(|| {
            let formulas = converted.formulas.iter().map(|(name, formula)| {
                let found = match created.number {
                    Some(process) => silver::with_large_stack(|| {
                        model::processes::formula_of_program(
                            (&converted.model, &converted.foreign),
                            process,
                            |atom| super::models::written(formula, atom),
                            context.sources,
                        )
                    }),
                    None => {
                        FormulaOfProgram::Open("what is followed is an action, and no process".to_string())
                    }
                };
                (name.clone(), found)
            });
            Arc::new(formulas.collect())
        });
        formulas.clone()
    }
}

/// What the contract is worth at the end; nothing if there is none.
fn contract(created: &Created, contracts: &[Inherited]) -> Option<InheritedProperty> {
    if !created.has_contract {
        return None;
    }
    let is_it = |it: &&Inherited| it.name == created.process;
    let how = match contracts.iter().find(is_it) {
        _ if created.is_action => How::Proved,
        Some(known) => known.how,
        None => How::Unknown,
    };
    let detail = created.is_action.then(|| "an action keeps its contract by definition".to_string());
    Some(InheritedProperty { name: "ensures".to_string(), how, detail, instances: None })
}

/// What a formula is worth between actions; nothing if programs do not inherit it.
fn property(name: &str, formula: &FormulaOfProgram) -> Option<InheritedProperty> {
    let (how, detail, instances) = match formula {
        FormulaOfProgram::NotInherited(_) => return None,
        FormulaOfProgram::Checked(covered) => (How::Checked, covered.searched(), Some(covered.instances)),
        FormulaOfProgram::Refuted { sentence, instance } => {
            let values = instance.iter().flat_map(|it| it.arguments.iter().chain(&it.fields));
            let values: Vec<String> = values.map(|(name, value)| format!("{name} = {value}")).collect();
            let detail = match values.is_empty() {
                true => sentence.clone(),
                false => format!("{sentence}, from {}", values.join(", ")),
            };
            (How::Refuted, detail, None)
        }
        FormulaOfProgram::Open(sentence) => (How::Unknown, sentence.clone(), None),
    };
    Some(InheritedProperty { name: format!("ltl {name}"), how, detail: Some(detail), instances })
}
