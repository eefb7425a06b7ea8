//! What generated code can do; everything else is left to the bytecode.

use super::function::code_end;
use crate::compiled::layout::ChannelLayout;
use crate::compiled::program::{
    ChannelOperand, CodeId, Edge, Effect, Field, First, Op, Program, Target, Test, Value as Operand,
};
use crate::limits;

fn can_run(program: &Program, start: CodeId) -> bool {
    program.code[start.0 as usize..code_end(program, start)].iter().all(|op| {
        if let Op::Poll { poll, .. } = op {
            let poll = &program.polls[*poll as usize];
            return !poll.random
                && program.channels.iter().all(|layout| layout.fields.len() >= poll.fields.len());
        }
        if let Op::QueryNumber { .. } | Op::HasMessage { .. } = op {
            // The count is looked up without knowing the layout.
            return program.channels.iter().all(|layout| layout.count_bits == 8);
        }
        !matches!(
            op,
            Op::Last { .. }
                | Op::NonProgress { .. }
                | Op::RunResult { .. }
                | Op::Enabled { .. }
                | Op::ProgramCounter { .. }
                | Op::Priority { .. }
                | Op::FirstOfType { .. }
                | Op::RemoteAt { .. }
                | Op::RemoteLoad { .. }
        )
    })
}

fn can_evaluate(program: &Program, operand: &Operand) -> bool {
    if let Operand::Code(code) = operand { can_run(program, *code) } else { true }
}

fn can_test(program: &Program, test: &Test) -> bool {
    if let Test::Code(code) = test { can_run(program, *code) } else { true }
}

fn can_store(program: &Program, target: &Target) -> bool {
    if let Target::Computed { index, .. } = target { can_run(program, *index) } else { true }
}

/// The layouts that hold messages and satisfy a condition. Long channels are moved by the bytecode.
pub(super) fn buffered(program: &Program, wanted: impl Fn(&ChannelLayout) -> bool) -> Vec<u32> {
    let fits = |layout: &ChannelLayout| layout.capacity > 0 && layout.words <= 64 && wanted(layout);
    let layouts = program.channels.iter().enumerate();
    layouts.filter(|(_, layout)| fits(layout)).map(|(index, _)| index as u32).collect()
}

/// How many fields the messages of a channel must have for an operation to do without a fault.
#[derive(Clone, Copy)]
pub(super) enum Fields {
    /// Of a send.
    Exactly(usize),
    /// Of a receive.
    AtLeast(usize),
}

impl Fields {
    fn fit(self, layout: &ChannelLayout) -> bool {
        match self {
            Fields::Exactly(count) => layout.fields.len() == count,
            Fields::AtLeast(count) => layout.fields.len() >= count,
        }
    }
}

/// The layouts that a channel operand can have, among those with the right fields. Handshake channels are left to
/// the bytecode where `handshakes` is not set.
pub(super) fn layouts(
    program: &Program,
    channel: &ChannelOperand,
    fields: Fields,
    handshakes: bool,
) -> Vec<u32> {
    let known = match channel {
        ChannelOperand::Global { position, .. } | ChannelOperand::Local { position, .. } => {
            Some(position.layout)
        }
        ChannelOperand::Number(_) => None,
    };
    let all = program.channels.iter().enumerate().filter(|(_, layout)| {
        fields.fit(layout) && layout.words <= 64 && (handshakes || layout.capacity > 0)
    });
    let all = all.map(|(index, _)| index as u32);
    all.filter(|layout| known.is_none_or(|known| known == *layout)).collect()
}

fn can_use(program: &Program, channel: &ChannelOperand, fields: Fields, handshakes: bool) -> bool {
    let value = match channel {
        ChannelOperand::Number(value) => can_evaluate(program, value),
        _ => true,
    };
    value && (1..=limits::CHANNEL_LAYOUTS).contains(&layouts(program, channel, fields, handshakes).len())
}

/// Can generated code say whether the edge is executable?
pub(super) fn can_decide(program: &Program, edge: &Edge) -> bool {
    match &edge.first {
        First::Test(test) => can_test(program, test),
        First::Else | First::End => true,
        First::Send(send) => {
            let send = &program.sends[*send as usize];
            !program.loses_messages
                && can_use(program, &send.channel, Fields::Exactly(send.arguments.len()), false)
        }
        First::Receive(receive) => {
            let receive = &program.receives[*receive as usize];
            !receive.random
                && can_use(program, &receive.channel, Fields::AtLeast(receive.fields.len()), true)
                && receive.fields.iter().all(|field| match field {
                    Field::Any => true,
                    Field::Match(value) => can_evaluate(program, value),
                    Field::Store(target) => can_store(program, target),
                })
        }
        First::Block(block) => {
            let is_plain = |edge: &Edge| !matches!(edge.first, First::Block(_)) && can_decide(program, edge);
            entry_edges(program, *block).iter().all(is_plain)
        }
    }
}

/// The edges of the location where a block begins: the block is executable if one of them is.
pub(super) fn entry_edges(program: &Program, block: u32) -> &[Edge] {
    let block = &program.blocks[block as usize];
    let edges = &program.processes[block.kind as usize].locations[block.entry as usize].edges;
    &program.edges[edges.start as usize..edges.end as usize]
}

/// Can generated code execute the edge? Of a block, this is about what comes behind it: see [`super::Native::execute`].
pub(super) fn can_execute(program: &Program, edge: &Edge) -> bool {
    let first = match &edge.first {
        First::Test(_) | First::Else => true,
        First::Send(send) => {
            let send = &program.sends[*send as usize];
            can_decide(program, edge)
                && !send.sorted
                && send.arguments.iter().all(|argument| can_evaluate(program, argument))
        }
        First::Receive(receive) => {
            let receive = &program.receives[*receive as usize];
            can_decide(program, edge)
                && can_use(program, &receive.channel, Fields::AtLeast(receive.fields.len()), false)
        }
        First::Block(_) => true,
        First::End => false,
    };
    let effects = &program.effects[edge.effects.start as usize..edge.effects.end as usize];
    first
        && effects.iter().all(|effect| match effect {
            Effect::Store { target, value } => can_store(program, target) && can_evaluate(program, value),
            Effect::Assert(test) => can_test(program, test),
            _ => false,
        })
}
