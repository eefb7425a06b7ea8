//! Walking the control-flow graph of a body: branches, loops, and where paths end.

use std::collections::BTreeMap;
use std::rc::Rc;

use silver::typed::{ExpressionRef, StatementKind};
use source::Span;
use verdict::Reason;

use crate::attempt::After;
use crate::blame::{Blame, ErrorKind};
use crate::control::{BlockId, BranchOf, ControlFlow, Edge, EdgeKind, Instruction, LoopId, Terminator};
use crate::engine::{Engine, Outcome};
use crate::heap::Heap;
use crate::produce::{Manner, Source};
use crate::state::State;

/// Refute statements that were reached, by place: whether some path has violated the assertion.
pub(crate) type Refutations = BTreeMap<Span, Refutation>;

/// What is known of a refute statement from the paths that have reached it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Refutation {
    /// The assertion holds on all of them.
    None,
    /// It does on those that are known; on another the engine gave up.
    Open(Reason),
    /// Some path violates it.
    Found,
}

enum Next<'f> {
    Block(BlockId),
    Edge(&'f Edge),
}

impl<'p> Engine<'p> {
    /// Executes a body from a state; `finish` is called for each path that reaches the end.
    pub(crate) fn execute_body(
        &mut self,
        flow: &ControlFlow<'p>,
        initial: State,
        finish: &mut dyn FnMut(&mut Self, State) -> Outcome<()>,
    ) -> Outcome<()> {
        let mut stack = vec![(self.suspend(initial), Next::Block(BlockId(0)))];
        while let Some((state, next)) = stack.pop() {
            let state = self.resume(state);
            let arrived = match next {
                Next::Block(block) => vec![(state, block)],
                Next::Edge(edge) => self.follow(flow, state, edge)?,
            };
            for (state, block) in arrived.into_iter().rev() {
                let state = self.resume(state);
                self.execute_block(flow, state, block, &mut stack, finish)?;
            }
        }
        Ok(())
    }

    /// Remembers where the path of a state ends.
    pub(crate) fn suspend(&self, mut state: State) -> State {
        state.path = Some(self.path.tip().clone());
        state
    }

    /// Goes on where the path of a state ended.
    pub(crate) fn resume(&mut self, mut state: State) -> State {
        if let Some(path) = state.path.take() {
            self.path.move_to(path);
        }
        state
    }

    fn execute_block<'f>(
        &mut self,
        flow: &'f ControlFlow<'p>,
        state: State,
        block: BlockId,
        stack: &mut Vec<(State, Next<'f>)>,
        finish: &mut dyn FnMut(&mut Self, State) -> Outcome<()>,
    ) -> Outcome<()> {
        let block = flow.block(block);
        // States that have come so far through the block, the next one to go on last.
        let mut pending = vec![(self.suspend(state), 0)];
        while let Some((state, position)) = pending.pop() {
            let mut state = self.resume(state);
            self.go_on()?;
            if self.is_dead() {
                self.report.paths += 1;
                // What the proof of a wand has taken so far counts even if the wand can never be applied.
                if self.is_packaging() {
                    finish(self, state)?;
                }
                continue;
            }
            match block.instructions.get(position) {
                Some(Instruction::Label(label)) => {
                    let heap = state.heap.clone();
                    Rc::make_mut(&mut state.labels).insert(*label, heap);
                    pending.push((self.suspend(state), position + 1));
                }
                Some(Instruction::EnterScope(locals)) => {
                    for local in locals.iter() {
                        self.havoc_local(&mut state, *local);
                    }
                    pending.push((self.suspend(state), position + 1));
                }
                Some(Instruction::Statement(statement)) => {
                    let states = match &statement.kind {
                        // The steps of its proof are tried on their own.
                        StatementKind::Package { wand, proof } => {
                            self.package(state, wand, proof, statement.span)?
                        }
                        _ => self.attempt(state, &mut |engine, mut state| {
                            engine.execute_statement(&mut state, statement)
                        })?,
                    };
                    pending.extend(states.into_iter().rev().map(|state| (state, position + 1)));
                }
                None => self.terminate(&block.terminator, state, stack, finish)?,
            }
        }
        Ok(())
    }

    fn terminate<'f>(
        &mut self,
        terminator: &'f Terminator<'p>,
        state: State,
        stack: &mut Vec<(State, Next<'f>)>,
        finish: &mut dyn FnMut(&mut Self, State) -> Outcome<()>,
    ) -> Outcome<()> {
        match terminator {
            Terminator::Return => {
                self.report.paths += 1;
                finish(self, state)
            }
            Terminator::Goto(edge) => {
                stack.push((self.suspend(state), Next::Edge(edge)));
                Ok(())
            }
            Terminator::Branch { condition, of, then, otherwise } => {
                let blame = Blame::new(of.error(), condition.span);
                let mut value = None;
                let After { states, has_split } =
                    self.attempt_in_cases(state, &mut |engine, mut state| {
                        value = Some(engine.evaluate(&mut state, condition, &blame)?);
                        Ok(vec![engine.suspend(state)])
                    })?;
                for state in states.into_iter().rev() {
                    let mut state = self.resume(state);
                    // A case split may have evaluated the condition more than once.
                    let value = match value {
                        Some(value) if !has_split => value,
                        _ => self.trusting(|engine| engine.evaluate(&mut state, condition, &blame))?,
                    };
                    if *of == BranchOf::WhereKnown && self.run.settings.chooses_where_known {
                        let edge = if self.check(value) { then } else { otherwise };
                        stack.push((self.suspend(state), Next::Edge(edge)));
                        continue;
                    }
                    let origin = self.path.tip().clone();
                    for (taken, edge) in [(false, otherwise), (true, then)] {
                        let assumed = if taken { value } else { self.encoder.terms.not(value) };
                        if self.encoder.terms.is_false(assumed) {
                            continue;
                        }
                        self.path.move_to(origin.clone());
                        self.path.push_branch(value, condition.span, taken);
                        self.assume(assumed);
                        if !self.encoder.terms.is_true(assumed) && self.is_infeasible() {
                            if self.is_packaging() {
                                self.learn_never();
                                finish(self, state.clone())?;
                            }
                            continue;
                        }
                        stack.push((self.suspend(state.clone()), Next::Edge(edge)));
                    }
                }
                Ok(())
            }
        }
    }

    /// Goes along an edge: out of loops, into one, or back to the head, where the path ends.
    fn follow(
        &mut self,
        flow: &ControlFlow<'p>,
        mut state: State,
        edge: &Edge,
    ) -> Outcome<Vec<(State, BlockId)>> {
        for _ in &edge.leaves {
            if let Some(frame) = Rc::make_mut(&mut state.frames).pop() {
                self.rejoin(&mut state.heap, &frame);
            }
        }
        let arrived = match edge.kind {
            EdgeKind::Plain => vec![self.suspend(state)],
            EdgeKind::Enter(id) => {
                self.attempt(state, &mut |engine, state| engine.enter_loop(flow, state, id))?
            }
            EdgeKind::Back(id) => {
                let invariants = flow.get_loop(id).invariants;
                self.attempt(state, &mut |engine, mut state| {
                    engine.consume_invariants(&mut state, invariants, ErrorKind::InvariantNotPreserved)?;
                    Ok(Vec::new())
                })?;
                self.report.paths += 1;
                Vec::new()
            }
        };
        Ok(arrived.into_iter().map(|state| (state, edge.target)).collect())
    }

    /// Puts the chunks of a heap that was set aside back.
    pub(crate) fn rejoin(&mut self, heap: &mut Heap, frame: &Heap) {
        for resource in frame.resources() {
            for chunk in frame.of(resource).iter() {
                match chunk {
                    crate::heap::Chunk::Basic(basic) => self.add_chunk(heap, resource, basic.clone()),
                    quantified @ crate::heap::Chunk::Quantified(_) => heap.add(resource, quantified.clone()),
                }
            }
        }
    }

    fn enter_loop(&mut self, flow: &ControlFlow<'p>, mut state: State, id: LoopId) -> Outcome<Vec<State>> {
        let entered = flow.get_loop(id);
        let well_formed = |assertion: &ExpressionRef| Blame::new(ErrorKind::NotWellFormed, assertion.span);
        let mark = self.path.mark();
        let mut scratch = state.clone();
        scratch.heap = Heap::default();
        entered.assigned.iter().for_each(|local| self.havoc_local(&mut scratch, *local));
        self.produce_all(&mut scratch, entered.invariants, Source::Fresh, well_formed)?;
        self.path.rewind(&mark);

        self.consume_invariants(&mut state, entered.invariants, ErrorKind::InvariantNotEstablished)?;
        let frame = std::mem::take(&mut state.heap);
        Rc::make_mut(&mut state.frames).push(frame);
        entered.assigned.iter().for_each(|local| self.havoc_local(&mut state, *local));
        self.trusting(|engine| {
            engine.produce_all(&mut state, entered.invariants, Source::Fresh, well_formed)
        })?;
        Ok(vec![self.suspend(state)])
    }

    fn consume_invariants(
        &mut self,
        state: &mut State,
        invariants: &[ExpressionRef],
        error: ErrorKind,
    ) -> Outcome<()> {
        let manner = Manner { discards_snapshot: true, ..self.plainly() };
        self.trusting_to_consume(invariants, |engine| {
            engine.consume_all(state, invariants, manner, |assertion| Blame::new(error, assertion.span))
        })?;
        Ok(())
    }

    pub(crate) fn havoc_local(&mut self, state: &mut State, local: silver::typed::LocalId) {
        let declared = &self.around.locals[local.index()];
        let (name, ty) = (declared.name.clone(), declared.ty.clone());
        let sort = self.encoder.sort(&ty);
        let value = self.fresh(&name, sort);
        state.store.set(local, value);
    }
}
