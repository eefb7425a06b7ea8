//! Tries the members of a program: many runs of each, from starting states that satisfy what it requires.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use silver::typed::{
    ExpressionKind, ExpressionRef, Function, Local, LocalId, Method, Predicate, Program, Type,
    for_each_expression, visit_expression, visit_statements,
};
use source::SourceMap;

use super::domains::Domains;
use super::machine::{Machine, Run, Scope, State, Stop, Survey, fail};
use super::value::Value;
use crate::oracle::{Effort, FailingRun, Runs};
use testing::Random;

/// Lines with something that fails, and lines with a statement that is reached.
#[derive(Clone, Default, Debug)]
pub(super) struct Lines {
    pub(super) failing: BTreeSet<u32>,
    pub(super) reached: BTreeSet<u32>,
}

/// Executes every member; `survey` collects the places of checks that fail and goes on behind them.
pub(super) fn execute(
    program: &Program,
    map: &SourceMap,
    random: &mut Random,
    effort: &Effort,
    mut survey: Option<&mut Lines>,
) -> Result<Runs, String> {
    let domains = Domains::of(program)?;
    let literals = literals(program);
    let mut runs = Runs::default();
    let members = program
        .methods
        .iter()
        .map(Member::Method)
        .chain(program.functions.iter().map(Member::Function))
        .chain(program.predicates.iter().map(Member::Predicate));
    for member in members {
        if !member.has_something_to_check() {
            continue;
        }
        let mut given_up = 0;
        let before = runs.complete;
        for number in 0..effort.runs {
            let seed = random.next();
            let mut machine = Machine::new(program, &domains, &literals, Random::new(seed), effort.steps);
            if survey.is_some() {
                machine.survey = Some(Survey::default());
            }
            let mut story = Story::default();
            let end = machine.run(&member, &mut story);
            if let (Some(found), Some(lines)) = (&machine.survey, survey.as_deref_mut()) {
                lines.failing.extend(found.failing.iter().map(|span| map.place(*span).line));
                lines.reached.extend(found.reached.iter().map(|span| map.place(*span).line));
            }
            match end {
                Ok(()) | Err(Stop::Done) => runs.complete += 1,
                Err(Stop::Pruned) => runs.pruned += 1,
                Err(Stop::GivenUp(reason)) => {
                    *runs.reasons.entry(reason.to_string()).or_default() += 1;
                    runs.given_up += 1;
                    given_up += 1;
                    // Most members that cannot be executed show it at once.
                    if given_up > 12 && given_up == number + 1 {
                        break;
                    }
                }
                Err(Stop::Failed { code, span }) => {
                    runs.complete += 1;
                    let line = map.place(span).line;
                    let name = member.name();
                    let known = runs.failures.iter_mut().find(|run| run.member == name && run.line == line);
                    let story = machine.tell(&member, &story);
                    let found = FailingRun {
                        member: name.to_string(),
                        code: code.to_string(),
                        line,
                        story,
                        is_exact: machine.is_exact,
                    };
                    match known {
                        None => runs.failures.push(found),
                        Some(known) if found.is_exact && !known.is_exact => *known = found,
                        Some(_) => {}
                    }
                    if survey.is_none() && machine.is_exact {
                        // One is enough to refute a member.
                        break;
                    }
                }
            }
        }
        runs.members.insert(member.name().to_string(), runs.complete - before);
    }
    Ok(runs)
}

enum Member<'p> {
    Method(&'p Method),
    Function(&'p Function),
    Predicate(&'p Predicate),
}

impl Member<'_> {
    fn name(&self) -> &str {
        match self {
            Member::Method(method) => &method.name,
            Member::Function(function) => &function.name,
            Member::Predicate(predicate) => &predicate.name,
        }
    }

    fn locals(&self) -> &[Local] {
        match self {
            Member::Method(method) => &method.locals,
            Member::Function(function) => &function.locals,
            Member::Predicate(predicate) => &predicate.locals,
        }
    }

    fn formals(&self) -> &[LocalId] {
        match self {
            Member::Method(method) => &method.formals,
            Member::Function(function) => &function.formals,
            Member::Predicate(predicate) => &predicate.formals,
        }
    }

    fn has_something_to_check(&self) -> bool {
        match self {
            Member::Predicate(predicate) => predicate.body.is_some(),
            _ => true,
        }
    }
}

/// What there is to tell about a run.
#[derive(Default)]
struct Story {
    scope: Option<Scope>,
    start: Option<State>,
}

impl Machine<'_> {
    fn run(&mut self, member: &Member<'_>, story: &mut Story) -> Run<()> {
        self.types = member.locals().iter().map(|local| local.ty.clone()).collect();
        for axiom in &self.domains.ground {
            let mut scope = Scope::new(axiom.locals.len());
            self.assume(&mut scope, &mut State::default(), &axiom.body)?;
        }
        let mut scope = Scope::new(member.locals().len());
        for formal in member.formals() {
            let cell = self.open(&member.locals()[formal.index()].ty);
            scope.locals[formal.index()] = Some(cell);
        }
        story.scope = Some(scope.clone());
        let mut state = State::default();
        match member {
            Member::Method(method) => self.run_method(method, &mut scope, &mut state, story),
            Member::Function(function) => self.run_function(function, &mut scope, &mut state, story),
            Member::Predicate(predicate) => match &predicate.body {
                Some(body) => self.inhale(&mut scope, &mut state, body),
                None => Ok(()),
            },
        }
    }

    fn run_method(
        &mut self,
        method: &Method,
        scope: &mut Scope,
        state: &mut State,
        story: &mut Story,
    ) -> Run<()> {
        for precondition in &method.preconditions {
            self.inhale(scope, state, precondition)?;
        }
        story.start = Some(state.clone());
        scope.old = Some(state.snapshot());
        for local in &method.returns {
            let cell = self.open(&method.locals[local.index()].ty);
            scope.locals[local.index()] = Some(cell);
        }
        // The postcondition has to make sense by itself, in any later state.
        let by_contract = method.body.is_none() || self.random.chance(1, 8);
        match &method.body {
            Some(body) if !by_contract => {
                self.execute_block(scope, state, body)?;
                self.exhale_all(scope, state, &method.postconditions, "postcondition.violated")?;
                Ok(())
            }
            _ => {
                let mut later = State::default();
                for postcondition in &method.postconditions {
                    self.inhale(scope, &mut later, postcondition)?;
                }
                Ok(())
            }
        }
    }

    fn run_function(
        &mut self,
        function: &Function,
        scope: &mut Scope,
        state: &mut State,
        story: &mut Story,
    ) -> Run<()> {
        scope.is_function = true;
        for precondition in &function.preconditions {
            self.inhale(scope, state, precondition)?;
        }
        story.start = Some(state.clone());
        let Some(body) = &function.body else {
            scope.result = Some(self.open(&function.result));
            for postcondition in &function.postconditions {
                self.assume(scope, state, postcondition)?;
            }
            return Ok(());
        };
        let value = self.evaluate(scope, state, body)?;
        scope.result = Some(self.cell(value, &function.result));
        for postcondition in &function.postconditions {
            if !self.truth(scope, state, postcondition)? {
                return fail("postcondition.violated", postcondition.span);
            }
        }
        Ok(())
    }

    /// The start of a run, for people.
    fn tell(&self, member: &Member<'_>, story: &Story) -> String {
        let mut text = String::new();
        let shown = |value: Option<&Value>| value.map_or("any".to_string(), Value::to_string);
        if let Some(scope) = &story.scope {
            for formal in member.formals() {
                let value = scope.locals[formal.index()].and_then(|cell| self.known(cell));
                let name = &member.locals()[formal.index()].name;
                let _ = writeln!(text, "    {name} = {}", shown(value));
            }
        }
        if let Some(start) = &story.start {
            let mut locations = Vec::new();
            start.mask.locations(&mut locations);
            locations.sort_unstable();
            locations.dedup();
            for location in locations {
                let (object, field) = location;
                let name = &self.program.field(field).name;
                let value = start.heap.get(&location).and_then(|cell| self.known(*cell));
                let held = start.mask.of_field(location);
                let total = start.mask.total(location);
                let value = shown(value);
                let _ =
                    writeln!(text, "    o{object}.{name} = {value} (held {held}, with predicates {total})");
            }
            for ((predicate, arguments), instance) in &start.mask.instances {
                let name = &self.program.predicate(*predicate).name;
                let arguments: Vec<String> = arguments.iter().map(Value::to_string).collect();
                let _ = writeln!(text, "    {name}({}) held {}", arguments.join(", "), instance.amount);
            }
        }
        for choice in &self.choices {
            let _ = writeln!(text, "    {choice}");
        }
        text
    }
}

/// Numbers that the program mentions.
fn literals(program: &Program) -> Vec<i128> {
    let mut found = BTreeSet::new();
    let mut look = |expression: &ExpressionRef| {
        visit_expression(expression, &mut |node| {
            if let ExpressionKind::Int(digits) = &node.kind
                && node.ty == Type::Int
                && let Ok(number) = digits.parse::<i128>()
            {
                found.insert(number);
            }
            true
        });
    };
    for method in &program.methods {
        method.preconditions.iter().chain(&method.postconditions).for_each(&mut look);
        if let Some(body) = &method.body {
            visit_statements(body, &mut |statement| for_each_expression(statement, &mut look));
        }
    }
    for function in &program.functions {
        let parts = function.preconditions.iter().chain(&function.postconditions).chain(&function.body);
        parts.for_each(&mut look);
    }
    program.predicates.iter().flat_map(|predicate| &predicate.body).for_each(&mut look);
    found.into_iter().collect()
}
