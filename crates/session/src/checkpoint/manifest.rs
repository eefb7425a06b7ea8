//! The first file of a checkpoint: what it is of, and which files belong to it.
//!
//! It is a text of lines, each a word and what it is about; the last one is the sum of all before it. Whoever reads a
//! checkpoint compares what it is of with what is to be done, part by part, so that the difference can be named.

use std::fmt::Write as _;

use super::sum::Sum;

/// The form of everything that is written. It is the first line, before anything else is believed.
const HEADER: &str = "probity checkpoint 1";
const FAMILY: &str = "probity checkpoint ";

/// What a checkpoint is of: what must be the same when it is taken up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Identity {
    /// The version of the program, and the sum of the program itself: another build may number things in another way.
    pub(super) program: String,
    /// The sum of all texts of the model.
    pub(super) model: u64,
    /// Options that decide what is searched, as they are written, with what was given for them.
    pub(super) options: Vec<(String, String)>,
    /// The names of the properties, and the sums of what they are.
    pub(super) properties: Vec<(String, u64)>,
}

/// A file with a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeptFile {
    /// The position of the property.
    pub(super) property: usize,
    pub(super) name: String,
    pub(super) length: u64,
    pub(super) sum: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) identity: Identity,
    pub(super) files: Vec<KeptFile>,
}

/// Why a manifest cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// It is not whole, or not one.
    Damaged,
    /// It has another form.
    Version,
}

/// How checkpoints differ that are not of the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    Program,
    Model,
    Option { name: String, there: String, here: String },
    Property { there: Option<String>, here: Option<String> },
}

/// A text on one line.
fn quoted(text: &str) -> String {
    text.chars()
        .flat_map(|letter| if letter == ' ' { vec![' '] } else { letter.escape_default().collect() })
        .collect()
}

impl Manifest {
    pub(super) fn print(&self) -> String {
        let Identity { program, model, options, properties } = &self.identity;
        let mut text = format!("{HEADER}\nprogram {}\nmodel {model:016x}\n", quoted(program));
        for (name, value) in options {
            let _ = writeln!(text, "option {} {}", quoted(name), quoted(value));
        }
        for (name, sum) in properties {
            let _ = writeln!(text, "property {sum:016x} {}", quoted(name));
        }
        for KeptFile { property, name, length, sum } in &self.files {
            let _ = writeln!(text, "file {property} {name} {length} {sum:016x}");
        }
        let sum = Sum::of(text.as_bytes());
        let _ = writeln!(text, "sum {sum:016x}");
        text
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Manifest, Unusable> {
        let text = std::str::from_utf8(bytes).map_err(|_| Unusable::Damaged)?;
        let first = text.lines().next().unwrap_or_default();
        if first != HEADER && first.starts_with(FAMILY) {
            return Err(Unusable::Version);
        }
        let manifest = parse_lines(text).ok_or(Unusable::Damaged)?;
        // There is one way to write it.
        if manifest.print() == text { Ok(manifest) } else { Err(Unusable::Damaged) }
    }
}

fn parse_lines(text: &str) -> Option<Manifest> {
    let body = text.strip_suffix('\n')?;
    let (body, sum) = body.rsplit_once('\n')?;
    let sum = sum.strip_prefix("sum ").and_then(hexadecimal)?;
    if sum != Sum::of(format!("{body}\n").as_bytes()) {
        return None;
    }
    let mut manifest = Manifest::default();
    for line in body.lines().skip(1) {
        let (word, rest) = line.split_once(' ')?;
        let identity = &mut manifest.identity;
        match word {
            "program" => identity.program = unquoted(rest)?,
            "model" => identity.model = hexadecimal(rest)?,
            "option" => {
                let (name, value) = rest.split_once(' ')?;
                identity.options.push((unquoted(name)?, unquoted(value)?));
            }
            "property" => {
                let (sum, name) = rest.split_once(' ')?;
                identity.properties.push((unquoted(name)?, hexadecimal(sum)?));
            }
            "file" => {
                let [property, name, length, sum] = rest.split(' ').collect::<Vec<_>>().try_into().ok()?;
                manifest.files.push(KeptFile {
                    property: property.parse().ok()?,
                    name: name.to_string(),
                    length: length.parse().ok()?,
                    sum: hexadecimal(sum)?,
                });
            }
            _ => return None,
        }
    }
    Some(manifest)
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

/// What [`quoted`] made of a text.
fn unquoted(text: &str) -> Option<String> {
    let mut result = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            result.push(letter);
            continue;
        }
        result.push(match letters.next()? {
            't' => '\t',
            'r' => '\r',
            'n' => '\n',
            'u' => {
                let digits: String = letters.by_ref().skip(1).take_while(|letter| *letter != '}').collect();
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
            }
            same => same,
        });
    }
    Some(result)
}

impl Identity {
    /// The first difference to what is to be done here.
    pub(super) fn difference(&self, here: &Identity) -> Option<Difference> {
        if self.program != here.program {
            return Some(Difference::Program);
        }
        // What was asked for comes before the texts: an option may choose other ones.
        for (name, value) in &here.options {
            let there = self.options.iter().find(|(other, _)| other == name);
            let there = there.map(|(_, value)| value.clone()).unwrap_or_default();
            if there != *value {
                return Some(Difference::Option { name: name.clone(), there, here: value.clone() });
            }
        }
        if self.model != here.model {
            return Some(Difference::Model);
        }
        let longest = self.properties.len().max(here.properties.len());
        let differs = |index: &usize| self.properties.get(*index) != here.properties.get(*index);
        let name =
            |properties: &[(String, u64)], index: usize| properties.get(index).map(|(name, _)| name.clone());
        (0..longest).find(differs).map(|index| Difference::Property {
            there: name(&self.properties, index),
            here: name(&here.properties, index),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        Manifest {
            identity: Identity {
                program: "0.1.0 (build 7)".to_string(),
                model: 77,
                options: vec![
                    ("--por".to_string(), "inside".to_string()),
                    ("-D".to_string(), "A=\"x\ny\\\" é".to_string()),
                    ("-U".to_string(), String::new()),
                ],
                properties: vec![("assertions".to_string(), 1), ("[] (p -> <> q)".to_string(), u64::MAX)],
            },
            files: vec![KeptFile { property: 1, name: "property-1.4".to_string(), length: 9, sum: 3 }],
        }
    }

    #[test]
    fn what_is_printed_is_parsed() {
        assert_eq!(Manifest::parse(manifest().print().as_bytes()), Ok(manifest()));
    }

    #[test]
    fn every_changed_byte_shows() {
        let text = manifest().print().into_bytes();
        for place in 0..text.len() {
            for bit in 0..8 {
                let mut changed = text.clone();
                changed[place] ^= 1 << bit;
                assert!(Manifest::parse(&changed).is_err(), "bit {bit} of byte {place}");
            }
            assert!(Manifest::parse(&text[..place]).is_err(), "{place} bytes");
        }
        assert_eq!(Manifest::parse(b"probity checkpoint 2\nsum 0\n"), Err(Unusable::Version));
    }

    #[test]
    fn differences_are_named() {
        let (there, mut here) = (manifest().identity, manifest().identity);
        assert_eq!(there.difference(&here), None);
        here.properties.pop();
        assert!(matches!(there.difference(&here), Some(Difference::Property { here: None, .. })));
        here.model = 1;
        assert_eq!(there.difference(&here), Some(Difference::Model));
        here.options[0].1 = "off".to_string();
        assert!(matches!(there.difference(&here), Some(Difference::Option { name, .. }) if name == "--por"));
        here.program.push('1');
        assert_eq!(there.difference(&here), Some(Difference::Program));
    }
}
