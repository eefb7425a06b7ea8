//! The instances of a question: values of its names, and the stores that the process may begin in.

use std::sync::Arc;

use crate::evaluate::{Code, Compiler, Evaluator, Stop, Word};
use crate::limits;
use crate::model::FieldId;
use crate::question::{Question, Range, RangeKind};
use crate::solve::{Cell, CellPlace, Refusal};
use crate::types::Type;
use crate::value::Value;

use super::explorer::Explorer;
use super::small::small_values;

/// A process with its arguments and the store in which it begins.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The arguments of the process.
    pub arguments: Vec<Value>,
    /// The values of the fields at the beginning, in the order of their declaration.
    pub fields: Vec<Value>,
    pub(super) argument_words: Arc<[Word]>,
    pub(super) field_words: Arc<[Word]>,
    /// The values that fields may have where nothing determines them.
    pub(super) ranges: Arc<[(u32, Arc<[Word]>)]>,
}

/// A range as code.
pub(super) enum RangeCode {
    Interval(Code, Code),
    Listed(Vec<Code>),
    Permutations(Box<RangeCode>),
    Sequences(Code, Box<RangeCode>),
    Small(u32),
}

impl RangeCode {
    pub(super) fn new(compiler: &mut Compiler<'_>, kind: &RangeKind) -> RangeCode {
        match kind {
            RangeKind::Interval(low, high) => RangeCode::Interval(compiler.code(low), compiler.code(high)),
            RangeKind::Listed(values) => RangeCode::Listed(compiler.all(values)),
            RangeKind::Permutations(values) => {
                RangeCode::Permutations(Box::new(RangeCode::new(compiler, values)))
            }
            RangeKind::Sequences(length, values) => {
                let length = compiler.code(length);
                RangeCode::Sequences(length, Box::new(RangeCode::new(compiler, values)))
            }
            RangeKind::Small(size) => RangeCode::Small(*size),
        }
    }
}

impl Explorer<'_> {
    /// Lists all instances. An error says why they cannot be listed.
    pub(super) fn list_instances(&mut self, question: &Question) -> Result<(), String> {
        let mut compiler = Compiler { table: &mut self.table };
        let ranges: Vec<RangeCode> =
            question.ranges.iter().map(|range| RangeCode::new(&mut compiler, &range.kind)).collect();
        let conditions = compiler.all(&question.conditions);
        let arguments = compiler.all(&question.arguments);
        self.has_field_ranges = question.ranges.iter().any(|range| range.field.is_some());
        self.small = question.small;
        let branches = limits::SMALL_BRANCHES;
        let mut choosing = Choosing { question, ranges, conditions, arguments, fields: Vec::new(), branches };
        self.choose(&mut choosing, 0)
    }

    fn choose(&mut self, choosing: &mut Choosing<'_>, index: usize) -> Result<(), String> {
        let Some(range) = choosing.question.ranges.get(index) else { return self.begin(choosing) };
        let values = self.range_values(&choosing.ranges[index], &range.ty);
        let values: Arc<[Word]> = values.map_err(|stop| self.range_sentence(range, stop))?.into();
        for value in values.iter() {
            if let Some(field) = range.field {
                choosing.fields.push((field, *value, values.clone()));
            }
            let result =
                self.with_variable(range.variable.0, *value, |explorer| explorer.choose(choosing, index + 1));
            if range.field.is_some() {
                choosing.fields.pop();
            }
            if self.small.is_none() {
                result?;
                continue;
            }
            if self.instances.len() >= limits::SMALL_INSTANCES || choosing.branches == 0 {
                self.leave_out(Err("there are more instances".to_string()));
                return Ok(());
            }
            self.leave_out(result);
        }
        Ok(())
    }

    fn range_sentence(&self, range: &Range, stop: Stop) -> String {
        format!("the values of `{}` cannot be listed: {}", range.name, self.sentence(stop))
    }

    /// All values of a range.
    fn range_values(&mut self, range: &RangeCode, ty: &Type) -> Result<Vec<Word>, Stop> {
        match range {
            RangeCode::Small(size) => {
                let program = self.program.clone();
                Ok(small_values(&mut self.table, &program.enumerations, ty, *size))
            }
            RangeCode::Interval(low, high) => {
                let (low, high) = (self.evaluate(low)?, self.evaluate(high)?);
                let (Some(low), Some(high)) = (low.as_small(), high.as_small()) else {
                    return Err(Stop::Budget);
                };
                if high - low > limits::INSTANCES as i64 {
                    return Err(Stop::Budget);
                }
                (low..high).map(|value| Word::small(value).ok_or(Stop::Budget)).collect()
            }
            RangeCode::Listed(values) => values.iter().map(|value| self.evaluate(value)).collect(),
            RangeCode::Permutations(values) => {
                let values = self.range_values(values, element(ty))?;
                let mut all = Vec::new();
                permute(&mut values.clone(), 0, &mut all)?;
                Ok(all
                    .into_iter()
                    .map(|it| self.table.intern(crate::evaluate::Stored::Sequence(it)))
                    .collect())
            }
            RangeCode::Sequences(length, values) => {
                let length = self.evaluate(length)?.as_small().ok_or(Stop::Budget)?;
                let length = usize::try_from(length).map_err(|_| Stop::Undefined("a negative length"))?;
                let values = self.range_values(values, element(ty))?;
                let mut all: Vec<Vec<Word>> = vec![Vec::new()];
                for _ in 0..length {
                    if all.len().saturating_mul(values.len()) > limits::INSTANCES {
                        return Err(Stop::Budget);
                    }
                    let mut longer = Vec::new();
                    for start in &all {
                        for value in &values {
                            let mut next = start.clone();
                            next.push(*value);
                            longer.push(next);
                        }
                    }
                    all = longer;
                }
                let stored = |it: Vec<Word>| crate::evaluate::Stored::Sequence(it.into());
                Ok(all.into_iter().map(|it| self.table.intern(stored(it))).collect())
            }
        }
    }

    /// Finds the stores that an instance may begin in.
    fn begin(&mut self, choosing: &mut Choosing<'_>) -> Result<(), String> {
        for condition in &choosing.conditions {
            match self.evaluate(condition) {
                Ok(Word::TRUE) => {}
                Ok(_) => return Ok(()),
                Err(stop) => return Err(format!("a `--where` has no value: {}", self.sentence(stop))),
            }
        }
        let mut arguments = Vec::new();
        for argument in &choosing.arguments {
            match self.evaluate(argument) {
                Ok(word) => arguments.push(word),
                Err(stop) => {
                    return Err(format!("an argument of the process has no value: {}", self.sentence(stop)));
                }
            }
        }
        let process = choosing.question.process;
        let program = self.program.clone();
        let code = &program.processes[process.0 as usize];
        let saved = self.variables.clone();
        for (parameter, word) in code.parameters.iter().zip(&arguments) {
            self.variables[*parameter as usize] = *word;
        }
        let mut now: Vec<Word> = vec![Word::FALSE; self.model.fields.len()];
        let mut cells = Vec::new();
        for (index, field) in self.model.fields.iter().enumerate() {
            let given = choosing.fields.iter().find(|(it, ..)| it.0 as usize == index);
            match given {
                Some((_, word, _)) => now[index] = *word,
                None => cells.push(Cell {
                    place: CellPlace::Field(index as u32),
                    ty: field.ty.clone(),
                    range: self.small_range(&field.ty),
                }),
            }
        }
        let known = now.clone();
        let conditions: Vec<&Code> = code.requires.iter().collect();
        let most = limits::SMALL_STORES.min(limits::SMALL_INSTANCES.saturating_sub(self.instances.len()));
        let is_small = self.small.is_some();
        let solver = self.solver(&program, &[], &mut now, &cells);
        let found = if is_small {
            solver.first(&conditions, most, choosing.branches).map(|first| {
                choosing.branches = choosing.branches.saturating_sub(first.branches);
                if !first.are_all {
                    self.obstacle.get_or_insert_with(|| "there are more instances".to_string());
                }
                first.results
            })
        } else {
            solver.solve(&conditions)
        };
        self.variables = saved;
        let found = found.map_err(|refusal| self.no_store(process.0, refusal))?;
        let ranges: Arc<[(u32, Arc<[Word]>)]> =
            choosing.fields.iter().map(|(field, _, values)| (field.0, values.clone())).collect();
        let argument_words: Arc<[Word]> = arguments.into();
        for words in found {
            if self.instances.len() >= limits::INSTANCES {
                return Err(format!("there are more than {} instances", limits::INSTANCES));
            }
            let mut fields = known.clone();
            for (cell, word) in cells.iter().zip(&words) {
                if let CellPlace::Field(field) = cell.place {
                    fields[field as usize] = *word;
                }
            }
            self.add_instance(process.0, argument_words.clone(), fields, ranges.clone());
        }
        Ok(())
    }

    fn add_instance(
        &mut self,
        process: u32,
        argument_words: Arc<[Word]>,
        fields: Vec<Word>,
        ranges: Arc<[(u32, Arc<[Word]>)]>,
    ) {
        let parameters = &self.model.processes[process as usize].parameters;
        let arguments =
            parameters.iter().zip(argument_words.iter()).map(|(it, word)| self.table.value(*word, &it.ty));
        let arguments = arguments.collect();
        let values =
            self.model.fields.iter().zip(&fields).map(|(field, word)| self.table.value(*word, &field.ty));
        let values = values.collect();
        let field_words: Arc<[Word]> = fields.into();
        Arc::make_mut(&mut self.instances).push(Instance {
            arguments,
            fields: values,
            argument_words,
            field_words,
            ranges,
        });
    }

    fn no_store(&self, process: u32, refusal: Refusal) -> String {
        let name = &self.model.processes[process as usize].name;
        match refusal {
            Refusal::Budget => format!("`{name}` may begin in too many stores to be listed"),
            Refusal::Condition(_, stop) => {
                format!("`requires` of `{name}` has no value: {}", self.sentence(stop))
            }
            Refusal::Open(CellPlace::Field(field)) => {
                let field = &self.model.fields[field as usize].name;
                format!(
                    "`requires` of `{name}` does not determine the field `{field}`; give it values with \
                     `--for '{field} in …'`, or say more in `requires`"
                )
            }
            Refusal::Open(CellPlace::Variable(_)) => format!("`requires` of `{name}` cannot be solved"),
        }
    }

    /// The values that a field may have where nothing determines it.
    pub(super) fn field_range(&mut self, instance: u32, field: u32) -> Option<Arc<[Word]>> {
        if self.small.is_some() {
            return self.small_range(&self.model.fields[field as usize].ty);
        }
        let instance = self.instances.get(instance as usize)?;
        instance.ranges.iter().find(|(it, _)| *it == field).map(|(_, values)| values.clone())
    }

    /// Small values of a type, where what is open is to have such.
    pub(super) fn small_range(&mut self, ty: &Type) -> Option<Arc<[Word]>> {
        let size = self.small?;
        if let Some(known) = self.small_values.get(ty) {
            return Some(known.clone());
        }
        let program = self.program.clone();
        let values: Arc<[Word]> = small_values(&mut self.table, &program.enumerations, ty, size).into();
        self.small_values.insert(ty.clone(), values.clone());
        Some(values)
    }

    /// What cannot be listed is left out.
    fn leave_out(&mut self, result: Result<(), String>) {
        if let Err(sentence) = result {
            self.obstacle.get_or_insert(sentence);
        }
    }

    /// The value of an expression over fields.
    pub(super) fn in_fields(&mut self, code: &Code, start: &[Word], now: &[Word]) -> Result<Word, Stop> {
        let mut evaluator = Evaluator {
            table: &mut self.table,
            functions: &self.program.functions,
            enumerations: &self.program.enumerations,
            variables: &mut self.variables,
            start,
            now,
            partials: None,
            store: None,
            depth: 0,
            steps: 0,
        };
        evaluator.word(code)
    }
}

struct Choosing<'q> {
    question: &'q Question,
    ranges: Vec<RangeCode>,
    conditions: Vec<Code>,
    arguments: Vec<Code>,
    /// Fields with the value that they begin with, and all that they may have.
    fields: Vec<(FieldId, Word, Arc<[Word]>)>,
    /// Ways that may still be tried to find small stores.
    branches: usize,
}

/// The type of the elements of a sequence.
fn element(ty: &Type) -> &Type {
    match ty {
        Type::Sequence(inner) => inner,
        other => other,
    }
}

fn permute(values: &mut Vec<Word>, from: usize, all: &mut Vec<Box<[Word]>>) -> Result<(), Stop> {
    if all.len() >= limits::INSTANCES || values.len() > 16 {
        return Err(Stop::Budget);
    }
    if from == values.len() {
        all.push(values.clone().into());
        return Ok(());
    }
    for index in from..values.len() {
        // Of equal values one is enough.
        if values[from..index].contains(&values[index]) {
            continue;
        }
        let chosen = values.remove(index);
        values.insert(from, chosen);
        permute(values, from + 1, all)?;
        let chosen = values.remove(from);
        values.insert(index, chosen);
    }
    Ok(())
}
