//! `new T[a][b]…`: a method that gives an array of new arrays, whatever its number of dimensions.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::lower::Lowering;
use crate::resolve::Type;

impl Lowering<'_> {
    /// The method for arrays whose elements are in these fields, from the outside in.
    pub(crate) fn need_new_arrays(
        &mut self,
        fields: &[Arc<str>],
        default: Option<&str>,
        element: &Type,
    ) -> Arc<str> {
        if let Some((_, name)) = self.prelude.new_arrays.iter().find(|(known, _)| known == fields) {
            return name.clone();
        }
        let word = self.type_word(element);
        let name = self.globals.fresh(&format!("new_arrays_{word}_{}", fields.len()));
        self.prelude.new_arrays.push((fields.to_vec(), name.clone()));
        let text = text(&name, fields, default);
        let id = self.map.add_own("<new arrays>", text.clone());
        let (tree, diagnostics) = silver::syntax::parse(id, &text);
        debug_assert!(diagnostics.is_empty(), "{diagnostics:?}\n{text}");
        self.origins.add_prelude_code(id, &text, "arraySize");
        self.prelude.members.extend(tree.members);
        name
    }
}

/// The location of an element, `variable` followed by the number of the dimension being the index.
fn location(fields: &[Arc<str>], level: usize, variable: char) -> String {
    (0..=level).fold("a".to_string(), |array, dimension| {
        format!("element({array}, {variable}{dimension}).{}", fields[dimension])
    })
}

fn range(level: usize, variable: char) -> String {
    let bounds = (0..=level)
        .map(|dimension| format!("0 <= {variable}{dimension} && {variable}{dimension} < count{dimension}"));
    bounds.collect::<Vec<_>>().join(" && ")
}

fn text(name: &str, fields: &[Arc<str>], default: Option<&str>) -> String {
    let formals: Vec<String> = (0..fields.len()).map(|number| format!("count{number}: Int")).collect();
    let mut text = format!("method {name}({}) returns (a: Array)\n", formals.join(", "));
    for number in 0..fields.len() {
        let _ = writeln!(text, "  requires 0 <= count{number} //: arraySize");
    }
    text.push_str("  ensures a != array_null() && array_length(a) == count0\n");
    for level in 0..fields.len() {
        let variables = |variable: char| {
            (0..=level).map(|number| format!("{variable}{number}: Int")).collect::<Vec<_>>().join(", ")
        };
        let (i, range_i) = (variables('i'), range(level, 'i'));
        let place = location(fields, level, 'i');
        let reference = place.strip_suffix(&format!(".{}", fields[level])).unwrap_or(&place);
        let _ = writeln!(text, "  ensures forall {i} :: {{ {reference} }} {range_i} ==> acc({place}, write)");
        if level + 1 < fields.len() {
            let next = level + 1;
            let _ = writeln!(
                text,
                "  ensures forall {i} :: {{ {reference} }} {range_i} ==> {place} != array_null() && array_length({place}) == count{next}"
            );
            let differs: Vec<String> = (0..=level).map(|number| format!("i{number} != j{number}")).collect();
            let other = location(fields, level, 'j');
            let _ = writeln!(
                text,
                "  ensures forall {i}, {} :: {{ {place}, {other} }} {range_i} && {} && ({}) ==> {place} != {other}",
                variables('j'),
                range(level, 'j'),
                differs.join(" || ")
            );
        } else if let Some(default) = default {
            let _ = writeln!(
                text,
                "  ensures forall {i} :: {{ {reference} }} {range_i} ==> {place} == {default}"
            );
        }
    }
    text
}
