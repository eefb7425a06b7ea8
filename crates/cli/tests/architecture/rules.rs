//! What `ARCHITECTURE.md` says that each room may do. Every rule is tried on code that breaks it, too.

use super::code::{File, Keep, code, files, find, lines_with, room_names};

/// How files are looked at, opened and written.
const FILE_ACCESS: &[&str] = &[
    "std::fs",
    "fs::",
    "File::",
    "OpenOptions",
    "read_to_string(",
    "read_dir(",
    "canonicalize(",
    ".is_file(",
    ".is_dir(",
    ".exists(",
    ".try_exists(",
    ".metadata(",
];

#[test]
fn only_the_session_opens_files() {
    let mut found = Vec::new();
    for room in room_names().iter().filter(|room| *room != "session") {
        found.extend(find(&files(room), Keep::Code, FILE_ACCESS));
    }
    assert!(found.is_empty(), "files are opened outside of `session`:\n{}", found.join("\n"));
    assert!(!find(&files("session"), Keep::Code, FILE_ACCESS).is_empty(), "the words find nothing");
}

/// How something is printed.
const PRINTING: &[&str] = &["print!", "println!", "eprint!", "eprintln!", "dbg!", "stdout()", "stderr()"];

#[test]
fn only_the_command_line_prints() {
    let mut found = Vec::new();
    for room in room_names().iter().filter(|room| *room != "cli") {
        found.extend(find(&files(room), Keep::Code, PRINTING));
    }
    assert!(found.is_empty(), "something is printed outside of `cli`:\n{}", found.join("\n"));
    assert!(!find(&files("cli"), Keep::Code, PRINTING).is_empty(), "the words find nothing");
}

/// Languages, their tools and their files, as text and code would name them. What is proved is a Silver program whatever
/// the language, so `session` uses the crate `silver`, and comments may say so.
const LANGUAGES: &[&str] =
    &["promela", "pml", "prom", "pvl", "vpr", "sil", "spin", "viper", "vercors", "tokens"];

/// The one file that names them.
const REGISTRY: &str = "session/src/registry.rs";

/// Words of options that only make sense for one language, and of notations for formulas.
const OPTIONS: &[(&str, &str)] = &[
    ("cli/src/arguments.rs", "/// A SPIN never claim"),
    ("cli/src/arguments.rs", "/// SPIN's operators; binary"),
    ("cli/src/arguments.rs", "    Spin,"),
    ("cli/src/arguments.rs", "default_value = \"spin\""),
    ("cli/src/ltl.rs", "DialectName::Spin => Dialect::Spin"),
    ("model/src/formula.rs", "Dialect::Spin);"),
    ("cli/src/print.rs", "arguments.silver"),
    ("cli/src/print.rs", "--silver is about PVL programs"),
    ("cli/src/verify_arguments.rs", "/// All PVL files are one program"),
    ("cli/src/verify_arguments.rs", "/// Look for the files of Silver's `import <…>`"),
    ("cli/src/verify_arguments.rs", "/// Which VerCors a PVL program is written for"),
    ("cli/src/verify_arguments.rs", "--dialect is about PVL programs"),
    (
        "cli/src/verify_arguments.rs",
        "/// Print the Silver that a PVL program is put into, which is the default for PVL",
    ),
    ("cli/src/verify_arguments.rs", "pub(crate) silver: bool"),
];

/// Where a file names a language.
fn languages_named(file: &File) -> Vec<String> {
    let mut text = file.text.clone();
    for (_, words) in OPTIONS.iter().filter(|(name, _)| *name == file.name) {
        text = text.replace(words, "");
    }
    let lowered = |keep| code(&text, keep).to_lowercase().replace('_', " ");
    let mut found = lines_with(&lowered(Keep::All), LANGUAGES);
    // `Silver` in a string or in the name of something is the language; `silver` in `session` is the crate.
    let strings = code(&text, Keep::Strings);
    found.extend(lines_with(&strings, &["Silver"]));
    if !file.name.starts_with("session/") {
        found.extend(lines_with(&strings.replace('_', " "), &["silver"]));
    }
    found.into_iter().map(|(line, word)| format!("{}:{line}: {word}", file.name)).collect()
}

#[test]
fn only_the_registry_names_languages() {
    let rooms = ["session", "report", "cli", "model"];
    let all: Vec<File> = rooms.into_iter().flat_map(files).collect();
    let others = all.iter().filter(|file| file.name != REGISTRY);
    let found: Vec<String> = others.flat_map(languages_named).collect();
    assert!(found.is_empty(), "languages are named outside of the registry:\n{}", found.join("\n"));
    for (name, words) in OPTIONS {
        let is_there = all.iter().any(|file| file.name == *name && file.text.contains(words));
        assert!(is_there, "{name} no longer says `{words}`");
    }
    let registry = all.iter().find(|file| file.name == REGISTRY).expect("there is a registry");
    assert!(languages_named(registry).len() > 3, "the words find nothing");
}

#[test]
fn names_of_languages_are_found() {
    let named = |name: &str, text: &str| {
        languages_named(&File { name: name.to_string(), text: text.to_string() }).len()
    };
    assert_eq!(named("session/src/a.rs", "use pvl::port::Pvl;"), 1);
    assert_eq!(named("session/src/a.rs", "/// As in SPIN."), 1);
    assert_eq!(named("session/src/a.rs", "fn pvl_failures() {}"), 1);
    assert_eq!(named("session/src/a.rs", "match extension { \"vpr\" => 1 }"), 1);
    assert_eq!(named("session/src/a.rs", "Box::new(silver::port::Silver)"), 1);
    assert_eq!(named("report/src/a.rs", "let text = \"a Silver program\";"), 1);
    assert_eq!(named("report/src/a.rs", "use silver::typed::Program;"), 1);
    assert_eq!(named("cli/src/print.rs", "if arguments.silver {} if text.is_silver {}"), 1);
    assert_eq!(named("session/src/a.rs", "// The Silver that is proved.\nuse silver::port::Context;"), 0);
    assert_eq!(named("session/src/a.rs", "#[cfg(test)]\nmod tests { use pvl::port::Pvl; }"), 0);
}

/// How texts are taken apart, and how decisions are made on parts of them. `replace` of an option or a cell has no text
/// as its first argument.
const SURGERY: &[&str] = &[
    ".contains(\"",
    ".contains('",
    ".contains([",
    ".contains(&format!",
    ".starts_with(",
    ".ends_with(",
    ".strip_prefix(",
    ".strip_suffix(",
    ".split(",
    ".split_once(",
    ".split_inclusive(",
    ".rsplit(",
    ".rsplit_once(",
    ".splitn(",
    ".rsplitn(",
    ".split_terminator(",
    ".split_whitespace(",
    ".split_ascii_whitespace(",
    ".find(\"",
    ".find('",
    ".find([",
    ".find(char",
    ".rfind(",
    ".replace(\"",
    ".replace('",
    ".replace([",
    ".replace(&",
    ".replace(char",
    ".replacen(",
    ".trim_matches(",
    ".trim_start_matches(",
    ".trim_end_matches(",
    ".match_indices(",
    "Regex",
];

/// The rooms and parts of rooms that know what failed, what was found and what is asked for as data. Parsers are not among
/// them: `syntax` and `resolve` of the languages, and what reads the answers of solvers, formulas and automata.
const DATA: &[&str] = &[
    "verdict/src/",
    "transition/src/",
    "search/src/",
    "session/src/",
    "report/src/",
    "cli/src/",
    "model/src/",
    "evidence/src/",
    "symbolic/src/",
    "silver/src/port/",
    "pvl/src/port/",
    "pvl/src/lower/",
    "pvl/src/models/",
    "promela/src/lower/",
];

/// Files whose business texts are, which are neither messages nor sources, or which only cut what is shown.
const TEXTS: &[(&str, &str)] = &[
    ("cli/src/arguments.rs", "sizes as they are typed"),
    ("cli/src/ask.rs", "a place as it is typed"),
    ("cli/src/conversation.rs", "commands as they are typed"),
    ("cli/src/files.rs", "options as they are typed"),
    ("cli/src/shell.rs", "words for a shell"),
    ("model/src/processes/transitions.rs", "quotation marks that would end a label of the file"),
    ("pvl/src/lower/expressions.rs", "the digits of a number"),
    ("pvl/src/lower/names.rs", "identifiers that are made, not read"),
    ("pvl/src/lower/origin.rs", "comments in its own templates"),
    ("pvl/src/lower/prelude/holes.rs", "holes in its own templates"),
    ("pvl/src/lower/prelude/mod.rs", "variables of its own templates"),
    ("report/src/chart.rs", "characters that SVG has another meaning for"),
    ("session/src/ask.rs", "the line that somebody has named"),
    ("session/src/checkpoint.rs", "the name of a file that must not be a path"),
    ("session/src/checkpoint/folder.rs", "names of files that it has written itself"),
    ("session/src/checkpoint/manifest.rs", "a file that it has written itself"),
    ("session/src/files.rs", "the name of a file from a path"),
    ("session/src/history.rs", "a file that it has written itself"),
    ("session/src/memory.rs", "a file of the system"),
    ("session/src/near_names.rs", "names that somebody has typed"),
    ("session/src/processor.rs", "a file of the system"),
    ("session/src/selection.rs", "a list of formulas, one on each line"),
];

/// What is wrong with the files of rooms that are not to take texts apart.
fn taken_apart(files: &[File]) -> Vec<String> {
    let is_data = |file: &&File| DATA.iter().any(|part| file.name.starts_with(part));
    let is_known = |file: &&File| TEXTS.iter().any(|(name, _)| *name == file.name);
    files
        .iter()
        .filter(|file| is_data(file) && !is_known(file))
        .flat_map(|file| find(std::slice::from_ref(file), Keep::Strings, SURGERY))
        .collect()
}

#[test]
fn nobody_takes_messages_apart() {
    let rooms = ["verdict", "transition", "search", "session", "report", "cli", "model", "evidence"];
    let rooms = rooms.into_iter().chain(["symbolic", "silver", "pvl", "promela"]);
    let all: Vec<File> = rooms.flat_map(files).collect();
    for part in DATA {
        assert!(all.iter().any(|file| file.name.starts_with(part)), "there is no {part}");
    }
    let found = taken_apart(&all);
    assert!(found.is_empty(), "texts are taken apart:\n{}", found.join("\n"));
    for (name, what) in TEXTS {
        let file = all.iter().find(|file| file.name == *name);
        let file = file.unwrap_or_else(|| panic!("there is no {name}"));
        let found = find(std::slice::from_ref(file), Keep::Strings, SURGERY);
        assert!(!found.is_empty(), "{name} needs no leave for {what}");
    }
}

/// Each of these was once done in one of the rooms.
#[test]
fn texts_that_are_taken_apart_are_found() {
    let found = |name: &str, text: &str| {
        taken_apart(&[File { name: name.to_string(), text: text.to_string() }]).len()
    };
    let session = "session/src/a.rs";
    assert_eq!(found(session, "if failure.code.contains(\"not.wellformed:\") {}"), 1);
    assert_eq!(found("report/src/a.rs", "let end = text.find(['\\n', '{']);"), 1);
    assert_eq!(found("symbolic/src/counterexample/a.rs", "name.strip_prefix(\"$map.lookup<field \")"), 1);
    assert_eq!(found("pvl/src/port/a.rs", "count.name.starts_with('$')"), 1);
    assert_eq!(found("pvl/src/lower/values/a.rs", "function.replacen(\"left_\", \"right_\", 1)"), 1);
    assert_eq!(found("evidence/src/a.rs", "text.replace(&format!(\"{{{name}}}\"), name)"), 1);
    assert_eq!(found("silver/src/port/a.rs", "message.split_once(\": \")"), 1);
    assert_eq!(found("model/src/a.rs", "name.trim_end_matches('>')"), 1);
    assert_eq!(found(session, "let before = self.cell.replace(value); // text.split(',')"), 0);
    assert_eq!(found("silver/src/syntax/a.rs", "text.split('\\n')"), 0);
}

/// The modules that may have `unsafe` code.
const UNSAFE: &[&str] = &[
    "store/src/concurrent/array.rs",
    "store/src/concurrent/index.rs",
    "store/src/concurrent/line.rs",
    "store/src/concurrent/memory.rs",
    "store/src/concurrent/pages.rs",
    "store/src/concurrent/side.rs",
    "store/src/concurrent/words.rs",
    "transition/src/compiled/jit.rs",
];

/// What is wrong with the code of a room that is not to be `unsafe`.
fn unsafety(room: &str, files: &[File]) -> Vec<String> {
    let may = UNSAFE.iter().any(|module| module.starts_with(&format!("{room}/")));
    let attribute = if may { "#![deny(unsafe_code)]" } else { "#![forbid(unsafe_code)]" };
    let roots = [format!("{room}/src/lib.rs"), format!("{room}/src/main.rs")];
    let mut wrong = Vec::new();
    for file in files {
        let bare = code(&file.text, Keep::Code);
        if roots.contains(&file.name) && !bare.contains(attribute) {
            wrong.push(format!("{} lacks {attribute}", file.name));
        }
        let is_named = UNSAFE.contains(&file.name.as_str());
        let found = lines_with(&bare, &["unsafe", "allow(unsafe_code"]);
        if is_named && found.is_empty() {
            wrong.push(format!("{} needs no leave", file.name));
        }
        let found = found.into_iter().filter(|_| !is_named);
        wrong.extend(found.map(|(line, word)| format!("{}:{line}: {word}", file.name)));
    }
    wrong
}

#[test]
fn unsafe_code_is_at_home_in_two_modules() {
    let rooms = room_names();
    let wrong: Vec<String> = rooms.iter().flat_map(|room| unsafety(room, &files(room))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let file = |name: &str, text: &str| File { name: name.to_string(), text: text.to_string() };
    assert_eq!(unsafety("silver", &[file("silver/src/lib.rs", "mod a;")]).len(), 1);
    assert_eq!(unsafety("store", &[file("store/src/lib.rs", "// #![deny(unsafe_code)]")]).len(), 1);
    assert_eq!(unsafety("store", &[file("store/src/tree.rs", "unsafe { f() }")]).len(), 1);
    assert_eq!(unsafety("store", &[file("store/src/tree.rs", "#[allow(unsafe_code)]")]).len(), 1);
}

/// The seams: every public item of these crates and modules is documented, which the compiler holds.
const SEAMS: &[&str] =
    &["source/src/lib.rs", "model/src/lib.rs", "silver/src/port/mod.rs", "search/src/product.rs"];

#[test]
fn seams_are_documented() {
    for seam in SEAMS {
        let room = seam.split('/').next().unwrap_or_default();
        let files = files(room);
        let file = files.iter().find(|file| file.name == *seam);
        let file = file.unwrap_or_else(|| panic!("there is no {seam}"));
        let bare = code(&file.text, Keep::Code);
        assert!(bare.contains("#![deny(missing_docs)]"), "{seam} lacks #![deny(missing_docs)]");
    }
}
