//! A language whose programs are proved is one line of a registry: here one in which every line is a claim about integers.

use std::path::Path;

use session::{Features, ProgramOptions, ProgramText, Registry, UseOf, VerifyOptions};
use silver::port::{Loaded, ProofLanguage, Rejected, Silver, texts};
use source::{Loader, SourceMap, Texts};
use verdict::{Silent, Verdict};

/// `name: claim` on each line; a program may be several texts.
struct Claims;

impl Claims {
    /// The Silver that texts stand for: a method for each claim.
    fn silver(&self, names: &[String], loader: &dyn Loader) -> Result<String, Rejected> {
        let mut silver = String::new();
        for (_, text) in texts(names, loader)? {
            for line in text.lines() {
                let (name, claim) =
                    line.split_once(':').ok_or_else(|| Rejected::message(format!("`{line}` is no claim")))?;
                silver.push_str(&format!("method {name}() {{ assert {claim} }}\n"));
            }
        }
        Ok(silver)
    }
}

impl ProofLanguage for Claims {
    fn features(&self) -> Features {
        Features { joins_texts: true, is_lowered: true, has_dialects: false }
    }

    fn reads(&self, text: &str) -> bool {
        text.lines().all(|line| line.contains(':'))
    }

    fn load(
        &self,
        names: &[String],
        loader: &dyn Loader,
        options: &ProgramOptions,
    ) -> Result<Loaded, Rejected> {
        let silver = self.silver(names, loader)?;
        let mut sources = SourceMap::default();
        let file = sources.add("claims", silver);
        let resolved = silver::resolve(&mut sources, file, loader, &options.silver());
        match resolved.program {
            Some(program) => {
                Ok(Loaded { sources, program, warnings: resolved.diagnostics, translation: Box::new(Silver) })
            }
            None => Err(Rejected { sources, diagnostics: resolved.diagnostics, message: None }),
        }
    }

    fn print(&self, names: &[String], loader: &dyn Loader, _: &ProgramOptions) -> Result<String, Rejected> {
        self.silver(names, loader)
    }
}

fn registry() -> Registry {
    Registry::standard().with_programs(&["claims"], "a list of claims", &Claims)
}

fn text(name: &str, text: &str) -> ProgramText {
    let language = registry().program_language(Path::new(name)).expect("the name tells");
    ProgramText { name: name.to_string(), text: text.into(), language }
}

#[test]
fn a_line_of_the_registry_is_all_that_a_run_needs() {
    let kind = registry().kind(Path::new("a.Claims")).expect("the extension is known");
    assert_eq!((kind.description, kind.uses), ("a list of claims", &[UseOf::Programs][..]));
    let texts = [text("a.claims", "one: 1 < 2"), text("b.claims", "two: 2 < 1")];
    let loaded = session::load_program(&texts, &ProgramOptions::default());
    let loaded = loaded.unwrap_or_else(|failure| panic!("{:?} {:?}", failure.message, failure.diagnostics));
    assert_eq!(loaded.files, ["a.claims", "b.claims"]);
    let solver = session::find_solver(None).unwrap_or_else(|error| panic!("{error}"));
    let report = session::verify(&loaded, &VerifyOptions::new(solver), &Silent);
    let report = report.unwrap_or_else(|failure| panic!("{:?}", failure.message));
    let verdicts: Vec<_> =
        report.members.iter().map(|member| (member.name.as_str(), member.verdict.clone())).collect();
    assert_eq!(verdicts, [("one", Verdict::Holds), ("two", Verdict::Violated)]);
    let printed = session::print_program(&texts[..1], &ProgramOptions::default());
    assert_eq!(printed.ok().as_deref(), Some("method one() { assert  1 < 2 }\n"));
}

/// What is in memory hides what is on disk, for a language and for what it imports.
#[test]
fn a_program_can_be_read_from_memory_alone() {
    let memory = Texts::default()
        .with("in/a.vpr", "import \"../b.vpr\"\nmethod m() { assert f() > 0 }")
        .with("b.vpr", "import <lists/c.vpr>\nfunction f(): Int { g() }")
        .with("library/lists/c.vpr", "import \"d.vpr\"")
        .with("library/lists/d.vpr", "function g(): Int { 1 }");
    let options = ProgramOptions { folders: vec!["nowhere".into(), "library".into()], ..Default::default() };
    let loaded = Silver.load(&["in/a.vpr".to_string()], &memory, &options);
    let loaded = loaded.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics));
    let names: Vec<&str> = loaded.sources.files().map(|(_, file)| file.name.as_str()).collect();
    assert_eq!(names, ["in/a.vpr", "b.vpr", "library/lists/c.vpr", "library/lists/d.vpr"]);
    let missing = Silver.load(&["in/c.vpr".to_string()], &memory, &options).err().and_then(|it| it.message);
    assert_eq!(missing.as_deref(), Some("cannot read in/c.vpr: no files can be imported here"));
    assert_eq!(loaded.warnings, []);
}
