//! Names that are near to one that is unknown, for suggestions.

/// More are of no help.
const SHOWN: usize = 4;

/// The nearest of some names, nearest first: those that differ in a few letters or contain what was written. A member of
/// a class can be meant by its own name.
pub(crate) fn near_names(written: &str, names: &[&str]) -> Vec<String> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    for name in names {
        if let Some(distance) = distance(written, name)
            && found.iter().all(|(_, other)| other != name)
        {
            found.push((distance, name));
        }
    }
    found.sort();
    found.into_iter().take(SHOWN).map(|(_, name)| name.to_string()).collect()
}

/// How far a name is from what was written; nothing if too far.
fn distance(written: &str, name: &str) -> Option<usize> {
    let (written, name) = (written.to_lowercase(), name.to_lowercase());
    let own = |name: &str| name.rsplit('.').next().unwrap_or(name).to_string();
    let is_qualified = written.contains('.');
    let nearest = if is_qualified { edits(&written, &name) } else { edits(&written, &own(&name)) };
    let limit = own(&written).chars().count().max(2) / 3 + 1;
    let is_part = written.chars().count() > 2 && name.contains(&*written);
    (nearest <= limit).then_some(nearest).or(is_part.then_some(limit + 1))
}

/// The number of letters to insert, delete or replace (Levenshtein).
fn edits(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], index + 1);
        for (at, other) in right.iter().enumerate() {
            let replaced = corner + usize::from(letter != *other);
            corner = row[at + 1];
            row[at + 1] = replaced.min(corner + 1).min(row[at] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_found() {
        let names = ["Counter.increment", "Counter.get", "main", "lemma_sum", "Account.deposit"];
        let near = |written: &str| near_names(written, &names).join(" ");
        assert_eq!(near("Counter.incremnt"), "Counter.increment");
        assert_eq!(near("incremnt"), "Counter.increment");
        assert_eq!(near("mian"), "main");
        assert_eq!(near("Main"), "main");
        assert_eq!(near("sum"), "lemma_sum");
        assert_eq!(near("Acount.deposit"), "Account.deposit");
        assert_eq!(near("Counter"), "Counter.get Counter.increment");
        assert_eq!(near("nobody"), "");
        assert_eq!(near(""), "");
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("abc", "abc"), 0);
    }
}
