//! Par blocks, and loops with contracts for their iterations.
//!
//! The bounds are evaluated once. Then, in branches of their own that end there, one arbitrary thread of each block is
//! proved against its contract, and for each step of a sequence that what the threads leave is what the next ones
//! take. The way on gives up what all threads together take and gets what they leave: a conjunct that speaks about
//! the thread's variables is quantified over them, any other is multiplied by the number of threads.

use std::rc::Rc;
use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::concurrency::frames::Framed;
use crate::lower::contracts::loops::{CHANGING_BOUND, IterationRange};
use crate::lower::models::Taken;
use crate::lower::origin::Role;
use crate::lower::scope::{Everywhere, Scope, Variable};
use crate::resolve::Type;
use crate::syntax::tree::{
    BinaryOperator, Contract, Expression, ExpressionKind, NodeId, ParRegion, ParRegionKind, Statement,
};

/// A variable of a par block with its bounds.
#[derive(Clone, Debug)]
pub(crate) struct ThreadVariable {
    pub(crate) id: NodeId,
    pub(crate) name: Arc<str>,
    pub(crate) low: s::Expression,
    pub(crate) high: s::Expression,
}

/// A par block whose bounds have been evaluated.
#[derive(Debug)]
pub(crate) struct RunningBlock<'t> {
    pub(crate) id: NodeId,
    pub(crate) variables: Vec<ThreadVariable>,
    pub(crate) contract: &'t Contract,
    pub(crate) body: &'t Statement,
    /// Clauses from outside, with the block's share among its siblings.
    pub(crate) inherited: Vec<Everywhere<'t>>,
    pub(crate) span: Span,
}

/// A region whose bounds have been evaluated.
enum RunningRegion<'t> {
    Parallel(Vec<RunningRegion<'t>>),
    Sequential(Vec<RunningRegion<'t>>),
    Block(Rc<RunningBlock<'t>>),
}

/// A bound that is read again later: before each iteration, or before a block that starts behind others.
struct Bound<'t> {
    written: &'t Expression,
    /// Whether it is the last value of the variable, and not the first one behind.
    is_last: bool,
    /// Its value before the first one.
    at_start: s::Expression,
}

/// Which half of a contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Half {
    Requires,
    Ensures,
}

impl<'t> Scope<'_, 't> {
    pub(crate) fn par(&mut self, region: &'t ParRegion, statement: &'t Statement) {
        let place = statement.span;
        let whole = self.block(place, |scope| {
            let inherited = scope.path.everywhere.clone();
            let mut bounds = Vec::new();
            let running = scope.start_region(region, inherited, &mut bounds);
            // The bounds of a block alone are read once, before it starts.
            if matches!(running, RunningRegion::Block(_)) {
                bounds.clear();
            }
            scope.run_region(&running, bounds, place);
        });
        self.emit_kind(place, s::StatementKind::Block(whole));
    }

    /// A loop whose iterations are proved one by one.
    pub(crate) fn iterations(
        &mut self,
        contract: &'t Contract,
        range: IterationRange<'t>,
        body: &'t Statement,
        statement: &'t Statement,
    ) {
        let place = statement.span;
        let IterationRange { id, name, low, high, read_again } = range;
        let whole = self.block(place, |scope| {
            let low = scope.keep(low, &Type::Int, "low", place);
            let high = scope.keep(high, &Type::Int, "high", place);
            let bound =
                read_again.map(|(written, is_last)| Bound { written, is_last, at_start: high.clone() });
            let variables = vec![ThreadVariable { id, name: name.into(), low, high }];
            let inherited = scope.path.everywhere.clone();
            let span = place;
            let running = RunningBlock { id: statement.id, variables, contract, body, inherited, span };
            scope.run_region(&RunningRegion::Block(Rc::new(running)), bound.into_iter().collect(), place);
        });
        self.emit_kind(place, s::StatementKind::Block(whole));
    }

    /// Evaluates the bounds of all blocks.
    fn start_region(
        &mut self,
        region: &'t ParRegion,
        inherited: Vec<Everywhere<'t>>,
        bounds: &mut Vec<Bound<'t>>,
    ) -> RunningRegion<'t> {
        match &region.kind {
            ParRegionKind::Sequential(regions) => {
                let regions = regions
                    .iter()
                    .map(|region| self.start_region(region, inherited.clone(), bounds))
                    .collect();
                RunningRegion::Sequential(regions)
            }
            ParRegionKind::Parallel(regions) => {
                let count = regions.len() as i64;
                let mut shared = inherited;
                if count > 1 {
                    let mut build = self.at(region.span);
                    let (one, count) = (build.int(1), build.int(count));
                    let share = build.binary(s::BinaryOperator::Divide, one, count);
                    shared.iter_mut().for_each(|clause| clause.factors.push(share.clone()));
                }
                let regions =
                    regions.iter().map(|region| self.start_region(region, shared.clone(), bounds)).collect();
                RunningRegion::Parallel(regions)
            }
            ParRegionKind::Block(block) => {
                let mut variables = Vec::new();
                for variable in &block.variables {
                    let place = variable.span;
                    let low = self.expression(&variable.low);
                    let low = self.keep(low, &Type::Int, "low", place);
                    let high = self.expression(&variable.high);
                    let high = self.keep(high, &Type::Int, "high", place);
                    for (written, at_start) in [(&variable.low, &low), (&variable.high, &high)] {
                        let at_start = at_start.clone();
                        bounds.push(Bound { written, is_last: false, at_start });
                    }
                    let name = variable.name.text.clone();
                    variables.push(ThreadVariable { id: variable.id, name, low, high });
                }
                RunningRegion::Block(Rc::new(RunningBlock {
                    id: region.id,
                    variables,
                    contract: &block.contract,
                    body: &block.body,
                    inherited,
                    span: region.span,
                }))
            }
        }
    }

    fn run_region(&mut self, region: &RunningRegion<'t>, bounds: Vec<Bound<'t>>, place: Span) {
        let nonempty = match region {
            RunningRegion::Block(block) => self.nonempty(block, place),
            _ => self.at(place).bool(true),
        };
        let is_single = matches!(region, RunningRegion::Block(_));
        let run = self.block(place, |scope| {
            let mut parts = scope.taken_by_region(region);
            let was_split = scope.split_for_threads(&mut parts, place);
            let (taken, given) = scope.with(
                |scope| &mut scope.path.taken,
                parts,
                |scope| {
                    scope.check_region(region, true);
                    (
                        scope.region_half(region, Half::Requires, is_single),
                        scope.region_half(region, Half::Ensures, is_single),
                    )
                },
            );
            let taken = scope.at(place).all(taken);
            scope.exhale_as(Role::Base("parPreFailed"), taken, place);
            // What is held here while the threads have theirs cannot be changed by them.
            for Bound { written, is_last, at_start } in bounds {
                let place = written.span;
                if scope.has_effects(written) {
                    scope.unsupported(place, "a bound that changes the state, of a block beside others");
                    continue;
                }
                let mark = scope.lowering.origins.mark();
                let now = scope.specification(|scope| scope.upper_bound(written, is_last));
                let same = scope.at(place).equal(now, at_start);
                scope.assert_as(Role::Code(CHANGING_BOUND), same, place);
                scope.lowering.origins.add_region(mark, Role::Code(CHANGING_BOUND));
            }
            let given = scope.at(place).all(given);
            scope.inhale(given, place);
            if let Some(was_split) = was_split {
                scope.merge_of_threads(&last_blocks(region), &was_split, place);
            }
        });
        if crate::lower::build::is_true(&nonempty) {
            self.emit_kind(place, s::StatementKind::Block(run));
            return;
        }
        self.emit_kind(place, s::StatementKind::If { condition: nonempty, then: run, otherwise: None });
    }

    /// The parts of models that all blocks take that start now.
    fn taken_by_region(&mut self, region: &RunningRegion<'t>) -> Vec<(NodeId, Taken)> {
        match region {
            RunningRegion::Block(block) => {
                let mut parts = Vec::new();
                for assertion in half_of(block.contract, Half::Requires) {
                    split(assertion, &mut parts);
                }
                let taken = parts.into_iter().map(|part| (part.id, self.taken_by_threads(block, part)));
                taken.filter_map(|(id, taken)| Some((id, taken?))).collect()
            }
            RunningRegion::Parallel(regions) => {
                regions.iter().flat_map(|region| self.taken_by_region(region)).collect()
            }
            RunningRegion::Sequential(regions) => {
                regions.first().map(|region| self.taken_by_region(region)).unwrap_or_default()
            }
        }
    }

    /// Whether the block has a thread.
    fn nonempty(&mut self, block: &RunningBlock<'t>, place: Span) -> s::Expression {
        let mut build = self.at(place);
        let conditions = block
            .variables
            .iter()
            .map(|variable| build.less(variable.low.clone(), variable.high.clone()))
            .collect();
        let mut nonempty = build.all(conditions);
        if !crate::lower::build::is_true(&nonempty) {
            nonempty.span = build.node(Role::Hidden);
        }
        nonempty
    }

    /// Proves each block, and each step of a sequence, in a branch of its own.
    ///
    /// What starts later than now starts in a state of which only its contract is known.
    fn check_region(&mut self, region: &RunningRegion<'t>, is_now: bool) {
        match region {
            RunningRegion::Block(block) => self.check_block(block, is_now),
            RunningRegion::Parallel(regions) => {
                regions.iter().for_each(|region| self.check_region(region, is_now));
            }
            RunningRegion::Sequential(regions) => {
                for (index, region) in regions.iter().enumerate() {
                    self.check_region(region, is_now && index == 0);
                }
                for pair in regions.windows(2) {
                    let [before, after] = pair else { continue };
                    self.check_step(before, after);
                }
            }
        }
    }

    /// A branch that nothing comes back from.
    pub(crate) fn aside(&mut self, place: Span, work: impl FnOnce(&mut Self)) {
        let condition = self.arbitrary(place);
        let then = self.block(place, |scope| {
            work(scope);
            let falsehood = scope.at(place).bool(false);
            scope.inhale(falsehood, place);
        });
        self.emit_kind(place, s::StatementKind::If { condition, then, otherwise: None });
    }

    fn check_block(&mut self, block: &Rc<RunningBlock<'t>>, is_now: bool) {
        let place = block.span;
        self.aside(place, |scope| {
            scope.path.par_blocks.insert(block.id, block.clone());
            let mut everywhere = scope.share_of_thread(block, place);
            let own = block.contract.everywhere();
            everywhere.extend(own.map(|assertion| Everywhere {
                assertion,
                factors: Vec::new(),
                thread: None,
            }));
            let check = |scope: &mut Self| scope.check_thread(block, is_now);
            let inside = Some(block.clone());
            let check = |scope: &mut Self| scope.with(|scope| &mut scope.path.iteration, inside, check);
            let check = |scope: &mut Self| scope.with(|scope| &mut scope.path.everywhere, everywhere, check);
            scope.locally(|scope| scope.without_exit(check));
        });
    }

    /// What one thread of a block takes, does and leaves.
    fn check_thread(&mut self, block: &Rc<RunningBlock<'t>>, is_now: bool) {
        let place = block.span;
        for variable in &block.variables {
            self.any_thread(variable, place);
        }
        for variable in &block.variables {
            let multipliers = self.multipliers(variable.id, block.contract, block.body);
            if let Some(Variable::Named(name)) = self.bindings.variables.get(&variable.id).cloned() {
                self.say_products(&name, &variable.low, &variable.high, &multipliers, place);
            }
        }
        if is_now {
            self.part_of_thread(block);
        }
        let taken = self.thread_half(block, Half::Requires);
        let after = self.thread_half(block, Half::Ensures);
        // What is required is taken where nothing is held; what is ensured has to be framed as well.
        self.check_self_framing(place, |scope| {
            let left = scope.thread_half(block, Half::Ensures);
            scope.at(place).all(left)
        });
        let (before, later) = if is_now { (taken, Vec::new()) } else { (Vec::new(), taken) };
        let framed = Framed { before, after, established: "parPreFailed", ensured: "parPostFailed", place };
        self.framed(framed, |scope| {
            let later = scope.at(place).all(later);
            if !crate::lower::build::is_true(&later) {
                scope.inhale(later, place);
            }
            scope.new_thread(place);
            scope.check_uniform_barriers(block);
            scope.loop_body(block.body);
        });
    }

    /// An arbitrary value between the bounds.
    pub(crate) fn any_thread(&mut self, variable: &ThreadVariable, place: Span) {
        let int = self.ty(&Type::Int, place);
        let name = self.local(&variable.name, int, None, place);
        self.bind(variable.id, &name, &variable.name);
        let mut build = self.at(place);
        let value = build.variable(&name);
        let range = build.within(variable.low.clone(), value, variable.high.clone());
        self.inhale(range, place);
    }

    /// The clauses from outside, divided by the number of threads.
    fn share_of_thread(&mut self, block: &RunningBlock<'t>, place: Span) -> Vec<Everywhere<'t>> {
        let mut inherited = block.inherited.clone();
        for variable in &block.variables {
            let mut build = self.at(place);
            let one = build.int(1);
            let count = build.subtract(variable.high.clone(), variable.low.clone());
            let share = build.binary(s::BinaryOperator::Divide, one, count);
            inherited.iter_mut().for_each(|clause| clause.factors.push(share.clone()));
        }
        inherited
    }

    /// What one thread takes or leaves; the clauses in force come first.
    fn thread_half(&mut self, block: &RunningBlock<'t>, half: Half) -> Vec<s::Expression> {
        let mut result = Vec::new();
        for clause in self.path.everywhere.clone() {
            let specification = self.everywhere_clause(&clause, Role::Plain);
            if let s::SpecificationKind::Assertion(assertion) = specification.kind {
                result.push(assertion);
            }
        }
        for assertion in half_of(block.contract, half) {
            result.push(self.assertion(assertion));
        }
        result
    }

    fn check_step(&mut self, before: &RunningRegion<'t>, after: &RunningRegion<'t>) {
        let place = first_block(after).map(|block| block.span);
        let Some(place) = place else { return };
        for block in blocks(before).into_iter().chain(blocks(after)) {
            for half in [Half::Requires, Half::Ensures] {
                if half_of(block.contract, half).into_iter().any(|part| self.has_state_of_heap(part)) {
                    self.unsupported(
                        block.span,
                        "a part of a model with data from the heap, between blocks one behind the other,",
                    );
                }
            }
        }
        self.aside(place, |scope| {
            let given = scope.region_half(before, Half::Ensures, false);
            let taken = scope.region_half(after, Half::Requires, false);
            let framed = Framed {
                before: Vec::new(),
                after: taken,
                established: "parPreFailed",
                ensured: "parPreFailed",
                place,
            };
            scope.framed(framed, |scope| {
                let given = scope.at(place).all(given);
                scope.inhale(given, place);
            });
        });
    }

    /// What all threads of a region together take or leave.
    fn region_half(&mut self, region: &RunningRegion<'t>, half: Half, nonempty: bool) -> Vec<s::Expression> {
        match region {
            RunningRegion::Block(block) => self.block_half(block, half, nonempty),
            RunningRegion::Parallel(regions) => {
                regions.iter().flat_map(|region| self.region_half(region, half, nonempty)).collect()
            }
            RunningRegion::Sequential(regions) => {
                let region = match half {
                    Half::Requires => regions.first(),
                    Half::Ensures => regions.last(),
                };
                region.map(|region| self.region_half(region, half, nonempty)).unwrap_or_default()
            }
        }
    }

    /// What all threads of a block together take or leave.
    fn block_half(&mut self, block: &Rc<RunningBlock<'t>>, half: Half, nonempty: bool) -> Vec<s::Expression> {
        let mut result = Vec::new();
        // Each thread has its share of what comes from outside, so together they have it all.
        for clause in &block.inherited {
            let specification = self.everywhere_clause(clause, Role::Plain);
            if let s::SpecificationKind::Assertion(assertion) = specification.kind {
                result.push(assertion);
            }
        }
        for assertion in block.contract.everywhere() {
            result.extend(self.for_all_threads(block, assertion, nonempty));
        }
        for assertion in half_of(block.contract, half) {
            let mut parts = Vec::new();
            split(assertion, &mut parts);
            for part in parts {
                let state = self.state_of_threads(block, part, half);
                result.push(state.unwrap_or_else(|| self.part_for_all_threads(block, part, nonempty)));
            }
        }
        result
    }
}

pub(crate) fn half_of(contract: &Contract, half: Half) -> Vec<&Expression> {
    match half {
        Half::Requires => contract.preconditions().collect(),
        Half::Ensures => contract.postconditions().collect(),
    }
}

/// The blocks that end a region.
fn last_blocks<'r, 't>(region: &'r RunningRegion<'t>) -> Vec<&'r Rc<RunningBlock<'t>>> {
    match region {
        RunningRegion::Block(block) => vec![block],
        RunningRegion::Parallel(regions) => regions.iter().flat_map(last_blocks).collect(),
        RunningRegion::Sequential(regions) => regions.last().map(last_blocks).unwrap_or_default(),
    }
}

fn blocks<'r, 't>(region: &'r RunningRegion<'t>) -> Vec<&'r Rc<RunningBlock<'t>>> {
    match region {
        RunningRegion::Block(block) => vec![block],
        RunningRegion::Parallel(regions) | RunningRegion::Sequential(regions) => {
            regions.iter().flat_map(blocks).collect()
        }
    }
}

fn first_block<'r, 't>(region: &'r RunningRegion<'t>) -> Option<&'r Rc<RunningBlock<'t>>> {
    match region {
        RunningRegion::Block(block) => Some(block),
        RunningRegion::Parallel(regions) | RunningRegion::Sequential(regions) => {
            regions.first().and_then(first_block)
        }
    }
}

/// The conjuncts of an assertion.
pub(crate) fn split<'t>(assertion: &'t Expression, parts: &mut Vec<&'t Expression>) {
    match &*assertion.kind {
        ExpressionKind::Binary(BinaryOperator::And | BinaryOperator::Star, left, right) => {
            split(left, parts);
            split(right, parts);
        }
        _ => parts.push(assertion),
    }
}
