//! Reading PVL: several files are one program, which is lowered into Silver; reports are put back into terms of PVL.

use std::sync::Arc;

use pvl::lower::{LoweredMember, Origins, Spelling};
use pvl::syntax::tree::{Dialect, Expectation, Program};
use source::{Diagnostic, SourceMap, Span};
use verdict::{
    Failure as ProofFailure, MemberKind, MemberReport, Obligation, ProofReport, QuantifierCount, Reason,
    Verdict,
};

use crate::check::Failure;
use crate::programs::ProgramText;
use crate::verify::LoadedProgram;

/// What is needed to speak about a lowered program in terms of PVL.
#[derive(Debug)]
pub struct Translation {
    pub(crate) origins: Origins,
    pub(crate) spelling: Spelling,
    pub(crate) members: Vec<LoweredMember>,
    pub(crate) expectations: Vec<Expectation>,
    /// What the program takes for granted.
    pub(crate) trusted: Vec<pvl::resolve::Trusted>,
    /// Whether places are looked for that no execution reaches.
    pub(crate) smoke: bool,
}

/// Parses, resolves and lowers texts with their names that together form one program.
pub fn load_pvl_texts(
    texts: Vec<(String, Arc<str>)>,
    dialect: Dialect,
    options: &silver::Options,
) -> Result<LoadedProgram, Failure> {
    let mut sources = SourceMap::default();
    let files: Vec<String> = texts.iter().map(|(name, _)| name.clone()).collect();
    let name = files.first().cloned().unwrap_or_default();
    let Lowered { lowered, expectations, trusted, diagnostics: mut warnings } =
        match lower(&mut sources, texts, dialect) {
            Ok(lowered) => lowered,
            Err(diagnostics) => return Err(Failure { sources, diagnostics, message: None }),
        };
    let resolved = silver::resolve_tree(&mut sources, lowered.program, options);
    let origins = lowered.origins;
    let diagnostics = resolved.diagnostics.into_iter().map(|diagnostic| translate(diagnostic, &origins));
    warnings.extend(diagnostics);
    match resolved.program {
        Some(program) => {
            let (spelling, members) = (lowered.spelling, lowered.members);
            let translation = Translation {
                origins,
                spelling,
                members,
                expectations,
                trusted,
                smoke: options.smoke_detection,
            };
            Ok(LoadedProgram { name, files, sources, program, warnings, translation: Some(translation) })
        }
        None => {
            // What is inconsistent was so in the program; types are the lowering's business.
            let is_ours = |it: &Diagnostic| it.is_error() && it.code != silver::codes::CONSISTENCY;
            let message = "the program could not be put into Silver; please report it with this input";
            let message = warnings.iter().any(is_ours).then(|| message.to_string());
            Err(Failure { sources, diagnostics: warnings, message })
        }
    }
}

struct Lowered {
    lowered: pvl::lower::Lowered,
    expectations: Vec<Expectation>,
    trusted: Vec<pvl::resolve::Trusted>,
    diagnostics: Vec<Diagnostic>,
}

/// From texts to Silver; the errors if there are any.
fn lower(
    sources: &mut SourceMap,
    texts: Vec<(String, Arc<str>)>,
    dialect: Dialect,
) -> Result<Lowered, Vec<Diagnostic>> {
    let mut program = Program { dialect, ..Program::default() };
    let mut diagnostics = Vec::new();
    for (name, text) in texts {
        let file = sources.add(name, text);
        let (part, messages) =
            pvl::syntax::parse(file, &sources.file(file).text, pvl::syntax::Options { dialect });
        diagnostics.extend(messages);
        program.declarations.extend(part.declarations);
        program.expectations.extend(part.expectations);
    }
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    let (resolution, messages) = pvl::resolve::resolve(&program);
    diagnostics.extend(messages);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    let mut lowered = pvl::lower::lower(&resolution, sources);
    diagnostics.append(&mut lowered.diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    let trusted = pvl::resolve::trusted(&program, &resolution);
    Ok(Lowered { lowered, expectations: program.expectations, trusted, diagnostics })
}

/// The Silver that texts lower into.
pub fn print_lowered(texts: &[ProgramText], dialect: Dialect) -> Result<String, Failure> {
    let mut sources = SourceMap::default();
    let texts = texts.iter().map(|text| (text.name.clone(), text.text.clone())).collect();
    match lower(&mut sources, texts, dialect) {
        Ok(it) => Ok(silver::with_large_stack(|| silver::syntax::print(&it.lowered.program))),
        Err(diagnostics) => Err(Failure { sources, diagnostics, message: None }),
    }
}

fn translate(mut diagnostic: Diagnostic, origins: &Origins) -> Diagnostic {
    for label in &mut diagnostic.labels {
        label.span = origins.place(label.span);
    }
    diagnostic
}

impl Translation {
    /// The Silver members that stand for members of the PVL program.
    pub(crate) fn silver_names(&self, names: &[String]) -> Vec<String> {
        let wanted = |member: &&LoweredMember| {
            names.iter().any(|name| *name == member.name || member.name.ends_with(&format!(".{name}")))
        };
        self.members.iter().filter(wanted).map(|member| member.silver.to_string()).collect()
    }

    /// The Silver members that stand for these, and those that every member may rest on: resources that are kept.
    pub(crate) fn with_resources(&self, names: &[String]) -> Vec<String> {
        let mut silver = self.silver_names(names);
        let kept = self.members.iter().filter(|member| member.kind == "resource");
        silver.extend(kept.map(|member| member.silver.to_string()));
        silver
    }

    pub(crate) fn has_member(&self, name: &str) -> bool {
        !self.silver_names(&[name.to_string()]).is_empty()
    }

    /// Whether members have to be looked at beyond their first failures, because some of these may be none.
    pub(crate) fn looks_on(&self) -> bool {
        self.smoke || !self.expectations.is_empty()
    }

    /// Where a member of the Silver program is written, if it is.
    pub(crate) fn written(&self, silver: &str) -> Option<Span> {
        self.member(silver).map(|member| member.span)
    }

    /// What kind of member of the PVL program a member of the Silver program stands for.
    pub(crate) fn kind(&self, silver: &str) -> Option<MemberKind> {
        self.member(silver).and_then(|member| match member.kind {
            "function" => Some(MemberKind::Function),
            "predicate" => Some(MemberKind::Predicate),
            "method" => Some(MemberKind::Method),
            "constructor" => Some(MemberKind::Constructor),
            "run" => Some(MemberKind::Run),
            "lemma" => Some(MemberKind::Lemma),
            "lock invariant" => Some(MemberKind::LockInvariant),
            "contract" => Some(MemberKind::Contract),
            "resource" => Some(MemberKind::Resource),
            _ => None,
        })
    }

    pub(crate) fn member(&self, silver: &str) -> Option<&LoweredMember> {
        self.members.iter().find(|member| &*member.silver == silver)
    }

    /// The report about the PVL program.
    pub(crate) fn report(&self, report: ProofReport, sources: &SourceMap) -> ProofReport {
        let mut members: Vec<MemberReport> = Vec::new();
        for mut member in report.members {
            self.translate_failures(&mut member.failures, sources);
            // Looking for places that are not reached does not end a member, see `looks_on`.
            if self.smoke && member.verdict == Verdict::Violated && member.failures.is_empty() {
                member.verdict = Verdict::Holds;
            }
            if let Some(stuck) = &mut member.stuck {
                self.translate_obligation(stuck);
            }
            if let Verdict::Unknown(Reason::RestsOn(others)) = &mut member.verdict {
                self.translate_members(others);
            }
            for count in &mut member.profile {
                self.translate_count(count, sources);
            }
            match self.member(&member.name) {
                Some(known) => {
                    member.kind = self.kind(&member.name).unwrap_or(member.kind);
                    member.name = known.name.clone();
                    member.span = known.span;
                    // What the language itself checks stands nowhere in the program.
                    let is_elsewhere = |stuck: &&mut Obligation| stuck.span.file != known.span.file;
                    if let Some(stuck) = member.stuck.as_mut().filter(is_elsewhere) {
                        stuck.span = known.span;
                    }
                }
                // Nobody wrote it; it is of interest only if something is wrong with it.
                None if member.verdict == Verdict::Holds => continue,
                None => {
                    member.span = self.origins.place(member.span);
                    // It was made for a part of a member that somebody did write.
                    if let Some(around) = self.around(member.span) {
                        member.kind = self.kind(&around.silver).unwrap_or(member.kind);
                        member.name = around.name.clone();
                        member.span = around.span;
                    }
                }
            }
            let same = |other: &&mut MemberReport| {
                other.name == member.name && other.span == member.span && self.member_of(&other.name)
            };
            match members.iter_mut().find(same) {
                Some(other) => join(other, member),
                None => members.push(member),
            }
        }
        let mut report = ProofReport { members };
        for member in &mut report.members {
            remove_duplicates(&mut member.failures);
        }
        blame_resources(&mut report);
        self.apply_expectations(&mut report);
        // Whatever happened on the way: what is reported decides.
        for member in report.members.iter_mut().filter(|member| !member.failures.is_empty()) {
            member.verdict = Verdict::Violated;
        }
        report
    }

    /// The innermost member that is written around a place.
    fn around(&self, place: Span) -> Option<&LoweredMember> {
        let is_around = |member: &&LoweredMember| {
            let span = member.span;
            span.file == place.file && span.start <= place.start && place.end <= span.end
        };
        let around = self.members.iter().filter(is_around);
        around.min_by_key(|member| member.span.end - member.span.start)
    }

    /// Puts the names of members into terms of the program.
    fn translate_members(&self, members: &mut [(MemberKind, String)]) {
        for (kind, name) in members {
            if let Some(known) = self.member(name) {
                *kind = self.kind(name).unwrap_or(*kind);
                *name = known.name.clone();
            }
        }
    }

    /// Says in terms of the program what a quantifier is for.
    fn translate_count(&self, count: &mut QuantifierCount, sources: &SourceMap) {
        count.span = count.span.map(|span| self.origins.place(span));
        count.triggers.iter_mut().flatten().for_each(|span| *span = self.origins.place(*span));
        let prelude = count.span.map(|span| sources.file(span.file).name.as_str());
        let prelude =
            prelude.and_then(|name| name.strip_prefix('<')).map(|name| name.trim_end_matches(".vpr>"));
        if let Some(theory) = prelude {
            count.span = None;
            count.triggers.clear();
            count.name = format!("{}.{}", theory.split('_').next().unwrap_or(theory), last_word(&count.name));
            return;
        }
        if let Some((owner, _)) = count.name.split_once('.')
            && let Some(owner) = self.members.iter().find(|member| &*member.silver == owner)
        {
            count.name = format!("definition of `{}`", owner.name);
        } else if count.name.starts_with('$') || count.name.starts_with("qp-") {
            count.name = "permissions and values of many locations".to_string();
        } else if let Some(rest) = count.name.strip_prefix("multiset.") {
            count.name = format!("bag.{rest}");
        } else if let Some((sort, axiom)) = count.name.split_once("<>.") {
            count.name = format!("{sort}.{axiom}");
        }
    }

    fn member_of(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.name == name)
    }

    pub(crate) fn translate_obligation(&self, obligation: &mut Obligation) {
        let clause = obligation.clause.unwrap_or(obligation.span);
        if let Some(check) = self.origins.check(clause) {
            obligation.text = format!("the check that {check}");
            obligation.clause = None;
        } else if let Some(text) = self.origins.obligation(obligation.construct, clause) {
            obligation.text = text.to_string();
        }
        obligation.construct = self.origins.statement_place(obligation.construct);
        obligation.span = self.origins.statement_place(obligation.span);
        obligation.clause = obligation.clause.map(|clause| self.origins.place(clause));
    }

    /// The innermost expectation that a failure meets.
    pub(crate) fn expected(&self, failure: &ProofFailure) -> Option<usize> {
        let fits = |(_, expectation): &(usize, &Expectation)| {
            *expectation.code == *failure.code && expectation.contains(failure.span)
        };
        let fitting = self.expectations.iter().enumerate().filter(fits);
        let innermost = fitting.min_by_key(|(_, expectation)| expectation.span.end - expectation.span.start);
        innermost.map(|(index, _)| index)
    }

    /// Whether nobody can tell what fails at a place: its member was not asked for, or its verdict is unknown.
    fn is_undecided(&self, report: &ProofReport, place: Span) -> bool {
        let mut reported = report.members.iter().filter(|member| touches(place, member.span)).peekable();
        match reported.peek() {
            Some(_) => reported.any(|member| matches!(member.verdict, Verdict::Unknown(_))),
            None => self.members.iter().any(|member| touches(place, member.span)),
        }
    }

    /// A failure that is expected is none; an expectation that is not met exactly once is one.
    fn apply_expectations(&self, report: &mut ProofReport) {
        let mut met = vec![0_usize; self.expectations.len()];
        for member in &mut report.members {
            member.failures.retain(|failure| match self.expected(failure) {
                Some(index) => {
                    met[index] += 1;
                    false
                }
                None => true,
            });
            if member.verdict == Verdict::Violated && member.failures.is_empty() {
                member.verdict = Verdict::Holds;
            }
        }
        for (expectation, met) in self.expectations.iter().zip(met) {
            let (code, message) = match met {
                1 => continue,
                0 if self.is_undecided(report, expectation.span) => continue,
                0 => (
                    "notTripped",
                    format!("a failure `{}` is expected here, but there is none", expectation.code),
                ),
                _ => (
                    "trippedTwice",
                    format!(
                        "the failure `{}` is expected here once, but occurs more often",
                        expectation.code
                    ),
                ),
            };
            let failure = ProofFailure {
                code: code.to_string(),
                span: expectation.opening,
                message,
                notes: Vec::new(),
                help: None,
                counterexample: None,
            };
            blame_member(report, expectation.span, failure);
        }
    }
}

/// Behind the last dot.
fn last_word(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

pub(crate) fn touches(place: Span, span: Span) -> bool {
    span.file == place.file && span.start < place.end && place.start < span.end
}

/// Adds a failure to the member around a place, or to a new one.
fn blame_member(report: &mut ProofReport, place: Span, failure: ProofFailure) {
    let position = report.members.iter().position(|member| touches(place, member.span));
    match position {
        Some(position) => {
            let member = &mut report.members[position];
            member.failures.push(failure);
            member.verdict = Verdict::Violated;
        }
        None => report.members.push(MemberReport {
            name: "expectation".to_string(),
            kind: MemberKind::Method,
            span: place,
            verdict: Verdict::Violated,
            failures: vec![failure],
            stuck: None,
            assumptions: Vec::new(),
            cost: Default::default(),
            profile: Vec::new(),
        }),
    }
}

fn join(whole: &mut MemberReport, part: MemberReport) {
    whole.verdict = whole.verdict.clone().and(part.verdict);
    whole.failures.extend(part.failures);
    whole.stuck = whole.stuck.take().or(part.stuck);
    whole.profile.extend(part.profile);
    whole.cost.time += part.cost.time;
    whole.cost.solver_time += part.cost.solver_time;
    whole.cost.queries += part.cost.queries;
    whole.cost.resources += part.cost.resources;
    whole.cost.paths += part.cost.paths;
}

/// A resource that is kept and has no meaning has none wherever it is used; it is said once, where it is kept.
fn blame_resources(report: &mut ProofReport) {
    let kept = report.members.iter().filter(|member| member.kind == MemberKind::Resource);
    let failures = kept.flat_map(|member| &member.failures);
    let blamed: Vec<(String, Span)> = failures.map(|failure| (failure.code.clone(), failure.span)).collect();
    for member in report.members.iter_mut().filter(|member| member.kind != MemberKind::Resource) {
        let before = member.failures.len();
        member.failures.retain(|failure| {
            !blamed.iter().any(|(code, span)| *code == failure.code && *span == failure.span)
        });
        if member.failures.is_empty() && before > 0 {
            let sentence = "it rests on a resource that is kept and has no meaning".to_string();
            member.verdict = Verdict::Unknown(Reason::Unsupported(sentence));
        }
    }
}

/// The same failure can be found on several paths.
fn remove_duplicates(failures: &mut Vec<ProofFailure>) {
    let mut seen: Vec<(String, Span)> = Vec::new();
    failures.retain(|failure| {
        let key = (failure.code.clone(), failure.span);
        let is_new = !seen.contains(&key);
        if is_new {
            seen.push(key);
        }
        is_new
    });
}
