//! The loop: learn from conditions as long as something is learned, then try alternatives, then list values.

use std::sync::Arc;

use crate::evaluate::{Code, Defined, Evaluator, Partials, Stop, Table, UNKNOWN, Word, all_of};
use crate::expression::Builtin;
use crate::limits;
use crate::types::Type;

use super::partial::{Learned, Partial, Step};

/// Something whose values are wanted.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) place: CellPlace,
    pub(crate) ty: Type,
    /// The values that it may have where nothing determines it.
    pub(crate) range: Option<Arc<[Word]>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellPlace {
    Field(u32),
    Variable(u32),
}

/// Why not all solutions are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Refusal {
    /// Nothing determines this cell.
    Open(CellPlace),
    /// A condition has no value for a candidate; which of the conditions, and why.
    Condition(usize, Stop),
    /// There are too many ways to try.
    Budget,
}

/// A condition that must be true (or false), or equal to a value, with the values of variables that are bound around it.
#[derive(Clone, Debug)]
pub(crate) struct Task<'c> {
    pub(crate) code: &'c Code,
    pub(crate) wanted: Word,
    pub(crate) bindings: Vec<(u32, Word)>,
}

/// An expression and what is bound around it.
type Tried = (*const Code, Vec<(u32, Word)>);

/// What became of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// It is as wanted whatever the rest is, or says no more than was learned from it.
    Done,
    /// It may say more later.
    Open,
    /// It cannot be as wanted.
    Conflict,
}

impl Status {
    pub(super) fn and(self, other: Status) -> Status {
        match (self, other) {
            (Status::Conflict, _) | (_, Status::Conflict) => Status::Conflict,
            (Status::Done, Status::Done) => Status::Done,
            _ => Status::Open,
        }
    }
}

/// Finds all values of cells that make conditions true.
pub(crate) struct Solver<'s> {
    pub(crate) table: &'s mut Table,
    pub(crate) functions: &'s [Defined],
    pub(crate) enumerations: &'s [u32],
    /// Those of cells are unknown.
    pub(crate) variables: &'s mut [Word],
    pub(crate) start: &'s [Word],
    /// Those of cells are unknown.
    pub(crate) now: &'s mut [Word],
    pub(crate) cells: &'s [Cell],
    pub(super) partials: Vec<Partial>,
    pub(super) changed: bool,
    branches: usize,
    /// Variables that are bound around the current point.
    around: Vec<(u32, Word)>,
    /// Alternatives that are being tried, by the expression and what is bound around it: each is tried once.
    tried: Vec<Tried>,
    /// The last alternatives that were found.
    found: Option<Tried>,
    /// Whether values that were given for a cell were tried.
    is_ranged: bool,
    /// The words of the cells, in their order.
    results: Vec<Vec<Word>>,
    /// Branches that may be tried, and solutions that are wanted.
    most_branches: usize,
    most_results: usize,
}

/// Some solutions.
pub(crate) struct First {
    /// The words of the cells, in their order.
    pub(crate) results: Vec<Vec<Word>>,
    /// Whether there are no others.
    pub(crate) are_all: bool,
    /// The branches that were tried.
    pub(crate) branches: usize,
}

/// The cells during an evaluation.
pub(super) struct View<'v> {
    pub(super) cells: &'v [Cell],
    pub(super) partials: &'v [Partial],
}

impl View<'_> {
    pub(super) fn find(&self, place: CellPlace) -> Option<usize> {
        self.cells.iter().position(|cell| cell.place == place)
    }

    /// The cell and the way to the part of it that an expression reads.
    pub(super) fn place(&self, evaluator: &mut Evaluator<'_>, code: &Code) -> Option<(usize, Vec<Step>)> {
        match code {
            Code::Now(field) => Some((self.find(CellPlace::Field(*field))?, Vec::new())),
            Code::Variable(variable) => Some((self.find(CellPlace::Variable(*variable))?, Vec::new())),
            Code::Builtin(builtin, operands) => {
                let step = match (builtin, &operands[..]) {
                    (Builtin::At, [_, index]) => Step::At(evaluator.word(index).ok()?),
                    (Builtin::First, [_]) => Step::First,
                    (Builtin::Second, [_]) => Step::Second,
                    (Builtin::Get, [_]) => Step::Get,
                    (Builtin::GetLeft, [_]) => Step::Left,
                    (Builtin::GetRight, [_]) => Step::Right,
                    _ => return None,
                };
                let (cell, mut steps) = self.place(evaluator, operands.first()?)?;
                steps.push(step);
                Some((cell, steps))
            }
            _ => None,
        }
    }

    pub(super) fn look(&self, cell: usize, steps: &[Step]) -> Option<&Partial> {
        steps.iter().try_fold(&self.partials[cell], |partial, step| partial.look(*step))
    }
}

impl Partials for View<'_> {
    fn part(&self, evaluator: &mut Evaluator<'_>, builtin: &Builtin, operands: &[Code]) -> Option<Word> {
        if *builtin == Builtin::Size {
            let (cell, steps) = self.place(evaluator, operands.first()?)?;
            return match self.look(cell, &steps)? {
                Partial::Sequence { size, .. } => Word::small(i64::try_from((*size)?).ok()?),
                Partial::Known(word) => {
                    let size = evaluator.table.sequence(*word)?.len();
                    Word::small(i64::try_from(size).ok()?)
                }
                _ => None,
            };
        }
        let whole = Code::Builtin(builtin.clone(), operands.to_vec());
        let (cell, steps) = self.place(evaluator, &whole)?;
        match self.look(cell, &steps)? {
            Partial::Known(word) => Some(*word),
            _ => None,
        }
    }
}

impl<'s> Solver<'s> {
    /// A solver; cells are made unknown.
    pub(crate) fn new(
        table: &'s mut Table,
        functions: &'s [Defined],
        enumerations: &'s [u32],
        variables: &'s mut [Word],
        start: &'s [Word],
        now: &'s mut [Word],
        cells: &'s [Cell],
    ) -> Solver<'s> {
        for cell in cells {
            match cell.place {
                CellPlace::Field(field) => now[field as usize] = UNKNOWN,
                CellPlace::Variable(variable) => variables[variable as usize] = UNKNOWN,
            }
        }
        Solver {
            table,
            functions,
            enumerations,
            variables,
            start,
            now,
            cells,
            partials: vec![Partial::Unknown; cells.len()],
            changed: false,
            branches: 0,
            around: Vec::new(),
            tried: Vec::new(),
            found: None,
            is_ranged: false,
            results: Vec::new(),
            most_branches: limits::BRANCHES,
            most_results: usize::MAX,
        }
    }

    /// All solutions: the words of the cells in their order.
    pub(crate) fn solve(self, conditions: &[&Code]) -> Result<Vec<Vec<Word>>, Refusal> {
        Ok(self.solve_within(conditions)?.0)
    }

    /// The same, and whether there may be others with values that were not given.
    pub(crate) fn solve_within(mut self, conditions: &[&Code]) -> Result<(Vec<Vec<Word>>, bool), Refusal> {
        self.begin(conditions)?;
        Ok((different(self.results), self.is_ranged))
    }

    /// At most so many solutions, with at most so many branches: where more than these are too many to be wanted.
    pub(crate) fn first(
        mut self,
        conditions: &[&Code],
        results: usize,
        branches: usize,
    ) -> Result<First, Refusal> {
        (self.most_results, self.most_branches) = (results, branches);
        let are_all = match self.begin(conditions) {
            Ok(()) => true,
            Err(Refusal::Budget) => false,
            Err(refusal) => return Err(refusal),
        };
        Ok(First { results: different(self.results), are_all, branches: self.branches })
    }

    fn begin(&mut self, conditions: &[&Code]) -> Result<(), Refusal> {
        let mut tasks: Vec<Task<'_>> = Vec::with_capacity(conditions.len());
        for code in conditions {
            tasks.push(Task { code, wanted: Word::TRUE, bindings: Vec::new() });
        }
        self.explore(conditions, tasks)
    }

    /// Does something with an evaluator that sees what is known of the cells.
    pub(super) fn evaluating<T>(&mut self, work: impl FnOnce(&mut Evaluator<'_>, &View<'_>) -> T) -> T {
        let view = View { cells: self.cells, partials: &self.partials };
        let mut evaluator = Evaluator {
            table: self.table,
            functions: self.functions,
            enumerations: self.enumerations,
            variables: self.variables,
            start: self.start,
            now: self.now,
            partials: Some(&view),
            store: None,
            depth: 0,
            steps: 0,
        };
        work(&mut evaluator, &view)
    }

    pub(super) fn evaluate(&mut self, code: &Code) -> Result<Word, Stop> {
        self.evaluating(|evaluator, _| evaluator.word(code))
    }

    /// Learns something about a part of a cell.
    pub(super) fn learn(
        &mut self,
        cell: usize,
        steps: &[Step],
        what: impl FnOnce(&mut Table, &mut Partial, &Type) -> Learned,
    ) -> Status {
        let mut partial = &mut self.partials[cell];
        let mut ty = &self.cells[cell].ty;
        for step in steps {
            match partial.part(ty, *step) {
                Some((inner, inner_ty)) => (partial, ty) = (inner, inner_ty),
                None => return Status::Open,
            }
        }
        match what(self.table, partial, ty) {
            Learned::Conflict => return Status::Conflict,
            Learned::Nothing => return Status::Done,
            Learned::Something => {}
        }
        self.changed = true;
        self.partials[cell].settle(self.table);
        self.publish(cell);
        Status::Done
    }

    /// Puts the word of a cell that is known where evaluation finds it.
    fn publish(&mut self, cell: usize) {
        let word = match self.partials[cell] {
            Partial::Known(word) => word,
            _ => UNKNOWN,
        };
        match self.cells[cell].place {
            CellPlace::Field(field) => self.now[field as usize] = word,
            CellPlace::Variable(variable) => self.variables[variable as usize] = word,
        }
    }

    /// Does something while variables have values.
    pub(super) fn bound<T>(&mut self, bindings: &[(u32, Word)], work: impl FnOnce(&mut Self) -> T) -> T {
        let before: Vec<Word> =
            bindings.iter().map(|(variable, _)| self.variables[*variable as usize]).collect();
        for (variable, word) in bindings {
            self.variables[*variable as usize] = *word;
        }
        let outside = self.around.len();
        self.around.extend_from_slice(bindings);
        let result = work(self);
        self.around.truncate(outside);
        for ((variable, _), word) in bindings.iter().zip(before) {
            self.variables[*variable as usize] = word;
        }
        result
    }

    /// Learns until nothing more is learned, then branches. The depth is bounded by what there is to branch on, and by a
    /// budget.
    fn explore<'c>(&mut self, conditions: &[&'c Code], mut tasks: Vec<Task<'c>>) -> Result<(), Refusal> {
        self.branches += 1;
        if self.branches > self.most_branches || self.results.len() >= self.most_results {
            return Err(Refusal::Budget);
        }
        loop {
            self.changed = false;
            let mut conflict = false;
            tasks.retain(|task| {
                if conflict {
                    return true;
                }
                let status = self.bound(&task.bindings, |solver| solver.assign(task.code, task.wanted));
                conflict = status == Status::Conflict;
                status == Status::Open
            });
            if conflict {
                return Ok(());
            }
            if !self.changed {
                break;
            }
        }
        if self.partials.iter().all(|partial| matches!(partial, Partial::Known(_))) {
            return self.candidate(conditions);
        }
        for task in &tasks {
            let found = self.bound(&task.bindings, |solver| solver.split(task.code, task.wanted));
            let Some(alternatives) = found else { continue };
            let tried = self.found.take();
            self.tried.extend(tried);
            let saved = self.partials.clone();
            for alternative in alternatives {
                let mut more = tasks.clone();
                more.extend(alternative.into_iter().map(|mut added| {
                    let mut bindings = task.bindings.clone();
                    bindings.append(&mut added.bindings);
                    Task { bindings, ..added }
                }));
                self.explore(conditions, more)?;
                self.restore(&saved);
            }
            self.tried.pop();
            return Ok(());
        }
        self.list(conditions, tasks)
    }

    /// Whether the alternatives of an expression are not being tried already; if so, they are from now on.
    pub(super) fn is_new(&mut self, code: &Code) -> bool {
        let key: Tried = (code, self.around.clone());
        let is_new = !self.tried.contains(&key);
        if is_new {
            self.found = Some(key);
        }
        is_new
    }

    fn restore(&mut self, saved: &[Partial]) {
        self.partials.clone_from_slice(saved);
        for cell in 0..self.cells.len() {
            self.publish(cell);
        }
    }

    /// Evaluates all conditions for a candidate.
    fn candidate(&mut self, conditions: &[&Code]) -> Result<(), Refusal> {
        for (index, condition) in conditions.iter().enumerate() {
            match self.evaluate(condition) {
                Ok(Word::TRUE) => {}
                Ok(_) => return Ok(()),
                Err(stop) => return Err(Refusal::Condition(index, stop)),
            }
        }
        let word = |partial: &Partial| match partial {
            Partial::Known(word) => *word,
            _ => UNKNOWN,
        };
        self.results.push(self.partials.iter().map(word).collect());
        Ok(())
    }

    /// Tries all values of the first thing that has few, or else those that were given for a cell.
    fn list<'c>(&mut self, conditions: &[&'c Code], tasks: Vec<Task<'c>>) -> Result<(), Refusal> {
        let mut open = None;
        for cell in 0..self.cells.len() {
            let ty = self.cells[cell].ty.clone();
            let mut steps = Vec::new();
            if let Some(values) = few(&self.partials[cell], &ty, self.enumerations, &mut steps) {
                return self.try_each(conditions, tasks, cell, &steps, &values);
            }
            if !matches!(self.partials[cell], Partial::Known(_)) {
                open = open.or(Some(cell));
            }
        }
        for cell in 0..self.cells.len() {
            if !matches!(self.partials[cell], Partial::Known(_))
                && let Some(range) = self.cells[cell].range.clone()
            {
                self.is_ranged = true;
                return self.try_each(conditions, tasks, cell, &[], &range);
            }
        }
        match open {
            Some(cell) => Err(Refusal::Open(self.cells[cell].place)),
            None => Ok(()),
        }
    }

    fn try_each<'c>(
        &mut self,
        conditions: &[&'c Code],
        tasks: Vec<Task<'c>>,
        cell: usize,
        steps: &[Step],
        values: &[Word],
    ) -> Result<(), Refusal> {
        let saved = self.partials.clone();
        for value in values {
            let status = self.learn(cell, steps, |table, partial, ty| partial.unify(table, ty, *value));
            if status == Status::Done {
                self.explore(conditions, tasks.clone())?;
            }
            self.restore(&saved);
        }
        Ok(())
    }
}

/// Each solution once.
fn different(mut results: Vec<Vec<Word>>) -> Vec<Vec<Word>> {
    let mut seen = rustc_hash::FxHashSet::default();
    results.retain(|result| seen.insert(result.clone()));
    results
}

/// The first part of a value that has few values of its own, and the way to it.
fn few(partial: &Partial, ty: &Type, enumerations: &[u32], steps: &mut Vec<Step>) -> Option<Vec<Word>> {
    let mut inner = |step: Step, part: &Partial, ty: &Type| {
        steps.push(step);
        let found = few(part, ty, enumerations, steps);
        if found.is_none() {
            steps.pop();
        }
        found
    };
    match (partial, ty) {
        (Partial::Unknown, _) => all_of(ty, enumerations),
        (Partial::Bounded(Some(low), Some(high)), _) => {
            let count = usize::try_from(high - low).ok()?;
            if count > limits::ELEMENTS {
                return None;
            }
            (*low..=*high).map(Word::small).collect()
        }
        (Partial::Sequence { size: Some(size), elements }, Type::Sequence(ty)) => {
            for index in 0..*size {
                let place = elements.binary_search_by_key(&index, |(index, _)| *index);
                let part = place.map_or(&Partial::Unknown, |place| &elements[place].1);
                let at = Step::At(Word::small(i64::try_from(index).ok()?)?);
                if !matches!(part, Partial::Known(_)) {
                    return inner(at, part, ty);
                }
            }
            None
        }
        (Partial::Pair(parts), Type::Pair(a, b)) => {
            let first =
                if matches!(parts.0, Partial::Known(_)) { None } else { inner(Step::First, &parts.0, a) };
            first.or_else(|| {
                if matches!(parts.1, Partial::Known(_)) { None } else { inner(Step::Second, &parts.1, b) }
            })
        }
        (Partial::Present(part), Type::Option(ty)) => inner(Step::Get, part, ty),
        (Partial::Left(part), Type::Either(ty, _)) => inner(Step::Left, part, ty),
        (Partial::Right(part), Type::Either(_, ty)) => inner(Step::Right, part, ty),
        _ => None,
    }
}
