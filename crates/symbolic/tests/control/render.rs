//! Control-flow graphs as text.

use std::fmt::Write;

use silver::Options;
use silver::typed::{LocalId, MethodId, Program};
use source::{NoFiles, SourceMap, Span};
use symbolic::control::{
    BlockId, ControlError, ControlFlow, Edge, EdgeKind, Instruction, LoopId, LoopOrigin, Terminator,
    check_graph,
};

pub(crate) struct Text {
    map: SourceMap,
    pub(crate) program: Program,
}

pub(crate) fn parse(text: &str) -> Text {
    let mut map = SourceMap::default();
    let file = map.add("test.vpr", text);
    let resolved = silver::resolve(&mut map, file, &NoFiles, &Options::default());
    assert!(resolved.diagnostics.is_empty(), "{:?}", resolved.diagnostics);
    let Some(program) = resolved.program else { panic!("no program") };
    Text { map, program }
}

impl Text {
    fn at(&self, span: Span) -> String {
        self.map.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn render(&self, flow: Result<ControlFlow<'_>, ControlError>, method: MethodId) -> String {
        let flow = match flow {
            Ok(flow) => flow,
            Err(error) => {
                let line = self.map.place(error.span).line;
                let (message, notes) = silver::port::render::jump_words(&error.jump);
                let mut text = format!("line {line}: {message}\n");
                for (span, remark) in notes.into_iter().filter_map(|note| note.span.zip(Some(note.text))) {
                    let _ = writeln!(text, "  line {}: {remark}", self.map.place(span).line);
                }
                return text;
            }
        };
        assert_eq!(check_graph(&flow), None);
        let method = self.program.method(method);
        let names = |locals: &[LocalId]| {
            locals
                .iter()
                .map(|local| method.locals[local.index()].name.to_string())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let mut text = String::new();
        for (index, found) in flow.loops.iter().enumerate() {
            let id = loop_name(LoopId(index as u32));
            let origin = match found.origin {
                LoopOrigin::While { condition } => format!("while ({})", self.at(condition.span)),
                LoopOrigin::Label(label) => format!("label {}", method.labels[label.index()].name),
            };
            let blocks = found.blocks.iter().map(|block| block_name(*block)).collect::<Vec<_>>().join(" ");
            let _ = write!(text, "{id}: {origin}: {blocks}");
            if let Some(parent) = found.parent {
                let _ = write!(text, "; inside {}", loop_name(parent));
            }
            if !found.assigned.is_empty() {
                let _ = write!(text, "; assigned {}", names(&found.assigned));
            }
            if !found.repeats {
                text.push_str("; never repeats");
            }
            for invariant in found.invariants {
                let _ = write!(text, "; invariant {}", self.at(invariant.span));
            }
            text.push('\n');
        }
        for unused in &flow.unused_invariants {
            let _ = writeln!(text, "unused invariants at {}", method.labels[unused.label.index()].name);
        }
        for (index, block) in flow.blocks.iter().enumerate() {
            let _ = write!(text, "{}:", block_name(BlockId(index as u32)));
            if let Some(id) = block.heads {
                let _ = write!(text, " head of {}", loop_name(id));
            }
            text.push('\n');
            for instruction in &block.instructions {
                let _ = match instruction {
                    Instruction::Statement(statement) => writeln!(text, "  {}", self.at(statement.span)),
                    Instruction::Label(label) => {
                        writeln!(text, "  label {}", method.labels[label.index()].name)
                    }
                    Instruction::EnterScope(locals) => writeln!(text, "  arbitrary {}", names(locals)),
                };
            }
            let _ = match &block.terminator {
                Terminator::Goto(edge) => writeln!(text, "  {}", edge_text(edge)),
                Terminator::Branch { condition, of, then, otherwise } => writeln!(
                    text,
                    "  {} {}: {}; else {}",
                    of.error().id().trim_end_matches(".failed"),
                    self.at(condition.span),
                    edge_text(then),
                    edge_text(otherwise)
                ),
                Terminator::Return => writeln!(text, "  return"),
            };
        }
        text
    }
}

fn block_name(id: BlockId) -> String {
    format!("b{}", id.0)
}

fn loop_name(id: LoopId) -> String {
    format!("L{}", id.0)
}

fn edge_text(edge: &Edge) -> String {
    let mut text = String::new();
    for id in &edge.leaves {
        let _ = write!(text, "leave {}, ", loop_name(*id));
    }
    match edge.kind {
        EdgeKind::Plain => {}
        EdgeKind::Enter(id) => {
            let _ = write!(text, "enter {}, ", loop_name(id));
        }
        EdgeKind::Back(id) => {
            let _ = write!(text, "back to {}, ", loop_name(id));
        }
    }
    text.push_str("go ");
    text.push_str(&block_name(edge.target));
    text
}
