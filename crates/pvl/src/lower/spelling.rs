//! What the engine says about a lowered program, in the words of the PVL program.
//!
//! The engine writes expressions of Silver: `element(a, i_3).array_int`, `this.Counter_x`, `old(x)`. Here they become
//! `a[i]`, `this.x` and `\old(x)`. Variables that nobody wrote have no name in PVL.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// What a name of the Silver program stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Meaning {
    /// A variable, or the result.
    Variable(String),
    Field(String),
    /// A function of its object that is written as a field.
    FinalField(String),
    /// A function or predicate, and whether its first argument is the object.
    Routine {
        name: String,
        has_object: bool,
    },
    /// A function without arguments that is written as a name.
    Constant(String),
    /// A function of a resource that is kept, written as the variable whose value it is.
    KeptVariable(String),
}

/// Names of a lowered program.
#[derive(Clone, Default, Debug)]
pub struct Spelling {
    meanings: FxHashMap<Arc<str>, Meaning>,
}

impl Spelling {
    pub(super) fn add_variable(&mut self, silver: &Arc<str>, name: &str) {
        self.add(silver, Meaning::Variable(name.to_string()));
    }

    pub(super) fn add_field(&mut self, silver: &Arc<str>, name: String) {
        self.add(silver, Meaning::Field(name));
    }

    pub(super) fn add_final_field(&mut self, silver: &Arc<str>, name: String) {
        self.add(silver, Meaning::FinalField(name));
    }

    pub(super) fn add_routine(&mut self, silver: &Arc<str>, name: String, has_object: bool) {
        self.add(silver, Meaning::Routine { name, has_object });
    }

    pub(super) fn add_constant(&mut self, silver: &Arc<str>, name: String) {
        self.add(silver, Meaning::Constant(name));
    }

    pub(super) fn add_kept_variable(&mut self, silver: &Arc<str>, name: &str) {
        self.add(silver, Meaning::KeptVariable(name.to_string()));
    }

    fn add(&mut self, silver: &Arc<str>, meaning: Meaning) {
        self.meanings.entry(silver.clone()).or_insert(meaning);
    }

    /// An expression in PVL; `None` if it speaks about something that nobody wrote.
    pub fn expression(&self, silver: &str) -> Option<String> {
        let mut reader = Reader { spelling: self, rest: silver, is_hidden: false };
        let text = reader.all(&[]);
        (!reader.is_hidden).then_some(text)
    }

    /// A sentence whose expressions stand between back-ticks; `instead` is what to say about something that nobody
    /// wrote.
    pub fn sentence(&self, silver: &str, instead: Option<&str>) -> String {
        let mut result = String::new();
        for (index, part) in silver.split('`').enumerate() {
            if index % 2 == 0 {
                result.push_str(&fractions(part));
            } else {
                let mut reader = Reader { spelling: self, rest: part, is_hidden: false };
                let text = reader.all(&[]);
                result.push('`');
                result.push_str(instead.filter(|_| reader.is_hidden).unwrap_or(&text));
                result.push('`');
            }
        }
        result
    }

    /// A value of a counterexample; `None` if nobody wrote it.
    pub fn value(&self, silver: &str) -> Option<String> {
        Some(match silver {
            "none_option()" => "None".to_string(),
            // Arrays, pointers and enums have a `null` each, which is not declared anywhere.
            _ if silver.ends_with("()") => {
                let null = || silver.ends_with("_null()").then(|| "null".to_string());
                self.expression(silver).or_else(null)?
            }
            _ => match silver.split_once('#') {
                Some(("Ref", number)) => format!("object#{number}"),
                // A type that the member is generic in.
                Some((stem, _)) if stem.starts_with("Type_") => silver["Type_".len()..].to_string(),
                // Types that the language brings with it are written in small letters.
                Some((stem, number)) if is_built_in(stem) => format!("{}#{number}", stem.to_lowercase()),
                _ => fractions(silver),
            },
        })
    }
}

fn is_built_in(stem: &str) -> bool {
    matches!(stem, "Array" | "Pointer" | "Option" | "Either" | "Tuple" | "Any" | "Resource")
}

/// `1/2` as `1\2`
fn fractions(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let is_digit = |index: Option<usize>| {
        index.and_then(|index| characters.get(index)).is_some_and(|character| character.is_ascii_digit())
    };
    let part = |(index, character): (usize, &char)| {
        let is_fraction = *character == '/' && is_digit(index.checked_sub(1)) && is_digit(Some(index + 1));
        if is_fraction { '\\' } else { *character }
    };
    characters.iter().enumerate().map(part).collect()
}

/// Reads an expression from the left; what is not understood stays as it is.
struct Reader<'s> {
    spelling: &'s Spelling,
    rest: &'s str,
    is_hidden: bool,
}

impl Reader<'_> {
    /// Everything up to one of the ends, which is left, or to the end of the text.
    fn all(&mut self, ends: &[char]) -> String {
        let mut result = String::new();
        while let Some(character) = self.rest.chars().next() {
            if ends.contains(&character) {
                break;
            }
            if is_start_of_name(character) {
                result.push_str(&self.operand());
            } else if character == '(' {
                result.push_str(&self.bracketed(')'));
            } else if character == '[' {
                result.push_str(&self.bracketed(']'));
            } else if character.is_ascii_digit() {
                let number = self.take_while(|c| c.is_ascii_alphanumeric() || c == '/' || c == '.');
                result.push_str(&fractions(&number));
            } else {
                self.advance(character);
                result.push(character);
            }
        }
        result
    }

    fn advance(&mut self, character: char) {
        self.rest = &self.rest[character.len_utf8()..];
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|c: char| !wanted(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken.to_string()
    }

    fn bracketed(&mut self, close: char) -> String {
        let open = if close == ')' { '(' } else { '[' };
        self.advance(open);
        let mut inner = self.all(&[close]);
        if self.rest.starts_with(close) {
            self.advance(close);
        }
        inner.insert(0, open);
        inner.push(close);
        inner
    }

    fn arguments(&mut self) -> Vec<String> {
        self.advance('(');
        let mut arguments = Vec::new();
        loop {
            let argument = self.all(&[',', ')']);
            if !argument.trim().is_empty() {
                arguments.push(argument.trim().to_string());
            }
            if !self.rest.starts_with(',') {
                break;
            }
            self.advance(',');
        }
        if self.rest.starts_with(')') {
            self.advance(')');
        }
        arguments
    }

    /// A name with what is selected from it.
    fn operand(&mut self) -> String {
        let name = self.take_while(is_part_of_name);
        let mut value = if self.rest.starts_with('(') {
            let arguments = self.arguments();
            self.call(&name, arguments)
        } else {
            let mut value = self.name(&name);
            if self.rest.starts_with('#') {
                self.advance('#');
                value = format!("{value}#{}", self.take_while(|c| c.is_ascii_digit()));
            }
            value
        };
        loop {
            if self.rest.starts_with('[') {
                let index = self.bracketed(']');
                value = match &*value {
                    "old" => format!("\\old{index}"),
                    _ => format!("{value}{index}"),
                };
                if value.starts_with("\\old[") && self.rest.starts_with('(') {
                    let inner = self.bracketed(')');
                    value.push_str(&inner);
                }
            } else if self.rest.starts_with('.') && self.rest[1..].starts_with(is_start_of_name) {
                self.advance('.');
                let field = self.take_while(is_part_of_name);
                // An element is the only field of its location.
                let is_of_pointer = field.starts_with("pointer_");
                if is_of_pointer || is_element_field(&field) && value.ends_with(']') {
                    continue;
                }
                value = match self.spelling.meanings.get(field.as_str()) {
                    Some(Meaning::Field(name)) => format!("{value}.{name}"),
                    _ => format!("{value}.{field}"),
                };
            } else {
                return value;
            }
        }
    }

    fn name(&mut self, name: &str) -> String {
        match self.spelling.meanings.get(name) {
            Some(
                Meaning::Variable(name)
                | Meaning::Field(name)
                | Meaning::FinalField(name)
                | Meaning::Constant(name)
                | Meaning::KeptVariable(name)
                | Meaning::Routine { name, .. },
            ) => name.clone(),
            None => {
                // Objects of counterexamples have numbers.
                let is_object = self.rest.starts_with('#');
                match name {
                    "result" => return "\\result".to_string(),
                    "Ref" if is_object => {
                        self.is_hidden = true;
                        return "object".to_string();
                    }
                    "this" | "null" | "true" | "false" | "old" | "perm" | "write" | "none" | "in" => {}
                    _ if is_object => {}
                    _ => self.is_hidden = true,
                }
                name.to_string()
            }
        }
    }

    fn call(&mut self, name: &str, arguments: Vec<String>) -> String {
        if let Some(meaning) = self.spelling.meanings.get(name) {
            match (meaning, arguments.split_first()) {
                (Meaning::FinalField(name), Some((object, _))) => return format!("{object}.{name}"),
                (Meaning::Routine { name, has_object: true }, Some((object, rest))) => {
                    return format!("{object}.{name}({})", rest.join(", "));
                }
                (Meaning::Routine { name, .. }, _) => return format!("{name}({})", arguments.join(", ")),
                (Meaning::Constant(name), None) | (Meaning::KeptVariable(name), _) => return name.clone(),
                _ => {}
            }
        }
        match (name, &arguments[..]) {
            ("element" | "pointer_element", [array, index]) => format!("{array}[{index}]"),
            ("array_location", [array, index]) => format!("{array}[{index}]"),
            ("block_location", [variable, _]) => variable.clone(),
            ("pointer", [variable, _]) => format!("&{variable}"),
            ("length" | "array_length", [array]) => format!("{array}.length"),
            ("tuple_first", [tuple]) => format!("{tuple}.fst"),
            ("tuple_second", [tuple]) => format!("{tuple}.snd"),
            ("option_value", [option]) => format!("{option}.get"),
            ("none_option", []) => "None".to_string(),
            ("some", [value]) => format!("Some({value})"),
            ("array_null" | "pointer_null", []) => "null".to_string(),
            ("tuple", [first, second]) => format!("({first}, {second})"),
            ("domain", [map]) => format!("{map}.keys"),
            ("range", [map]) => format!("{map}.values"),
            ("old", _) => format!("\\old({})", arguments.join(", ")),
            ("either_is_left", [either]) => format!("{either}.isLeft"),
            ("either_left_value", [either]) => format!("{either}.left"),
            ("either_right_value", [either]) => format!("{either}.right"),
            _ if name.starts_with("option_get_") && arguments.len() == 1 => format!("{}.get", arguments[0]),
            ("perm", _) => format!("perm({})", arguments.join(", ")),
            _ => {
                self.is_hidden = true;
                format!("{name}({})", arguments.join(", "))
            }
        }
    }
}

fn is_start_of_name(character: char) -> bool {
    character.is_ascii_alphabetic() || matches!(character, '_' | '$')
}

fn is_part_of_name(character: char) -> bool {
    is_start_of_name(character) || character.is_ascii_digit()
}

/// Whether the field is one of those that all arrays with elements of some type share.
fn is_element_field(field: &str) -> bool {
    field.starts_with("array_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelling() -> Spelling {
        let mut spelling = Spelling::default();
        spelling.add_field(&"Counter_x".into(), "x".to_string());
        spelling.add_variable(&"i_3".into(), "i");
        spelling.add_variable(&"a".into(), "a");
        spelling.add_variable(&"m".into(), "m");
        spelling.add_variable(&"res".into(), "\\result");
        spelling.add_routine(&"Node_state".into(), "state".to_string(), true);
        spelling.add_routine(&"max".into(), "max".to_string(), false);
        spelling.add_final_field(&"Counter_limit".into(), "limit".to_string());
        spelling.add_constant(&"Color_RED".into(), "Color.RED".to_string());
        spelling
    }

    #[test]
    fn expressions_are_those_of_pvl() {
        let spelling = spelling();
        let spelled = |text: &str| spelling.expression(text).unwrap_or_else(|| "hidden".to_string());
        assert_eq!(spelled("this.Counter_x"), "this.x");
        assert_eq!(spelled("element(a, i_3).array_int"), "a[i]");
        assert_eq!(spelled("element(element(m, 2).array_array_int, i_3 + 1).array_int"), "m[2][i + 1]");
        assert_eq!(spelled("perm(element(a, 0).array_int)"), "perm(a[0])");
        assert_eq!(spelled("old(this.Counter_x)"), "\\old(this.x)");
        assert_eq!(spelled("array_length(a)"), "a.length");
        assert_eq!(spelled("max(this.Counter_x, res)"), "max(this.x, \\result)");
        assert_eq!(spelled("Node_state(this.next)"), "this.next.state()");
        assert_eq!(spelled("Counter_limit(this)"), "this.limit");
        assert_eq!(spelled("Color_RED()"), "Color.RED");
        assert_eq!(spelled("|a|"), "|a|");
        assert_eq!(spelled("a[0]"), "a[0]");
        assert_eq!(spelled("old[before](this.Counter_x)"), "hidden");
        assert_eq!(spelled("any_1"), "hidden");
        assert_eq!(spelled("Ref#1.Counter_x"), "hidden");
    }

    #[test]
    fn sentences_and_values() {
        let spelling = spelling();
        let text = "1/2 permission to `this.Counter_x` is needed, 1/3 is held";
        assert_eq!(spelling.sentence(text, None), "1\\2 permission to `this.x` is needed, 1\\3 is held");
        assert_eq!(spelling.sentence("of `Ref#1.Counter_x`", None), "of `object#1.x`");
        assert_eq!(spelling.sentence("of `Ref#1.Counter_x`", Some("m[1].x")), "of `m[1].x`");
        assert_eq!(spelling.value("1/2").as_deref(), Some("1\\2"));
        assert_eq!(spelling.value("Ref#3").as_deref(), Some("object#3"));
        assert_eq!(spelling.value("Array#3").as_deref(), Some("array#3"));
        assert_eq!(spelling.value("Type_T#3").as_deref(), Some("T#3"));
        assert_eq!(spelling.value("array_null()").as_deref(), Some("null"));
        assert_eq!(spelling.value("Color_RED()").as_deref(), Some("Color.RED"));
        assert_eq!(spelling.value("-5").as_deref(), Some("-5"));
        assert_eq!(spelling.value("type_C()"), None);
    }

    #[test]
    fn whatever_the_text_is_it_ends() {
        let spelling = spelling();
        for text in ["", "f(", "f(a", "a[", "a.", ".", "((", "a(b)(c)]", "old[", "`", "ä(ü)"] {
            let _ = spelling.expression(text);
            let _ = spelling.sentence(text, None);
        }
    }
}
