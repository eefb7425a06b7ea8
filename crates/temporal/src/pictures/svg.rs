//! Draws an automaton as a stand-alone SVG, for automata small enough to be read.
//!
//! Marks on edges are coloured discs with the set's number, accepting states of a Büchi automaton have a second
//! circle. Edges that run against the layers or skip one bend around the states between.

use std::fmt::Write as _;

use super::edge_text;
use super::layout::{Layout, RADIUS, lay_out};
use crate::automaton::{Automaton, Edge, Marks};
use crate::limits;

const COLOURS: [&str; 8] =
    ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2"];

/// The automaton as an SVG document; none if it has too many states to be worth looking at.
pub fn write_svg(automaton: &Automaton) -> Option<String> {
    if automaton.states.len() > limits::PICTURE_STATES {
        return None;
    }
    let texts: Vec<Vec<String>> = automaton
        .states
        .iter()
        .map(|state| state.edges.iter().map(|edge| shortened(&edge_text(automaton, edge))).collect())
        .collect();
    let width_of = |state: u32, index: usize| {
        let marks = automaton.edges(state)[index].marks.iter().count();
        text_width(&texts[state as usize][index]) + marks as f64 * 16.0
    };
    let layout = lay_out(automaton, width_of);
    let title = automaton.name.as_deref().map(shortened);
    let title_width = title.as_deref().map_or(0.0, text_width) + 40.0;
    let (width, height) = (layout.width.max(title_width), layout.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<defs><marker id=\"arrow\" \
         viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L10 \
         5L0 10z\" fill=\"#333\"/></marker></defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    if let Some(title) = &title {
        let _ = writeln!(out, "<text x=\"20\" y=\"24\" font-size=\"14\">{}</text>", escaped(title));
    }
    let (x, y) = layout.places[automaton.initial as usize];
    let _ = writeln!(
        out,
        "<path d=\"M{:.1} {y:.1}H{:.1}\" stroke=\"#333\" fill=\"none\" marker-end=\"url(#arrow)\"/>",
        x - RADIUS - 30.0,
        x - RADIUS
    );
    let mut labels = String::new();
    let states = layout.places.iter().map(|(x, y)| Area::around(*x, *y, 2.0 * RADIUS, 2.0 * RADIUS));
    let mut taken: Vec<Area> = states.collect();
    for (state, texts) in texts.iter().enumerate() {
        draw_edges(&mut out, &mut labels, &mut taken, automaton, &layout, state, texts);
    }
    for state in 0..automaton.states.len() {
        draw_state(&mut out, automaton, &layout, state);
    }
    // Texts come last, so that no line crosses them.
    out.push_str(&labels);
    out.push_str("</svg>\n");
    Some(out)
}

fn draw_state(out: &mut String, automaton: &Automaton, layout: &Layout, state: usize) {
    let (x, y) = layout.places[state];
    let circle = |radius: f64| {
        format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"#fffff0\" stroke=\"#333\"/>\n")
    };
    out.push_str(&circle(RADIUS));
    let marks =
        if automaton.kind.is_state_based() { automaton.state_marks(state as u32) } else { Marks::NONE };
    if automaton.sets == 1 && marks.contains(0) {
        out.push_str(&circle(RADIUS - 4.0));
    } else {
        draw_marks(out, x, y + RADIUS + 4.0, marks);
    }
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{state}</text>", y + 4.0);
}

fn draw_edges(
    out: &mut String,
    labels: &mut String,
    taken: &mut Vec<Area>,
    automaton: &Automaton,
    layout: &Layout,
    state: usize,
    texts: &[String],
) {
    let edges = &automaton.states[state].edges;
    let mut targets: Vec<u32> = edges.iter().map(|edge| edge.target).collect();
    targets.sort_unstable();
    targets.dedup();
    for target in targets {
        let together: Vec<(usize, &Edge)> =
            edges.iter().enumerate().filter(|(_, edge)| edge.target == target).collect();
        let (path, places) = if target as usize == state {
            loop_path(layout.places[state])
        } else {
            let back = automaton.edges(target).iter().any(|edge| edge.target as usize == state);
            line_path(layout, state, target as usize, back)
        };
        let tooltip: Vec<String> =
            together.iter().map(|(_, edge)| escaped(&edge_text(automaton, edge))).collect();
        let _ = writeln!(
            out,
            "<path d=\"{path}\" stroke=\"#333\" fill=\"none\" marker-end=\"url(#arrow)\"><title>{}</title></path>",
            tooltip.join("; ")
        );
        // Edges between the same states are one line with several texts, put where they cover nothing.
        let shown = |edge: &Edge| if automaton.kind.is_state_based() { Marks::NONE } else { edge.marks };
        let widths = together.iter().map(|(index, edge)| label_width(&texts[*index], shown(edge)));
        let width = widths.fold(0.0, f64::max);
        let height = together.len() as f64 * 16.0;
        let lift = if target as usize == state { height / 2.0 - 8.0 } else { 0.0 };
        let boxes = places.iter().map(|(x, y)| Area::around(*x, y - lift, width, height));
        let Some(chosen) = boxes.min_by_key(|candidate| candidate.overlap(taken)) else { continue };
        for (row, (index, edge)) in together.into_iter().enumerate() {
            let y = chosen.y - height / 2.0 + 8.0 + row as f64 * 16.0;
            draw_label(labels, chosen.x, y, &texts[index], shown(edge));
        }
        taken.push(chosen);
    }
}

/// A rectangle by its middle and half its extent.
#[derive(Clone, Copy)]
struct Area {
    x: f64,
    y: f64,
    half_width: f64,
    half_height: f64,
}

impl Area {
    fn around(x: f64, y: f64, width: f64, height: f64) -> Area {
        Area { x, y, half_width: width / 2.0, half_height: height / 2.0 }
    }

    /// How much of this is already covered, in whole units of area.
    fn overlap(&self, others: &[Area]) -> u64 {
        let along = |a: f64, half_a: f64, b: f64, half_b: f64| {
            ((a + half_a).min(b + half_b) - (a - half_a).max(b - half_b)).max(0.0)
        };
        let area = |other: &Area| {
            along(self.x, self.half_width, other.x, other.half_width)
                * along(self.y, self.half_height, other.y, other.half_height)
        };
        others.iter().map(area).sum::<f64>() as u64
    }
}

fn label_width(text: &str, marks: Marks) -> f64 {
    text_width(text) + marks.iter().count() as f64 * 15.0 + 4.0
}

fn draw_label(out: &mut String, x: f64, y: f64, text: &str, marks: Marks) {
    let discs = marks.iter().count() as f64 * 15.0;
    let width = text_width(text) + discs;
    let left = x - width / 2.0;
    let _ = writeln!(
        out,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"15\" fill=\"#fff\" fill-opacity=\"0.9\"/>\n<text x=\"{left:.1}\" \
         y=\"{:.1}\">{}</text>",
        left - 2.0,
        y - 8.0,
        width + 4.0,
        y + 4.0,
        escaped(text)
    );
    draw_marks(out, left + text_width(text) + discs / 2.0 + 1.0, y, marks);
}

fn draw_marks(out: &mut String, x: f64, y: f64, marks: Marks) {
    let count = marks.iter().count() as f64;
    for (index, set) in marks.iter().enumerate() {
        let x = x + (index as f64 - (count - 1.0) / 2.0) * 15.0;
        let colour = COLOURS[set as usize % COLOURS.len()];
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6.5\" fill=\"{colour}\"/><text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"9\" \
             fill=\"#fff\" text-anchor=\"middle\">{set}</text>",
            y + 3.2
        );
    }
}

/// A loop above a state, and the places its text can have.
fn loop_path((x, y): (f64, f64)) -> (String, Vec<(f64, f64)>) {
    let top = y - RADIUS - 26.0;
    let path = format!(
        "M{:.1} {:.1}C{:.1} {top:.1} {:.1} {top:.1} {:.1} {:.1}",
        x - 9.0,
        y - RADIUS + 2.0,
        x - 18.0,
        x + 18.0,
        x + 9.0,
        y - RADIUS + 2.0
    );
    (path, [0.0, 14.0, 28.0].map(|up| (x, top - 4.0 - up)).to_vec())
}

/// A line from state to state and the places its text can have; bent if its way back exists too or if it would run through other states.
fn line_path(layout: &Layout, from: usize, to: usize, back: bool) -> (String, Vec<(f64, f64)>) {
    let ((x1, y1), (x2, y2)) = (layout.places[from], layout.places[to]);
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    let steps = layout.layer[from].abs_diff(layout.layer[to]);
    let same_row = dy.abs() < 1.0;
    let bend = match (steps, back) {
        (1, false) => 0.0,
        (1, true) => 26.0,
        (0, _) => 40.0,
        _ if same_row => 45.0 + 22.0 * steps as f64,
        _ => 34.0,
    };
    // To the left of the direction of travel; backward edges so pass below, forward ones above.
    let (nx, ny) = (dy / length, -dx / length);
    let (cx, cy) = ((x1 + x2) / 2.0 + nx * bend * 2.0, (y1 + y2) / 2.0 + ny * bend * 2.0);
    let on_circle = |x: f64, y: f64| {
        let (dx, dy) = (cx - x, cy - y);
        let length = (dx * dx + dy * dy).sqrt().max(1.0);
        (x + dx / length * RADIUS, y + dy / length * RADIUS)
    };
    let ((sx, sy), (tx, ty)) = (on_circle(x1, y1), on_circle(x2, y2));
    let path = format!("M{sx:.1} {sy:.1}Q{cx:.1} {cy:.1} {tx:.1} {ty:.1}");
    let point = |t: f64| {
        let (a, b, c) = ((1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t);
        (a * sx + b * cx + c * tx, a * sy + b * cy + c * ty)
    };
    // The middle first: of equally good places the first one is taken.
    let shares = [0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75, 0.2, 0.8];
    (path, shares.map(point).to_vec())
}

fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * 6.6
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= limits::PICTURE_TEXT {
        return text.to_owned();
    }
    let start: String = text.chars().take(limits::PICTURE_TEXT - 1).collect();
    format!("{start}…")
}

fn escaped(text: &str) -> String {
    let safe = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.chars().map(safe).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
