//! Plots of figures as bars, in SVG: small files that a browser, an editor and a page of documentation can show.

use std::fmt::Write;

/// A column of bars: what is measured, and how a figure is written beside its bar.
pub(crate) struct Column {
    pub(crate) title: &'static str,
    pub(crate) decimals: usize,
}

/// A row: its name, its group (rows of a group have one colour), and a figure for each column.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) group: usize,
    pub(crate) figures: Vec<f64>,
}

const NAMES: usize = 250;
const BAR: usize = 200;
const COLUMN: usize = BAR + 90;
const LINE: usize = 18;
const HEAD: usize = 44;
const COLOURS: [&str; 4] = ["#4878a8", "#e08030", "#589858", "#905090"];

/// A plot with one line for each row, and a bar in it for each column; bars of a column have one scale.
pub(crate) fn bars(title: &str, columns: &[Column], rows: &[Row]) -> String {
    let (width, height) = (NAMES + columns.len() * COLUMN, HEAD + rows.len() * LINE + 8);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"8\" y=\"17\" font-weight=\"bold\">{}</text>\n",
        escaped(title)
    );
    // Writing to a string does not fail.
    for (number, column) in columns.iter().enumerate() {
        let x = NAMES + number * COLUMN;
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"36\" fill=\"#555\">{}</text>", escaped(column.title));
    }
    for (line, row) in rows.iter().enumerate() {
        let y = HEAD + line * LINE;
        let _ = writeln!(svg, "<text x=\"8\" y=\"{}\">{}</text>", y + 13, escaped(&row.name));
        for (number, (column, figure)) in columns.iter().zip(&row.figures).enumerate() {
            let largest = rows.iter().filter_map(|row| row.figures.get(number)).fold(0.0, |a, b| b.max(a));
            let length = if largest > 0.0 { (figure / largest * BAR as f64).max(1.0) } else { 1.0 };
            let x = NAMES + number * COLUMN;
            let colour = COLOURS[row.group % COLOURS.len()];
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{}\" width=\"{length:.0}\" height=\"{}\" fill=\"{colour}\"/>\
                 <text x=\"{:.0}\" y=\"{}\">{figure:.*}</text>",
                y + 2,
                LINE - 4,
                x as f64 + length + 4.0,
                y + 13,
                column.decimals
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_fills_its_column_and_others_are_in_proportion() {
        let columns = [Column { title: "a & b", decimals: 1 }];
        let row = |name: &str, figure| Row { name: name.to_string(), group: 0, figures: vec![figure] };
        let svg = bars("t", &columns, &[row("one", 4.0), row("two", 1.0)]);
        assert!(svg.contains("a &amp; b") && svg.contains("width=\"200\"") && svg.contains("width=\"50\""));
        assert!(svg.contains(">4.0</text>") && svg.contains(">1.0</text>"));
        assert_eq!(svg.matches("<rect").count(), 3);
    }
}
