//! Smaller texts: without some lines, without a pair of braces, without a part of a conjunction.

/// Programs that are one step smaller; whole blocks first.
pub(super) fn smaller(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let without = |range: std::ops::RangeInclusive<usize>| {
        let kept = lines.iter().enumerate().filter(|(at, _)| !range.contains(at));
        kept.map(|(_, line)| *line).collect::<Vec<_>>().join("\n") + "\n"
    };
    for at in 0..lines.len() {
        if let Some(end) = matching(&lines, at) {
            found.push(without(at..=end));
            // The contract in front goes with it.
            let first = (0..at).rev().take_while(|it| is_clause(lines[*it])).last().unwrap_or(at);
            if first < at {
                found.push(without(first..=end));
            }
        }
    }
    for size in [4, 2] {
        for at in (0..lines.len()).step_by(size) {
            let end = (at + size - 1).min(lines.len() - 1);
            found.push(without(at..=end));
        }
    }
    for at in 0..lines.len() {
        found.push(without(at..=at));
    }
    for at in 0..lines.len() {
        if let Some(end) = matching(&lines, at)
            && end > at
        {
            let kept = lines.iter().enumerate().filter(|(it, _)| *it != at && *it != end);
            found.push(kept.map(|(_, line)| *line).collect::<Vec<_>>().join("\n") + "\n");
        }
    }
    for separator in [" ** ", " && "] {
        for (at, _) in text.match_indices(separator) {
            let rest = &text[at + 4..];
            let ends = [" ** ", " && ", ";", ") {"];
            if let Some(end) = ends.iter().filter_map(|it| rest.find(it)).min() {
                found.push([&text[..at], &rest[end..]].concat());
            }
            let front = &text[..at];
            let starts =
                [" ** ", " && ", "requires ", "ensures ", "context ", "invariant ", "s(", ": ", "assert "];
            if let Some(start) = starts.iter().filter_map(|it| front.rfind(it).map(|at| at + it.len())).max()
            {
                found.push([&text[..start], rest].concat());
            }
        }
    }
    // Several statements on one line.
    for (at, _) in text.match_indices("; ") {
        let front = &text[..at];
        if let Some(start) = front.rfind(['{', ';', '\n']) {
            found.push([&text[..start + 1], &text[at + 1..]].concat());
        }
    }
    found
}

fn is_clause(line: &str) -> bool {
    let line = line.trim();
    ["requires", "ensures", "context", "loop_invariant", "decreases", "given", "yields", "lock_invariant"]
        .iter()
        .any(|word| line.starts_with(word))
}

/// The line that closes the brace that a line opens at its end.
fn matching(lines: &[&str], at: usize) -> Option<usize> {
    if !lines[at].ends_with('{') {
        return None;
    }
    let mut depth = 0i32;
    for (number, line) in lines.iter().enumerate().skip(at) {
        depth += line.matches('{').count() as i32;
        depth -= line.matches('}').count() as i32;
        if depth <= 0 {
            return Some(number);
        }
    }
    None
}
