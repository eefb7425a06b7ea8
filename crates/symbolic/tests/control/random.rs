//! Random bodies, executed as written and along their graphs.

use std::collections::BTreeMap;

use proptest::prelude::*;
use silver::typed::{Block, LocalId, Method, MethodId, Statement, StatementKind};
use source::Span;
use symbolic::control::{ControlFlow, EdgeKind, Instruction, LoopId, Terminator, check_graph};

use super::render::parse;

const LABELS: usize = 4;
/// A trace ends at this length, or after so many steps.
const LENGTH: usize = 100;
const STEPS: usize = 5000;

#[derive(Clone, Debug)]
enum Shape {
    Assign(usize),
    Goto(usize),
    Label,
    If(Vec<Shape>, Vec<Shape>),
    While(Vec<Shape>),
    Block(Vec<Shape>),
}

fn shapes() -> impl Strategy<Value = Vec<Shape>> {
    let leaf = prop_oneof![
        3 => (0usize..3).prop_map(Shape::Assign),
        1 => (0..LABELS).prop_map(Shape::Goto),
        2 => Just(Shape::Label),
    ];
    let shape = leaf.prop_recursive(4, 40, 5, |inner| {
        let list = proptest::collection::vec(inner, 0..5);
        prop_oneof![
            3 => (list.clone(), list.clone()).prop_map(|(then, otherwise)| Shape::If(then, otherwise)),
            2 => list.clone().prop_map(Shape::While),
            1 => list.prop_map(Shape::Block),
        ]
    });
    proptest::collection::vec(shape, 1..8)
}

fn write(shapes: &[Shape], labels: &mut usize, text: &mut String) {
    for shape in shapes {
        match shape {
            Shape::Assign(variable) => text.push_str(&format!("v{variable} := v{variable} + 1\n")),
            // A jump that is not the end of everything after it.
            Shape::Goto(label) => text.push_str(&format!("if (c) {{ goto l{label} }}\n")),
            Shape::Label if *labels < LABELS => {
                text.push_str(&format!("label l{labels}\n"));
                *labels += 1;
            }
            Shape::Label => text.push_str("assert c\n"),
            Shape::If(then, otherwise) => {
                text.push_str("if (c) {\n");
                write(then, labels, text);
                text.push_str("} else {\n");
                write(otherwise, labels, text);
                text.push_str("}\n");
            }
            Shape::While(body) => {
                text.push_str("while (c) {\n");
                write(body, labels, text);
                text.push_str("}\n");
            }
            Shape::Block(body) => {
                text.push_str("{\n");
                write(body, labels, text);
                text.push_str("}\n");
            }
        }
    }
}

/// Executes the statements as they stand: a position is a path of blocks with the index of the next statement.
fn trace_of_body(method: &Method, choices: &[bool]) -> Vec<Span> {
    let Some(body) = &method.body else { return Vec::new() };
    let mut trace = Vec::new();
    let mut stack: Vec<(&Block, usize)> = vec![(body, 0)];
    let mut choices = choices.iter().copied().cycle();
    for _ in 0..STEPS {
        let Some((block, index)) = stack.last_mut().filter(|_| trace.len() < LENGTH) else { break };
        let Some(statement) = block.statements.get(*index) else {
            stack.pop();
            continue;
        };
        *index += 1;
        match &statement.kind {
            StatementKind::If { then, otherwise, .. } => {
                let taken = if choices.next() == Some(true) { then } else { otherwise };
                stack.push((taken, 0));
            }
            StatementKind::While { body, .. } => {
                if choices.next() == Some(true) {
                    *index -= 1;
                    stack.push((body, 0));
                }
            }
            StatementKind::Block(block) => stack.push((block, 0)),
            StatementKind::Goto(label) => {
                let is_label = |statement: &Statement| matches!(&statement.kind, StatementKind::Label { label: found, .. } if found == label);
                stack.clear();
                find(body, &is_label, &mut stack);
            }
            _ => trace.push(statement.span),
        }
    }
    trace
}

/// The path to a statement; a `while` around it is still to be continued.
fn find<'p>(
    block: &'p Block,
    wanted: &dyn Fn(&Statement) -> bool,
    stack: &mut Vec<(&'p Block, usize)>,
) -> bool {
    for (index, statement) in block.statements.iter().enumerate() {
        if wanted(statement) {
            stack.push((block, index));
            return true;
        }
        let (inner, next): (Vec<&Block>, usize) = match &statement.kind {
            StatementKind::If { then, otherwise, .. } => (vec![then, otherwise], index + 1),
            StatementKind::While { body, .. } => (vec![body], index),
            StatementKind::Block(block) => (vec![block], index + 1),
            _ => continue,
        };
        for inner in inner {
            stack.push((block, next));
            if find(inner, wanted, stack) {
                return true;
            }
            stack.pop();
        }
    }
    false
}

/// Executes the graph, and checks that no loop changes a variable that it does not own up to.
fn trace_of_graph(flow: &ControlFlow<'_>, method: &Method, choices: &[bool]) -> Vec<Span> {
    let mut trace = Vec::new();
    let mut block = &flow.blocks[0];
    let mut choices = choices.iter().copied().cycle();
    let mut changes: BTreeMap<LocalId, usize> = BTreeMap::new();
    let mut at_head: BTreeMap<LoopId, BTreeMap<LocalId, usize>> = BTreeMap::new();
    for _ in 0..STEPS {
        if trace.len() >= LENGTH {
            break;
        }
        for instruction in &block.instructions {
            match instruction {
                Instruction::Statement(statement) => {
                    trace.push(statement.span);
                    if let StatementKind::Assign { target, .. } = &statement.kind {
                        *changes.entry(*target).or_default() += 1;
                    }
                }
                Instruction::Label(label) => trace.push(method.labels[label.index()].span),
                Instruction::EnterScope(_) => {}
            }
        }
        let edge = match &block.terminator {
            Terminator::Goto(edge) => edge,
            Terminator::Branch { then, otherwise, .. } => {
                if choices.next() == Some(true) {
                    then
                } else {
                    otherwise
                }
            }
            Terminator::Return => {
                assert!(at_head.is_empty(), "the body ended in a loop");
                break;
            }
        };
        for id in &edge.leaves {
            assert!(at_head.remove(id).is_some(), "left a loop that was not entered");
        }
        match edge.kind {
            EdgeKind::Plain => {}
            EdgeKind::Enter(id) => {
                assert!(at_head.insert(id, changes.clone()).is_none(), "entered a loop from inside");
            }
            EdgeKind::Back(id) => {
                let before = at_head.insert(id, changes.clone());
                assert!(before.is_some(), "repeated a loop that was not entered");
                let before = before.unwrap_or_default();
                for (local, count) in &changes {
                    let changed = before.get(local) != Some(count);
                    assert!(!changed || flow.get_loop(id).assigned.contains(local));
                }
            }
        }
        block = flow.block(edge.target);
    }
    trace.truncate(LENGTH);
    trace
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn a_graph_does_what_its_body_does(
        shapes in shapes(),
        choices in proptest::collection::vec(any::<bool>(), 17),
    ) {
        let mut text = String::from("method m(c: Bool) returns (v0: Int, v1: Int, v2: Int) {\n");
        let mut labels = 0;
        write(&shapes, &mut labels, &mut text);
        while labels < LABELS {
            text.push_str(&format!("label l{labels}\n"));
            labels += 1;
        }
        text.push('}');
        let parsed = parse(&text);
        let id = MethodId(0);
        let method = parsed.program.method(id);
        // A cycle with two entries has no graph.
        if let Ok(flow) = ControlFlow::of(&parsed.program, id) {
            prop_assert_eq!(check_graph(&flow), None);
            let (written, walked) = (trace_of_body(method, &choices), trace_of_graph(&flow, method, &choices));
            prop_assert_eq!(written, walked, "{}", text);
        }
    }
}
