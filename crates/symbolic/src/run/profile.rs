//! Which quantifiers of the source were instantiated how often, from the names that the solver knows them by.

use silver::typed::Program;
use verdict::QuantifierCount;

use crate::encode::names::{self, QuantifierName};

/// Most instances first.
pub(super) fn by_place(program: &Program, counts: Vec<(String, u64)>) -> Vec<QuantifierCount> {
    let mut found: Vec<QuantifierCount> = Vec::new();
    for (name, instances) in counts {
        let QuantifierName { text, span } = names::read_quantifier(program, &name);
        match found.iter_mut().find(|count| count.name == text && count.span == span) {
            Some(count) => count.instances += instances,
            None => found.push(QuantifierCount { name: text, span, instances }),
        }
    }
    found.sort_by(|left, right| {
        (right.instances, left.span, &left.name).cmp(&(left.instances, right.span, &right.name))
    });
    found
}
