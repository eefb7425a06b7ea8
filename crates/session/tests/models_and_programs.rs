//! A language whose files hold models and programs, under one extension: `check` asks for the one, `verify` for the
//! other. The models have options that no other language has.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{
    Answer, AtomId, Contents, FormulaId, LanguageOption, LoadedModel, Ltl, ModelLanguage, Property,
    SearchOptions, Simulation, Unstarted, Vocabulary,
};
use session::{
    CheckListener, Checked, Failure, Features, LoadOptions, LoadedProgram, ProgramOptions, Registry, UseOf,
    VerifyListener, VerifyRequest,
};
use silver::port::{Loaded, ProofLanguage, Rejected, Silver};
use source::{Diagnostic, Loader, SourceMap, Span};
use verdict::{Observer, Progress, ProofObserver, ProofReport, PropertyReport, Verdict};

/// Names of processes that are right, one on each line. As a program, the text is Silver in comments behind `//@`.
struct Toy;

const OPTIONS: &[LanguageOption] = &[LanguageOption { name: "process", value: "NAME", help: "Which one" }];

impl ModelLanguage for Toy {
    fn options(&self) -> &'static [LanguageOption] {
        OPTIONS
    }

    fn load(
        &self,
        name: &str,
        loader: &dyn Loader,
        options: &LoadOptions,
        map: &mut SourceMap,
    ) -> (Option<Box<dyn LoadedModel>>, Vec<Diagnostic>) {
        let text = loader.load(name).unwrap_or_default();
        let file = map.add(name, text.clone());
        let wanted: Vec<&str> = options.own_values("process").collect();
        if wanted.is_empty() {
            let message = "say which process with --process";
            return (None, vec![Diagnostic::error("toy.process", Span::new(file, 0, 0), message)]);
        }
        let is_right = wanted.iter().all(|name| text.lines().any(|line| line == *name));
        (Some(Box::new(Right(is_right))), Vec::new())
    }
}

/// A model whose only property is whether it is right.
struct Right(bool);

impl Vocabulary for Right {
    fn contents(&self) -> Contents {
        Contents::default()
    }

    fn read_formula(&mut self, _: &str, _: &mut SourceMap) -> Result<FormulaId, Vec<Diagnostic>> {
        Err(Vec::new())
    }

    fn read_atom(&mut self, _: &str) -> Option<AtomId> {
        None
    }

    fn formula(&self, _: FormulaId) -> &Ltl {
        unreachable!("there are no formulas")
    }

    fn show_atom(&self, _: AtomId) -> String {
        String::new()
    }
}

impl LoadedModel for Right {
    fn vocabulary(&self) -> &dyn Vocabulary {
        self
    }

    fn vocabulary_mut(&mut self) -> &mut dyn Vocabulary {
        self
    }

    fn check(
        &self,
        _: &SourceMap,
        property: &Property,
        _: &SearchOptions,
        _: &mut dyn Observer,
    ) -> model::Checked {
        let mut answer = Answer::unknown(property, String::new());
        for PropertyReport { verdict, .. } in &mut answer.reports {
            *verdict = if self.0 { Verdict::Holds } else { Verdict::Violated };
        }
        Ok(answer)
    }

    fn simulate<'m>(&'m self, _: &'m SourceMap) -> Result<Box<dyn Simulation + 'm>, Unstarted> {
        Err(Unstarted::NoInitialState("there are no states".to_string()))
    }
}

impl ProofLanguage for Toy {
    fn features(&self) -> Features {
        Features { joins_texts: false, is_lowered: true, has_dialects: false }
    }

    fn reads(&self, text: &str) -> bool {
        text.contains("//@")
    }

    fn load(
        &self,
        names: &[String],
        loader: &dyn Loader,
        options: &ProgramOptions,
    ) -> Result<Loaded, Rejected> {
        let text = loader.load(&names[0]).map_err(Rejected::message)?;
        let silver: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("//@")).collect();
        let mut sources = SourceMap::default();
        let file = sources.add("toy", silver.join("\n"));
        let resolved = silver::resolve(&mut sources, file, loader, &options.silver());
        match resolved.program {
            Some(program) => {
                Ok(Loaded { sources, program, warnings: resolved.diagnostics, translation: Box::new(Silver) })
            }
            None => Err(Rejected { sources, diagnostics: resolved.diagnostics, message: None }),
        }
    }

    fn print(&self, names: &[String], loader: &dyn Loader, _: &ProgramOptions) -> Result<String, Rejected> {
        loader.load(&names[0]).map(|text| text.to_string()).map_err(Rejected::message)
    }
}

fn registry() -> Registry {
    Registry::standard().with_models_and_programs(&["toy"], "a toy", &Toy, &Toy)
}

/// A file with a process `P` and two methods, the second of which is wrong.
fn file(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("probity-{}-{name}.toy", std::process::id()));
    let text = "P\n//@method right() { assert 1 < 2 }\n//@method wrong() { assert 2 < 1 }\n";
    assert!(std::fs::write(&path, text).is_ok());
    path
}

/// What a run told, as words.
#[derive(Default)]
struct Told(Vec<String>);

impl Observer for Told {
    fn observe(&mut self, _: &Progress) {}
}

impl CheckListener for Told {
    fn checked(&mut self, _: &Path, result: &Result<Checked, Failure>) {
        self.0.push(match result {
            Ok(checked) => checked.report.verdict.word().to_string(),
            Err(failure) => {
                let messages = failure.diagnostics.iter().map(|it| it.message.clone());
                messages.chain(failure.message.clone()).collect::<Vec<_>>().join("; ")
            }
        });
    }
}

impl VerifyListener for Told {
    fn rejected(&mut self, failure: &Failure) {
        self.0.push(failure.message.clone().unwrap_or_default());
    }

    fn read(&mut self, program: &LoadedProgram) {
        self.0.push(format!("{} members", program.translation.members(program_context(program)).len()));
    }

    fn during(&mut self, _: &LoadedProgram, _: usize, prove: &mut dyn FnMut(&dyn ProofObserver)) {
        prove(&verdict::Silent);
    }

    fn proved(&mut self, _: &LoadedProgram, report: &ProofReport, _: Duration) {
        let words = report.members.iter().map(|it| format!("{} {}", it.name, it.verdict.word()));
        self.0.extend(words);
    }
}

fn program_context(program: &LoadedProgram) -> silver::port::Context<'_> {
    silver::port::Context { program: &program.program, sources: &program.sources }
}

fn check(path: &Path, own: &[(&str, &str)]) -> (Vec<String>, Option<Verdict>) {
    let mut told = Told::default();
    let own = own.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let options = session::CheckOptions {
        load: LoadOptions { own, ..LoadOptions::default() },
        ..session::CheckOptions::default()
    };
    let checked = session::check_files(&registry(), &[path.to_path_buf()], &options, &mut told);
    (told.0, checked.verdict())
}

#[test]
fn each_command_asks_its_language() {
    let kind = registry().kind(Path::new("a.toy")).expect("the extension is known");
    assert_eq!(kind.uses, [UseOf::Programs, UseOf::Models]);
    assert!(kind.is_for(UseOf::Models) && kind.is_for(UseOf::Programs));
    let path = file("both");
    assert_eq!(check(&path, &[("process", "P")]), (vec!["holds".to_string()], Some(Verdict::Holds)));
    let mut told = Told::default();
    let request = VerifyRequest { files: vec![path.clone()], ..VerifyRequest::default() };
    let proved = session::verify_files(&registry(), &request, &mut told);
    let _ = std::fs::remove_file(&path);
    assert_eq!(told.0, ["2 members", "right holds", "wrong violated"]);
    assert_eq!(proved.verdict(), Some(Verdict::Violated));
}

#[test]
fn a_language_is_given_its_own_options() {
    let path = file("options");
    let (told, verdict) = check(&path, &[("process", "P"), ("process", "Q")]);
    assert_eq!((told, verdict), (vec!["violated".to_string()], Some(Verdict::Violated)));
    let (told, verdict) = check(&path, &[]);
    assert_eq!((told, verdict), (vec!["say which process with --process".to_string()], None));
    let (told, verdict) = check(&path, &[("range", "1")]);
    let sentence = format!("--range says nothing about {}: its language has no such option", path.display());
    let _ = std::fs::remove_file(&path);
    assert_eq!((told, verdict), (vec![sentence], None));
}

/// Options of one language are not passed on to another in silence.
#[test]
fn other_languages_refuse_them() {
    let path = std::env::temp_dir().join(format!("probity-{}-other.pml", std::process::id()));
    assert!(std::fs::write(&path, "active proctype p() { skip }").is_ok());
    let (told, verdict) = check(&path, &[("process", "P")]);
    let _ = std::fs::remove_file(&path);
    assert!(told[0].starts_with("--process says nothing about"), "{told:?}");
    assert_eq!(verdict, None);
}

/// A file that cannot be read leaves the question open, and the others are looked at all the same.
#[test]
fn all_files_are_looked_at() {
    let path = file("several");
    let mut told = Told::default();
    let request = VerifyRequest {
        files: vec!["no/such.toy".into(), path.clone()],
        members: vec!["right".to_string()],
        ..VerifyRequest::default()
    };
    let proved = session::verify_files(&registry(), &request, &mut told);
    assert_eq!((proved.rejected, proved.verdict()), (1, None));
    assert_eq!(told.0.len(), 3, "{:?}", told.0);
    assert_eq!(told.0[2], "right holds");
    let mut told = Told::default();
    let request = VerifyRequest {
        files: vec![path.clone()],
        members: vec!["rigth".to_string()],
        ..VerifyRequest::default()
    };
    let proved = session::verify_files(&registry(), &request, &mut told);
    let _ = std::fs::remove_file(&path);
    assert!(!proved.is_begun);
    assert_eq!(told.0, ["2 members", "there is no member `rigth`; did you mean `right`?"]);
}
