//! Makes a program small while something stays true of it: greedy steps, each to the first smaller program that keeps
//! it, until none does (delta debugging, one change at a time).

/// `smaller` lists programs that are one step smaller, `keeps` says whether what matters is still true; it is asked at
/// most `max_tries` times.
pub fn minimise(
    text: &str,
    max_tries: usize,
    smaller: &dyn Fn(&str) -> Vec<String>,
    keeps: &mut dyn FnMut(&str) -> bool,
) -> String {
    let mut best = text.to_string();
    let mut tries = 0;
    // Where the last success was: what is in front of it was tried in vain a moment ago.
    let mut start = 0;
    loop {
        let candidates = smaller(&best);
        let count = candidates.len();
        let order = (0..count).map(|step| (start + step) % count.max(1));
        let mut found = None;
        for index in order {
            if tries >= max_tries {
                return best;
            }
            let candidate = &candidates[index];
            if candidate.len() >= best.len() {
                continue;
            }
            tries += 1;
            if keeps(candidate) {
                found = Some(index);
                break;
            }
        }
        match found {
            Some(index) => {
                best = candidates[index].clone();
                start = index;
            }
            None => return best,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let smaller = |text: &str| {
            (0..text.len()).map(|index| [&text[..index], &text[index + 1..]].concat()).collect::<Vec<_>>()
        };
        let small =
            minimise("some long text", 1000, &smaller, &mut |text| text.contains('x') && text.contains('o'));
        assert_eq!(small, "ox");
    }
}
