//! What actions do to the fields: solved once for each action with its arguments and what it reads.

use std::sync::Arc;

use crate::evaluate::{Code, Evaluator, Stop, UNKNOWN, Word};
use crate::expression::Binary;
use crate::limits;
use crate::solve::{Cell, CellPlace, Refusal, Solver};
use crate::types::Type;

use super::explorer::Explorer;
use super::kept::{Cause, Effects, NO_VALUES, Outcomes};
use super::layout::{WHOLE, Write};
use super::offers::Head;
use super::program::Program;
use super::shortcuts::Direct;

/// Fields that become what was solved for them.
fn whole<'w>(fields: &'w [u32], words: &'w [Word]) -> impl Iterator<Item = Write> + 'w {
    fields.iter().zip(words).map(|(field, word)| Write { field: *field, element: WHOLE, word: *word })
}

/// What is to be solved for a first action of a sum.
pub(super) struct Plan {
    cells: Vec<Cell>,
    conditions: Vec<Code>,
}

impl Explorer<'_> {
    /// A solver for the cells of a store, and of the variables, that are to be found.
    pub(super) fn solver<'s>(
        &'s mut self,
        program: &'s Program,
        start: &'s [Word],
        now: &'s mut [Word],
        cells: &'s [Cell],
    ) -> Solver<'s> {
        let (functions, enumerations) = (&program.functions, &program.enumerations);
        Solver::new(&mut self.table, functions, enumerations, &mut self.variables, start, now, cells)
    }

    /// All ways to do an action with its arguments, by their places among the effects.
    pub(super) fn outcomes(&mut self, program: &Program, label: u32) -> Result<Outcomes, String> {
        let action = self.common.label(label).0;
        let is_kept = self.is_worth_keeping(action as usize);
        let cause = Cause::Label(label);
        if is_kept && let Some(known) = self.effects.find(cause, &self.here, &mut self.table) {
            self.asked[action as usize].1 += 1;
            return Ok(known);
        }
        let code = &program.actions[action as usize];
        for (parameter, argument) in code.parameters.iter().zip(self.common.label(label).1) {
            self.saved.push(std::mem::replace(&mut self.variables[*parameter as usize], *argument));
        }
        self.begin_effect(is_kept);
        let found = self.solve_action(program, action, label);
        for parameter in code.parameters.iter().rev() {
            self.variables[*parameter as usize] = self.saved.pop().unwrap_or(UNKNOWN);
        }
        found?;
        Ok(self.end_effect(cause, &code.touches, is_kept))
    }

    pub(super) fn begin_effect(&mut self, is_kept: bool) {
        self.effects.begin();
        self.here.begin(is_kept);
    }

    /// What was found, by what was read; that was no more than these fields.
    pub(super) fn end_effect(&mut self, cause: Cause, touches: &[u32], is_kept: bool) -> Outcomes {
        let found = self.effects.end();
        if is_kept {
            self.here.end(&mut self.table, touches);
            self.effects.keep(cause, &self.here.trace);
        }
        found
    }

    /// The value of an expression over the fields of the state that is looked at.
    pub(super) fn in_state(&mut self, code: &Code) -> Result<Word, Stop> {
        let mut evaluator = Evaluator {
            table: &mut self.table,
            functions: &self.program.functions,
            enumerations: &self.program.enumerations,
            variables: &mut self.variables,
            start: &self.unread,
            now: &self.unread,
            partials: None,
            store: Some(&mut self.here),
            depth: 0,
            steps: 0,
        };
        evaluator.word(code)
    }

    /// The fields that an action reads or modifies; others are unknown.
    fn touched(&mut self, action: u32) -> Vec<Word> {
        let mut fields = self.unread.clone();
        for field in &self.program.actions[action as usize].touches {
            fields[*field as usize] = self.here.whole(&mut self.table, *field);
        }
        fields
    }

    /// Notes that everything is read that an action may read.
    fn note_touched(&mut self, action: u32) {
        let instance = self.here.words[0];
        self.here.note_fields(&mut self.table, &self.program.actions[action as usize].touches);
        if self.has_field_ranges {
            self.here.note_instance(instance);
        }
    }

    /// Whether what is said outright is what was solved; fields that are modified as a whole.
    fn is_same(&mut self, action: u32, solved: &[Word]) -> bool {
        let defined = self.defined.clone();
        let modifies = &self.program.actions[action as usize].modifies;
        modifies.len() == solved.len()
            && defined.len() == solved.len()
            && defined.iter().zip(solved).all(|(write, solved)| match write.element {
                WHOLE => write.word == *solved,
                element => {
                    let whole = self.here.whole(&mut self.table, write.field);
                    self.table.changed(whole, element as usize, write.word) == Some(*solved)
                }
            })
    }

    /// Whether effects of an action, or the truth of a condition, are kept: not where what is read is hardly ever the same twice.
    pub(super) fn is_worth_keeping(&mut self, use_of: usize) -> bool {
        let (asked, known) = &mut self.asked[use_of];
        let is_tried = *asked >= limits::EFFECTS_TRIED;
        if is_tried && *known < *asked / 4 {
            // What was kept of it is of no use; what others need is found again.
            if !std::mem::replace(&mut self.given_up[use_of], true) {
                self.effects = Effects::default();
            }
            return false;
        }
        *asked = asked.saturating_add(1);
        if *asked == u32::MAX {
            (*asked, *known) = (*asked / 2, *known / 2);
        }
        true
    }

    /// Adds what an action does to the fields that it modifies; its parameters have their values.
    fn solve_action(&mut self, program: &Program, action: u32, label: u32) -> Result<(), String> {
        let code = &program.actions[action as usize];
        for (index, guard) in code.conditions[..code.guards].iter().enumerate() {
            match self.in_state(guard) {
                Ok(Word::TRUE) => {}
                Ok(_) => return Ok(()),
                Err(stop) => return Err(self.undefined(action, index, stop)),
            }
        }
        let direct = self.direct(program, action, None);
        match direct {
            Direct::Unknown => self.note_touched(action),
            _ if cfg!(debug_assertions) => {}
            Direct::One(_) => {
                self.effects.add(label, NO_VALUES, self.defined.iter().copied());
                return Ok(());
            }
            Direct::Blocked => return Ok(()),
        }
        let instance = self.here.words[0];
        let cells = self.field_cells(&code.modifies, instance);
        let fields = self.touched(action);
        let mut now = fields.clone();
        let conditions: Vec<&Code> = code.conditions[code.guards..].iter().collect();
        let solver = self.solver(program, &fields, &mut now, &cells);
        let found = solver.solve_within(&conditions);
        let found = found.map(|(found, is_ranged)| match direct {
            Direct::Unknown => self.noted((found, is_ranged)),
            _ => found,
        });
        debug_assert!(
            match (&direct, &found) {
                (Direct::One(_), Ok(found)) => found.len() == 1 && self.is_same(action, &found[0]),
                (Direct::Blocked, Ok(found)) => found.is_empty(),
                (Direct::Unknown, _) => true,
                (_, Err(_)) => false,
            },
            "what is said outright is not what is solved"
        );
        let found = found.map_err(|refusal| self.refused(action, refusal, code.guards))?;
        if let Direct::One(_) = direct {
            self.effects.add(label, NO_VALUES, self.defined.iter().copied());
            return Ok(());
        }
        for words in found {
            self.effects.add(label, NO_VALUES, whole(&code.modifies, &words));
        }
        Ok(())
    }

    /// Notes that an effect has no solution among the values that were given for a field, where it may have others.
    fn noted(&mut self, (found, is_ranged): (Vec<Vec<Word>>, bool)) -> Vec<Vec<Word>> {
        if is_ranged && found.is_empty() {
            self.effects.narrow();
        }
        found
    }

    fn field_cells(&mut self, fields: &[u32], instance: u32) -> Vec<Cell> {
        let mut cells = Vec::with_capacity(fields.len());
        for field in fields {
            cells.push(Cell {
                place: CellPlace::Field(*field),
                ty: self.model.fields[*field as usize].ty.clone(),
                range: self.field_range(instance, *field),
            });
        }
        cells
    }

    fn variable_cell(&mut self, variable: u32, ty: &Type) -> Cell {
        Cell { place: CellPlace::Variable(variable), ty: ty.clone(), range: self.small_range(ty) }
    }

    /// All ways to do a first action of a sum, by their places among the effects.
    pub(super) fn sum_outcomes(
        &mut self,
        program: &Program,
        sum: u32,
        (number, values, head_number): (u32, &[Word], u32),
        head: &Head,
    ) -> Result<Outcomes, String> {
        let is_kept = self.is_worth_keeping(head.action as usize);
        let cause = Cause::Sum(sum);
        if is_kept && let Some(known) = self.effects.find(cause, &self.here, &mut self.table) {
            self.asked[head.action as usize].1 += 1;
            return Ok(known);
        }
        self.begin_effect(is_kept);
        let direct = self.direct_sum(program, number, values, head);
        if direct.is_none() {
            self.note_touched(head.action);
        }
        if cfg!(debug_assertions) || direct.is_none() {
            self.solve_sum(program, (number, values, head_number), head)?;
        }
        if cfg!(debug_assertions)
            && let Some(direct) = direct
        {
            let found = self.effects.end();
            let is_same = match direct {
                None => found.count == 0,
                Some((label, number)) if found.count == 1 => {
                    let outcome = self.effects.outcome(found, 0);
                    let words: Vec<Word> = self.effects.writes(outcome).map(|write| write.word).collect();
                    (outcome.label, outcome.number) == (label, number) && self.is_same(head.action, &words)
                }
                Some(_) => false,
            };
            debug_assert!(is_same, "what is said outright is not what is solved");
            self.effects.begin();
        }
        if let Some(Some((label, number))) = direct {
            self.effects.add(label, number, self.defined.iter().copied());
        }
        Ok(self.end_effect(cause, &program.actions[head.action as usize].touches, is_kept))
    }

    /// Adds all ways to do a first action of a sum.
    fn solve_sum(
        &mut self,
        program: &Program,
        (number, values, head_number): (u32, &[Word], u32),
        head: &Head,
    ) -> Result<(), String> {
        let code = &program.actions[head.action as usize];
        let plan = self.plan(program, number, head_number, head, self.here.words[0]);
        let free = &program.sums[number as usize].free;
        let saved: Vec<Word> = self.variables.clone();
        for (variable, word) in free.iter().zip(values) {
            self.variables[*variable as usize] = *word;
        }
        let fields = self.touched(head.action);
        let mut now = fields.clone();
        let conditions: Vec<&Code> = plan.conditions.iter().collect();
        let solver = self.solver(program, &fields, &mut now, &plan.cells);
        let found = solver.solve_within(&conditions);
        self.variables = saved;
        let found = found.map(|within| self.noted(within));
        let first = plan.conditions.len() - (code.conditions.len() - code.guards);
        let found = found.map_err(|refusal| self.refused(head.action, refusal, first))?;
        let (variables, parameters) = (head.cells.len(), code.parameters.len());
        for words in found {
            let arguments: Box<[Word]> = words[variables..variables + parameters].into();
            let label = self.common.label_of(&mut self.recent, head.action, arguments);
            let number = self.value_lists.intern(words[..variables].into());
            self.effects.add(label, number, whole(&code.modifies, &words[variables + parameters..]));
        }
        Ok(())
    }

    /// The one way, if there is one, to do the first action of a sum, where its one variable is a parameter whose value the
    /// contract says outright: label and number of the values, with the fields in `defined`. None where that is not so.
    fn direct_sum(
        &mut self,
        program: &Program,
        number: u32,
        values: &[Word],
        head: &Head,
    ) -> Option<Option<(u32, u32)>> {
        let open = head.open?;
        let variable = head.cells.first()?.0;
        let code = &program.actions[head.action as usize];
        let free = &program.sums[number as usize].free;
        let changed = || free.iter().chain(&code.parameters).chain(std::iter::once(&variable));
        let before = self.saved.len();
        for changed in changed() {
            self.saved.push(self.variables[*changed as usize]);
        }
        for (free, word) in free.iter().zip(values) {
            self.variables[*free as usize] = *word;
        }
        let result = self.direct_head(program, head, (variable, open));
        for (at, changed) in changed().enumerate() {
            self.variables[*changed as usize] = self.saved[before + at];
        }
        self.saved.truncate(before);
        result
    }

    fn direct_head(
        &mut self,
        program: &Program,
        head: &Head,
        (variable, open): (u32, usize),
    ) -> Option<Option<(u32, u32)>> {
        let code = &program.actions[head.action as usize];
        let mut arguments: Box<[Word]> = vec![Word::FALSE; code.parameters.len()].into();
        for (at, argument) in head.arguments.iter().enumerate().filter(|(at, _)| *at != open) {
            arguments[at] = self.in_state(argument).ok()?;
        }
        for (parameter, word) in code.parameters.iter().zip(&arguments) {
            self.variables[*parameter as usize] = *word;
        }
        for guard in &code.conditions[..code.guards] {
            if self.in_state(guard).ok()? != Word::TRUE {
                return Some(None);
            }
        }
        let found = match self.direct(program, head.action, code.parameters.get(open).copied()) {
            Direct::Unknown => return None,
            Direct::Blocked => return Some(None),
            Direct::One(found) => found?,
        };
        arguments[open] = found;
        self.variables[variable as usize] = found;
        for (condition, truth) in &head.conditions {
            if self.in_state(condition).ok()? != Word::boolean(*truth) {
                return Some(None);
            }
        }
        let label = self.common.label_of(&mut self.recent, head.action, arguments);
        Some(Some((label, self.value_lists.intern(Box::from([found])))))
    }

    /// Which argument of the first action of a sum its one variable is, where the contract of the action says its value
    /// outright.
    pub(super) fn open_argument(&self, head: &Head) -> Option<usize> {
        let [(variable, _)] = head.cells[..] else { return None };
        let code = &self.program.actions[head.action as usize];
        let is_it = |part: &Code| matches!(part, Code::Variable(it) if *it == variable);
        let open = head.arguments.iter().position(is_it)?;
        let parameter = *code.parameters.get(open)?;
        let is_open = |part: &Code| matches!(part, Code::Variable(it) if *it == parameter);
        let mut others = head.arguments.iter().enumerate().filter(|(at, _)| *at != open);
        let is_refused = others.any(|(_, argument)| argument.any(&is_it))
            || code.conditions[..code.guards].iter().any(|guard| guard.any(&is_open))
            || !code.definition.as_ref()?.opens(parameter);
        (!is_refused).then_some(open)
    }

    /// The conditions on the variables of a sum, on the parameters of its action and on the fields afterwards.
    fn plan(
        &mut self,
        program: &Program,
        number: u32,
        head_number: u32,
        head: &Head,
        instance: u32,
    ) -> Arc<Plan> {
        let key = (number, head_number, if self.has_field_ranges { instance } else { 0 });
        if let Some(known) = self.plans.get(&key) {
            return known.clone();
        }
        let code = &program.actions[head.action as usize];
        let parameters = &self.model.actions[head.action as usize].parameters;
        let mut cells: Vec<Cell> = head.cells.iter().map(|(it, ty)| self.variable_cell(*it, ty)).collect();
        cells.extend(parameters.iter().map(|it| self.variable_cell(it.variable.0, &it.ty)));
        cells.extend(self.field_cells(&code.modifies, instance));
        let mut conditions: Vec<Code> = Vec::new();
        for (condition, truth) in &head.conditions {
            conditions.push(match truth {
                true => condition.clone(),
                false => Code::Not(Box::new(condition.clone())),
            });
        }
        for (parameter, argument) in code.parameters.iter().zip(&head.arguments) {
            let parameter = Box::new(Code::Variable(*parameter));
            conditions.push(Code::Binary(Binary::Equal, parameter, Box::new(argument.clone())));
        }
        conditions.extend(code.conditions.iter().cloned());
        let plan = Arc::new(Plan { cells, conditions });
        self.plans.insert(key, plan.clone());
        plan
    }

    fn undefined(&self, action: u32, index: usize, stop: Stop) -> String {
        let action = &self.model.actions[action as usize];
        let clause = if index < action.requires.len() { "requires" } else { "ensures" };
        let why = self.sentence(stop);
        format!("`{clause}` of the action `{}` has no value: {why}", action.name)
    }

    /// Why the effect of an action is not known. Conditions before `first` are not its `ensures`.
    fn refused(&self, action: u32, refusal: Refusal, first: usize) -> String {
        let name = &self.model.actions[action as usize].name;
        match refusal {
            Refusal::Budget => format!("the effect of `{name}` has too many solutions to be listed"),
            Refusal::Condition(index, stop) => {
                let guards = self.model.actions[action as usize].requires.len();
                let index = (index + guards).saturating_sub(first.min(index + guards));
                self.undefined(action, index.max(usize::from(first == 0)), stop)
            }
            Refusal::Open(CellPlace::Field(field)) => {
                let field_name = &self.model.fields[field as usize].name;
                let about = self.clauses_about(action, field);
                format!(
                    "the contract of `{name}` does not determine the field `{field_name}`{about}; give it values \
                     with `--for '{field_name} in …'`, or say more in `ensures`"
                )
            }
            Refusal::Open(CellPlace::Variable(_)) => format!(
                "neither the guard nor the effect of `{name}` determines the values of a `\\sum` in front of it; bound \
                 them with a condition"
            ),
        }
    }

    /// Which clauses of an action speak about a field.
    fn clauses_about(&self, action: u32, field: u32) -> String {
        let code = &self.program.actions[action as usize];
        let speaks = |condition: &Code| condition.any(&|part| matches!(part, Code::Now(it) if *it == field));
        let numbers: Vec<String> = code.conditions[code.guards..]
            .iter()
            .enumerate()
            .filter(|(_, condition)| speaks(condition))
            .map(|(index, _)| (index + 1).to_string())
            .collect();
        match numbers.len() {
            0 => ", which it modifies and says nothing about".to_string(),
            1 => format!(" (conjunct {} of `ensures` is all that speaks about it)", numbers[0]),
            _ => format!(" (conjuncts {} of `ensures` speak about it)", numbers.join(", ")),
        }
    }
}
