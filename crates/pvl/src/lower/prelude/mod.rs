//! Silver that programs need: arrays, options, tuples and the like, each included only where it is used.
//!
//! Silver is generated in two ways. What has a fixed shape is a text in a file: it is Silver that can be read as it
//! stands, a comment `//: code` says what a failure of the assertion on that line is called, and
//! what depends on types is a [`Template`], whose holes are filled with trees ([`holes`]). What has a shape that depends
//! on a type (`new_arrays`, `converted`) is built with [`Build`](super::build::Build), at a place of the prelude.
//! The tests read every text, fill every hole and have Silver's front end look at what comes out, so that no text can
//! turn out to be ill-formed when a program is lowered. All axioms have the models that their comments or names
//! describe, and a test asks the solver not to refute them.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use super::Lowering;
use crate::limits;
use crate::resolve::Type;

mod converted;
mod holes;
mod new_arrays;
#[cfg(test)]
mod tests;

pub(super) use self::holes::Fill;

macro_rules! theories {
    ($($name:ident $file:literal,)*) => {
        /// A text without parameters.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) enum Theory {
            $($name,)*
        }

        impl Theory {
            pub(super) const ALL: &[Theory] = &[$(Theory::$name,)*];

            fn text(self) -> (&'static str, &'static str) {
                match self {
                    $(Theory::$name => ($file, include_str!(concat!($file, ".vpr"))),)*
                }
            }
        }
    };
}

theories! {
    Array "array",
    Pointer "pointer",
    Option "option",
    Tuple "tuple",
    Either "either",
    Unit "unit",
    Nothing "nothing",
    Any "any",
    TypeValue "type_value",
    RangeSet "range_set",
    Fraction "fraction",
    Power "power",
    PowerOfRational "power_rational",
    PositiveStep "positive_step",
    Static "static",
    AnyRead "any_read",
    IsInt "is_int",
    SetMember "set_member",
    Process "process",
    ProcessMembers "process_members",
}

macro_rules! templates {
    ($($name:ident $file:literal $declares:literal,)*) => {
        /// A text about types.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) enum Template {
            $($name,)*
        }

        impl Template {
            const ALL: &[Template] = &[$(Template::$name,)*];

            /// What the file is called, its text, and the name that it declares, in front of the word for the types.
            fn text(self) -> (&'static str, &'static str, &'static str) {
                match self {
                    $(Template::$name => ($file, include_str!(concat!($file, ".vpr")), $declares),)*
                }
            }
        }
    };
}

templates! {
    ArrayField "array_field" "array_",
    ArrayNew "array_new" "new_array_",
    ArrayNewArbitrary "array_new_arbitrary" "new_array_",
    ArrayValues "array_values" "array_values_",
    PointerField "pointer_field" "pointer_",
    OptionGet "option_get" "option_get_",
    EitherGet "either_get" "either_get_left_",
    Choose "choose" "choose_",
    MapRemove "map_remove" "map_remove_",
    MapItems "map_items" "map_items_",
    MapDisjoint "map_disjoint" "map_disjoint_",
    AnyOf "any_of" "any_",
    AnyOfNullable "any_of_nullable" "any_",
    PointerCell "pointer_cell" "new_cell_",
    AddressedField "addressed_field" "field_block_",
    NothingAs "nothing_as" "nothing_as_",
    StoredVector "vector_stored" "stored_vector_",
    StoredMatrix "matrix_stored" "stored_matrix_",
    VectorRepeat "vector_repeat" "vector_repeat_",
    VectorAdd "vector_pointwise" "vector_add_",
    VectorSubtract "vector_pointwise" "vector_subtract_",
    VectorMultiply "vector_pointwise" "vector_multiply_",
    VectorDivide "vector_division" "vector_divide_",
    VectorModulo "vector_division" "vector_modulo_",
    VectorNegate "vector_negate" "vector_negate_",
    VectorCompare "vector_compare" "vector_compare_",
    VectorCompareValue "vector_compare_value" "vector_compare_value_",
    VectorSum "vector_sum" "vector_sum_",
    VectorSumAt "vector_sum_at" "vector_sum_at_",
    VectorSumOf "vector_sum_of" "vector_sum_of_",
    MatrixCompare "matrix_compare" "matrix_compare_",
    MatrixCompareValue "matrix_compare_value" "matrix_compare_value_",
    MatrixRowSums "matrix_row_sums" "matrix_row_sums_",
    MatrixRowTotals "matrix_row_totals" "matrix_row_totals_",
    MatrixRowSumsAt "matrix_row_sums_at" "matrix_row_sums_at_",
    MatrixHas "matrix_has" "matrix_has_",
    MatrixHasAt "matrix_has_at" "matrix_has_at_",
}

/// Every name that a text without parameters declares: programs may not use them.
const RESERVED: &[&str] = &[
    "Integrality",
    "is_integer",
    "Array",
    "array_null",
    "array_length",
    "array_location",
    "location_array",
    "location_index",
    "length",
    "element",
    "Block",
    "block_length",
    "block_location",
    "location_block",
    "location_offset",
    "block_field",
    "Pointer",
    "pointer",
    "pointer_null",
    "pointer_block",
    "pointer_offset",
    "pointer_element",
    "pointer_add",
    "pointer_block_length",
    "pointer_block_offset",
    "Option",
    "none_option",
    "some",
    "option_value",
    "Tuple",
    "tuple",
    "tuple_first",
    "tuple_second",
    "Either",
    "either_left",
    "either_right",
    "either_left_value",
    "either_right_value",
    "either_is_left",
    "Unit",
    "unit",
    "Nothing",
    "Any",
    "any_kind",
    "any_null",
    "TypeValue",
    "type_of",
    "type_of_null",
    "range_set",
    "as_fraction",
    "as_zero_fraction",
    "zero_fraction_as_fraction",
    "as_factor",
    "stored_fraction",
    "stored_zero_fraction",
    "power",
    "power_of_rational",
    "positive_step",
    "Static",
    "static_object",
    "any_read",
    "SetMember",
    "set_member",
    "Process",
    "process_empty",
    "process_deadlock",
    "process_sequence",
    "process_choice",
    "process_parallel",
    "process_iteration",
    "model_state",
    "ProcessMembers",
    "process_member",
    "process_sum",
    "ProcessFamily",
    "process_family",
    "process_may_be_empty",
];

/// What has been included so far.
#[derive(Default, Debug)]
pub(super) struct Prelude {
    theories: Vec<Theory>,
    /// Instances by template and what fills its holes, with the word that makes their names unique.
    instances: Vec<(Template, Vec<String>, Arc<str>)>,
    /// Methods for arrays of arrays, by their fields.
    new_arrays: Vec<(Vec<Arc<str>>, Arc<str>)>,
    /// Functions for conversions, by the types.
    conversions: Vec<((Type, Type), Arc<str>)>,
    /// Where these functions are.
    conversions_place: Option<Span>,
    pub(super) members: Vec<s::Member>,
}

impl Prelude {
    /// The functions of all included texts that have no value for some arguments.
    pub(super) fn partial_functions(&self) -> Vec<&Arc<str>> {
        let mut found = Vec::new();
        for member in &self.members {
            if let s::MemberKind::Function(function) = &member.kind
                && !function.preconditions.is_empty()
            {
                found.push(&function.name.text);
            }
        }
        found
    }
}

impl Lowering<'_> {
    pub(super) fn reserve_prelude_names(&mut self) {
        for name in RESERVED {
            self.globals.reserve(name);
        }
        let theories = Theory::ALL.iter().map(|theory| theory.text().1);
        let templates = Template::ALL.iter().map(|template| template.text().1);
        for text in theories.chain(templates) {
            for name in variables(text) {
                self.globals.avoid(name);
            }
        }
        ["A", "B", "K", "T", "V"].iter().for_each(|parameter| self.globals.avoid(parameter));
        for dimension in 0..limits::DIMENSIONS {
            ["i", "j", "count"].iter().for_each(|name| self.globals.avoid(&format!("{name}{dimension}")));
        }
    }

    /// Includes a text once.
    pub(super) fn need(&mut self, theory: Theory) {
        if self.prelude.theories.contains(&theory) {
            return;
        }
        self.prelude.theories.push(theory);
        let (file, text) = theory.text();
        let members = self.read(file, text);
        self.prelude.members.extend(members);
    }

    /// Includes a text for these types, once, and gives the name that it declares.
    ///
    /// `fills` are what stands in its other holes.
    pub(super) fn need_for(
        &mut self,
        template: Template,
        types: &[(&str, &Type)],
        fills: &[(&str, Fill)],
        place: Span,
    ) -> Arc<str> {
        let word = self.need_word_for(template, types, fills, place);
        format!("{}{word}", template.text().2).into()
    }

    /// The same; what comes back is the word for the types, by which all names end that the template declares.
    pub(super) fn need_word_for(
        &mut self,
        template: Template,
        types: &[(&str, &Type)],
        fills: &[(&str, Fill)],
        place: Span,
    ) -> Arc<str> {
        // Functions outside of a data type do not know its type parameters.
        if types.iter().any(|(_, ty)| self.has_adt_parameter(ty)) {
            self.unsupported(place, "this operation on values of a type parameter, in an axiom,");
        }
        let mut words: Vec<String> = types.iter().map(|(_, ty)| self.type_word(ty)).collect();
        let mut all: Vec<(&str, Fill)> =
            types.iter().map(|(hole, ty)| (*hole, Fill::Type(self.ty(ty, place)))).collect();
        all.extend(fills.iter().cloned());
        // Types of PVL that are one type of Silver share an instance.
        let key: Vec<String> = all.iter().map(|(_, fill)| fill.text()).collect();
        let (file, text, declares) = template.text();
        let known = self.prelude.instances.iter().find(|known| known.0 == template && known.1 == key);
        if let Some((_, _, word)) = known {
            return word.clone();
        }
        if let Some((_, Fill::Name(name))) = fills.iter().find(|(hole, _)| *hole == "name") {
            words.push(name.to_string());
        }
        let (name, word) = self.globals.fresh_behind(declares, &words.join("_"));
        match template {
            Template::ArrayField | Template::PointerField => self.spelling.add_element(&name),
            Template::OptionGet => self.spelling.add_selector(&name, "get"),
            _ => {}
        }
        self.prelude.instances.push((template, key, word.clone()));
        all.push(("word", Fill::Name(word.clone())));
        let members = self.read(file, text);
        self.prelude.members.extend(holes::filled(&members, &all));
        word
    }

    /// The members of a text, at places of their own: each instance of a template is a file.
    fn read(&mut self, theory: &str, text: &'static str) -> Vec<s::Member> {
        let id = self.map.add_own(format!("<{theory}.vpr>"), text);
        let (tree, diagnostics) = silver::syntax::parse(id, text);
        debug_assert!(diagnostics.is_empty(), "{theory}: {diagnostics:?}");
        self.origins.add_prelude(id, theory, text);
        tree.members
    }

    /// A place of the prelude for members that are built.
    fn built_place(&mut self, what: &str) -> Span {
        let id = self.map.add_own(format!("<{what}>"), "");
        self.origins.add_built_prelude(id, what);
        Span::new(id, 0, 0)
    }
}

/// Words that a colon follows: parameters and bound variables of a text.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    text.match_indices(": ").filter_map(move |(at, _)| {
        let before = &text[..at];
        let start = before.rfind(|c| !is_word(c)).map_or(0, |at| at + 1);
        Some(&before[start..]).filter(|word| !word.is_empty() && !holes::has_holes(word))
    })
}
