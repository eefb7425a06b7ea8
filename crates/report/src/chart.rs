//! A trace as a message sequence chart: a column for each process, a row for each step, arrows for messages.

use std::collections::VecDeque;
use std::fmt::Write;

use verdict::{Passage, Trace, TraceStep};

const COLUMN: usize = 220;
const ROW: usize = 26;
const TOP: usize = 64;
const LEFT: usize = 70;

/// The chart as an SVG text.
pub fn trace_svg(title: &str, trace: &Trace) -> String {
    let columns = trace.processes.len().max(1);
    let rows = trace.steps().filter(|step| !step.jump).count();
    let width = LEFT + columns * COLUMN + 20;
    let height = TOP + (rows + 2) * ROW + 20;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <defs><marker id=\"head\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\">\
         <path d=\"M0,0 L8,4 L0,8 z\" fill=\"#a33\"/></marker></defs>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"18\" font-weight=\"bold\">{}</text>\n",
        escape(title)
    );
    let bottom = TOP + (rows + 1) * ROW;
    for (pid, name) in trace.processes.iter().enumerate() {
        let x = centre(pid);
        let _ = writeln!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"120\" height=\"22\" rx=\"4\" fill=\"#eef\" stroke=\"#557\"/>\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}({pid})</text>\
             <line x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"#bbb\"/>",
            x - 60,
            TOP - 34,
            TOP - 19,
            escape(name),
            TOP - 12,
        );
    }
    let mut chart = Chart { svg, sent: Vec::new() };
    for (row, step) in trace.steps().filter(|step| !step.jump).enumerate() {
        chart.row(row, step);
    }
    if !trace.cycle.is_empty() {
        chart.cycle(trace.stem.iter().filter(|step| !step.jump).count(), rows, columns);
    }
    chart.svg.push_str("</svg>\n");
    chart.svg
}

/// A message on its way: its text, and where it was sent.
type Sent = (String, usize, usize);

struct Chart {
    svg: String,
    /// By channel.
    sent: Vec<(String, VecDeque<Sent>)>,
}

impl Chart {
    fn row(&mut self, row: usize, step: &TraceStep) {
        let y = TOP + row * ROW + ROW / 2;
        let x = centre(usize::from(step.pid));
        let _ = writeln!(
            self.svg,
            "<text x=\"10\" y=\"{}\" fill=\"#888\">{}</text><circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"#335\"/>\
             <text x=\"{}\" y=\"{}\"><title>{}:{}</title>{}</text>",
            y + 4,
            row + 1,
            x + 8,
            y + 4,
            escape(&step.file),
            step.line,
            escape(&shorten(&step.statement)),
        );
        if let Some(partner) = &step.partner {
            let to = centre(usize::from(partner.pid));
            let text = step.message.as_ref().map(|message| message.fields.join(",")).unwrap_or_default();
            self.arrow((x, y), (to, y), &text);
            return;
        }
        let Some(message) = &step.message else { return };
        let text = message.fields.join(",");
        let position = self.sent.iter().position(|(channel, _)| *channel == message.channel);
        let position = position.unwrap_or_else(|| {
            self.sent.push((message.channel.clone(), VecDeque::new()));
            self.sent.len() - 1
        });
        let queue = &mut self.sent[position].1;
        match message.passage {
            Passage::Sent => queue.push_back((text, x, y)),
            Passage::Lost => {}
            Passage::Received => {
                let index = queue.iter().position(|(sent, _, _)| *sent == text);
                if let Some((text, from_x, from_y)) = index.and_then(|index| queue.remove(index)) {
                    self.arrow((from_x, from_y), (x, y), &text);
                }
            }
        }
    }

    fn arrow(&mut self, from: (usize, usize), to: (usize, usize), text: &str) {
        let (middle_x, middle_y) = (usize::midpoint(from.0, to.0), usize::midpoint(from.1, to.1));
        let _ = writeln!(
            self.svg,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#a33\" marker-end=\"url(#head)\"/>\
             <text x=\"{middle_x}\" y=\"{}\" text-anchor=\"middle\" fill=\"#a33\">{}</text>",
            from.0,
            from.1,
            to.0,
            to.1,
            middle_y.saturating_sub(4),
            escape(text),
        );
    }

    fn cycle(&mut self, first: usize, rows: usize, columns: usize) {
        let top = TOP + first * ROW;
        let height = (rows - first) * ROW;
        let _ = writeln!(
            self.svg,
            "<rect x=\"36\" y=\"{top}\" width=\"{}\" height=\"{height}\" fill=\"none\" stroke=\"#283\" \
             stroke-dasharray=\"6 3\"/><text x=\"40\" y=\"{}\" fill=\"#283\">repeats for ever</text>",
            LEFT + columns * COLUMN - 36,
            top + height + 16,
        );
    }
}

fn centre(pid: usize) -> usize {
    LEFT + pid * COLUMN + 60
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 30 { text.to_string() } else { text.chars().take(29).chain(['…']).collect() }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
