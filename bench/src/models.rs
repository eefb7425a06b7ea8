//! Which models are measured, and where they are found.

use std::path::{Path, PathBuf};

use crate::arguments::Arguments;

/// A model of the benchmark.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    path: PathBuf,
    /// A definition that is changed before use.
    define: Option<Definition>,
}

/// A name and a new text.
type Definition = (&'static str, &'static str);

/// SPIN's models, by their place below `Examples`.
const OF_SPIN: [(&str, &str, Option<Definition>); 12] = [
    ("leader0", "leader0.pml", None),
    ("leader", "LTL/leader.pml", None),
    ("petersonN, N = 4", "LTL/petersonN.pml", Some(("N", "4"))),
    ("pftp", "LTL/pftp.pml", None),
    ("snoopy", "snoopy.pml", None),
    ("sort", "sort.pml", None),
    ("cambridge", "cambridge.pml", None),
    ("dtp", "dtp.pml", None),
    ("hajek", "hajek.pml", None),
    ("mobile1", "LTL/mobile1.pml", None),
    ("mobile2", "LTL/mobile2.pml", None),
    ("train", "LTL/train.pml", None),
];

impl Model {
    /// The text, with its definition changed where one is to be.
    pub(crate) fn text(&self) -> Result<String, String> {
        let bytes = std::fs::read(&self.path)
            .map_err(|error| format!("cannot read {}: {error}", self.path.display()))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match self.define {
            Some((name, value)) => redefine(&text, name, value)
                .ok_or_else(|| format!("{} has no `#define {name}`", self.path.display())),
            None => Ok(text),
        }
    }

    /// Files that the model may include: those beside it.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.path.parent()
    }
}

/// The text with the first definition of a macro changed.
pub(crate) fn redefine(text: &str, name: &str, value: &str) -> Option<String> {
    let mut found = false;
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().take(2).collect();
        if !found && words == ["#define", name] {
            found = true;
            lines.push(format!("#define {name} {value}"));
        } else {
            lines.push(line.to_string());
        }
    }
    lines.push(String::new());
    found.then(|| lines.join("\n"))
}

/// The models asked for that exist; those that do not are an error where they were named.
pub(crate) fn select(arguments: &Arguments) -> Result<Vec<Model>, String> {
    let given = &arguments.spin_examples;
    let inner = given.join("Examples");
    let examples = if inner.is_dir() { inner } else { given.clone() };
    if !examples.is_dir() {
        return Err(format!("{} is no folder", given.display()));
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut all: Vec<Model> = OF_SPIN
        .into_iter()
        .map(|(name, path, define)| Model { name, path: examples.join(path), define })
        .collect();
    all.push(Model { name: "mulog_3", path: here.join("mulog_3.pml"), define: None });

    let is_wanted = |model: &Model| {
        let short = model.name.split(',').next().unwrap_or(model.name);
        arguments.models.is_empty() || arguments.models.iter().any(|wanted| wanted == short)
    };
    for wanted in &arguments.models {
        if !all.iter().any(|model| model.name.split(',').next() == Some(wanted)) {
            return Err(format!("there is no model `{wanted}`"));
        }
    }
    let (found, absent): (Vec<Model>, Vec<Model>) =
        all.into_iter().filter(is_wanted).partition(|model| model.path.is_file());
    if !absent.is_empty() {
        let names: Vec<&str> = absent.iter().map(|model| model.name).collect();
        let sentence = format!("not found below {}: {}", examples.display(), names.join(", "));
        if found.is_empty() || !arguments.models.is_empty() {
            return Err(sentence);
        }
        eprintln!("bench: {sentence}");
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_definition_is_changed() {
        let text = "#define N\t5 /* five */\n#define NN 7\n#define N 6\n";
        assert_eq!(redefine(text, "N", "4").as_deref(), Some("#define N 4\n#define NN 7\n#define N 6\n"));
        assert_eq!(redefine(text, "M", "4"), None);
    }
}
