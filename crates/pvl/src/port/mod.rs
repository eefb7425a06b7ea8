//! PVL as a language that is proved: several files are one program, which is lowered into Silver; what is found out about
//! the Silver is put back into terms of PVL.

mod contracts;
mod inherited;
mod models;
mod place;
mod problem;
mod reasons;
mod render;
mod report;
mod term;
mod trust;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use silver::port::{
    Context, Features, LoadOptions, Loaded, ProofLanguage, Reached, Rejected, Translation, Written,
};
use source::{Diagnostic, FileId, Loader, SourceMap, Span};
use verdict::failure::{Finding, Goal};
use verdict::{Assumption, Creation, Inherited, MemberKind, MemberReport, Obligation, ProofReport};

use crate::lower::{ContractWays, Created, LoweredMember, Origins, Spelling};
use crate::resolve::Trusted;
use crate::syntax::tree::{DeclarationKind, Dialect, Program};

/// The language. Its dialects have the numbers of the VerCors that they are written for: 1 and 2. If none is asked for,
/// a program is read in that of VerCors 2.x, or else in the one that it reads in.
#[derive(Clone, Copy, Debug)]
pub struct Pvl;

/// What is needed to speak about a lowered program in terms of PVL.
#[derive(Debug)]
struct Translated {
    tree: Program,
    origins: Origins,
    spelling: Spelling,
    members: Vec<LoweredMember>,
    /// How contracts of processes may be proved.
    ways: Vec<ContractWays>,
    /// Those that are believed without a proof, by their methods.
    assumed: Vec<Arc<str>>,
    /// What searches through small instances found, by the methods of the contracts.
    searches: Mutex<BTreeMap<Arc<str>, Arc<contracts::Searched>>>,
    /// The models that are created, and what is known of the formulas of their processes.
    created: Vec<Created>,
    formulas: Mutex<BTreeMap<String, inherited::Formulas>>,
    /// What the program takes for granted.
    trusted: Vec<Trusted>,
    /// Whether places are looked for that no execution reaches.
    smoke: bool,
}

const OLD_DIALECT: &str = "this is read as a program for VerCors 1.x";

impl ProofLanguage for Pvl {
    fn features(&self) -> Features {
        Features { joins_texts: true, has_dialects: true, is_lowered: true }
    }

    fn reads(&self, text: &str) -> bool {
        [Dialect::New, Dialect::Old].iter().any(|dialect| parses(text, *dialect))
    }

    fn load(&self, names: &[String], loader: &dyn Loader, options: &LoadOptions) -> Result<Loaded, Rejected> {
        let texts = silver::port::texts(names, loader)?;
        let dialect = dialect_of(&texts, options)?;
        if options.dialect.is_some() || dialect == Dialect::New {
            return load(texts, dialect, options);
        }
        let note = note_on_dialect(&texts);
        match load(texts, dialect, options) {
            Ok(mut loaded) => {
                loaded.warnings.insert(0, note);
                Ok(loaded)
            }
            Err(mut rejected) => {
                rejected.diagnostics.insert(0, note);
                Err(rejected)
            }
        }
    }

    fn print(
        &self,
        names: &[String],
        loader: &dyn Loader,
        options: &LoadOptions,
    ) -> Result<String, Rejected> {
        let texts = silver::port::texts(names, loader)?;
        let mut sources = SourceMap::default();
        let dialect = dialect_of(&texts, options)?;
        match lower(&mut sources, texts, dialect) {
            Ok(it) => Ok(silver::with_large_stack(|| silver::syntax::print(&it.lowered.program))),
            Err(diagnostics) => Err(Rejected { sources, diagnostics, message: None }),
        }
    }
}

/// The dialect that texts are read in: the one that was asked for. Where none was, what only parses in the old one is
/// read in it; what parses in both may mean something else there.
fn dialect_of(texts: &[(String, Arc<str>)], options: &LoadOptions) -> Result<Dialect, Rejected> {
    let all_parse = |dialect| texts.iter().all(|(_, text)| parses(text, dialect));
    match options.dialect {
        Some(1) => Ok(Dialect::Old),
        Some(2) => Ok(Dialect::New),
        Some(other) => {
            Err(Rejected::message(format!("PVL has the dialects 1 and 2, and no dialect {other}")))
        }
        None if !all_parse(Dialect::New) && all_parse(Dialect::Old) => Ok(Dialect::Old),
        None => Ok(Dialect::New),
    }
}

fn parses(text: &str, dialect: Dialect) -> bool {
    let (_, diagnostics) = crate::syntax::parse(FileId(0), text, crate::syntax::Options { dialect });
    !diagnostics.iter().any(Diagnostic::is_error)
}

/// Why texts are read in the old dialect: the first of them that does not parse in the new one. Files are numbered as
/// they will be in the program.
fn note_on_dialect(texts: &[(String, Arc<str>)]) -> Diagnostic {
    let options = crate::syntax::Options { dialect: Dialect::New };
    let mut note = Diagnostic::warning("dialect", Span::new(FileId(0), 0, 0), OLD_DIALECT);
    for (index, (_, text)) in texts.iter().enumerate() {
        let file = FileId(index as u32);
        let (_, diagnostics) = crate::syntax::parse(file, text, options);
        if let Some(error) = diagnostics.into_iter().find(Diagnostic::is_error) {
            note = Diagnostic::warning("dialect", Span::new(file, 0, 0), OLD_DIALECT);
            if let Some(span) = error.span() {
                note = Diagnostic::warning("dialect", span, OLD_DIALECT)
                    .at(format!("in VerCors 2.x: {}", error.message));
            }
            break;
        }
    }
    note.help("`--dialect 1` says so without this note, `--dialect 2` insists on VerCors 2.x")
}

/// Parses, resolves and lowers texts with their names that together form one program.
fn load(texts: Vec<(String, Arc<str>)>, dialect: Dialect, options: &LoadOptions) -> Result<Loaded, Rejected> {
    let mut sources = SourceMap::default();
    let Read { lowered, tree, trusted, diagnostics: mut warnings } = match lower(&mut sources, texts, dialect)
    {
        Ok(read) => read,
        Err(diagnostics) => return Err(Rejected { sources, diagnostics, message: None }),
    };
    let resolved = silver::resolve_tree(&mut sources, lowered.program, &options.silver());
    let origins = lowered.origins;
    warnings.extend(resolved.diagnostics.into_iter().map(|diagnostic| placed(diagnostic, &origins)));
    match resolved.program {
        Some(program) => {
            let (spelling, members) = (lowered.spelling, lowered.members);
            let (ways, created) = (lowered.ways, lowered.created);
            let smoke = options.smoke_detection;
            let assumed = match contracts::assumed(&options.assumed_contracts, &members, &ways) {
                Ok(assumed) => assumed,
                Err(message) => return Err(Rejected::message(message)),
            };
            let searches = Mutex::default();
            let translation = Box::new(Translated {
                tree,
                origins,
                spelling,
                members,
                ways,
                assumed,
                searches,
                created,
                formulas: Mutex::default(),
                trusted,
                smoke,
            });
            Ok(Loaded { sources, program, warnings, translation })
        }
        None => {
            // What is inconsistent was so in the program; types are the lowering's business.
            let is_ours = |it: &Diagnostic| it.is_error() && it.code != silver::codes::CONSISTENCY;
            let message = "the program could not be put into Silver; please report it with this input";
            let message = warnings.iter().any(is_ours).then(|| message.to_string());
            Err(Rejected { sources, diagnostics: warnings, message })
        }
    }
}

struct Read {
    lowered: crate::lower::Lowered,
    tree: Program,
    trusted: Vec<Trusted>,
    diagnostics: Vec<Diagnostic>,
}

/// From texts to Silver; the errors if there are any.
fn lower(
    sources: &mut SourceMap,
    texts: Vec<(String, Arc<str>)>,
    dialect: Dialect,
) -> Result<Read, Vec<Diagnostic>> {
    let files: Vec<FileId> = texts.into_iter().map(|(name, text)| sources.add(name, text)).collect();
    let (tree, mut diagnostics) =
        crate::syntax::parse_files(sources, &files, crate::syntax::Options { dialect });
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    let (resolution, messages) = crate::resolve::resolve(&tree);
    diagnostics.extend(messages);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    let mut lowered = crate::lower::lower(&resolution, sources);
    diagnostics.append(&mut lowered.diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    let trusted = crate::resolve::trusted(&tree, &resolution);
    Ok(Read { lowered, tree, trusted, diagnostics })
}

fn placed(mut diagnostic: Diagnostic, origins: &Origins) -> Diagnostic {
    for label in &mut diagnostic.labels {
        label.span = origins.place(label.span);
    }
    diagnostic
}

impl Translated {
    fn member(&self, silver: &str) -> Option<&LoweredMember> {
        self.members.iter().find(|member| &*member.silver == silver)
    }

    /// What a member of the Silver program with this name and place is made from. Where it has no name of its own it is
    /// another form of what stands at its place, such as what starts the thread of a `run`.
    fn origin(&self, silver: &str, span: Span) -> Option<&LoweredMember> {
        self.member(silver).or_else(|| {
            let place = self.origins.place(span);
            self.members.iter().find(|member| member.span == place)
        })
    }
}

fn written(member: &LoweredMember) -> Written {
    Written { kind: member.kind, name: member.name.clone(), span: member.span }
}

impl Translation for Translated {
    /// Steps of models that are left out.
    fn has_own_steps(&self) -> bool {
        true
    }

    fn written_quantifiers(&self) -> Option<&BTreeSet<Span>> {
        Some(self.origins.quantifiers())
    }

    fn writes_domain(&self, _context: Context<'_>, domain: &silver::typed::Domain) -> bool {
        let place = self.origins.place(domain.span);
        self.tree.declarations.iter().any(
            |declaration| matches!(&declaration.kind, DeclarationKind::Adt(adt) if adt.name.span == place),
        )
    }

    fn members(&self, _context: Context<'_>) -> Vec<Written> {
        self.members.iter().map(written).collect()
    }

    fn has_member(&self, _context: Context<'_>, name: &str) -> bool {
        !self.silver_names(&[name.to_string()]).is_empty()
    }

    fn silver_names(&self, names: &[String]) -> Vec<String> {
        let wanted = |member: &&LoweredMember| {
            names.iter().any(|name| *name == member.name || *name == member.own_name)
        };
        let own = self.members.iter().filter(wanted).map(|member| member.silver.to_string()).collect();
        self.with_proofs(own)
    }

    /// Every member may rest on resources that are kept, and a contract on others.
    fn wanted(&self, names: &[String]) -> Vec<String> {
        let mut silver = self.with_relied_on(self.silver_names(names));
        let kept = self.members.iter().filter(|member| member.kind == MemberKind::Resource);
        silver.extend(kept.map(|member| member.silver.to_string()));
        silver
    }

    fn looks_on(&self) -> bool {
        self.smoke || !self.tree.expectations.is_empty()
    }

    fn written(&self, _context: Context<'_>, _kind: MemberKind, silver: &str) -> Option<Written> {
        self.member(silver).map(written)
    }

    fn made_from(&self, context: Context<'_>, kind: MemberKind, silver: &str) -> Option<Written> {
        let program = context.program;
        let span = match kind {
            MemberKind::Function => program.functions.iter().find(|it| it.name == silver).map(|it| it.span),
            MemberKind::Predicate => program.predicates.iter().find(|it| it.name == silver).map(|it| it.span),
            _ => program.methods.iter().find(|it| it.name == silver).map(|it| it.span),
        };
        self.origin(silver, span?).map(written)
    }

    fn parts(&self, report: &MemberReport) -> Vec<String> {
        let is_part = |member: &&LoweredMember| member.name == report.name && member.span == report.span;
        let own: Vec<String> =
            self.members.iter().filter(is_part).map(|member| member.silver.to_string()).collect();
        self.with_proofs(own)
    }

    fn is_erased(&self, report: &MemberReport) -> bool {
        let is_it = |member: &&LoweredMember| member.name == report.name && member.span == report.span;
        self.members.iter().find(is_it).is_some_and(|member| member.is_ghost)
    }

    fn obligation(&self, goal: &Goal) -> Obligation {
        self.translate_obligation(goal)
    }

    fn report(&self, context: Context<'_>, findings: Vec<Finding>) -> ProofReport {
        self.translate_report(context, findings)
    }

    fn creations(
        &self,
        context: Context<'_>,
        member: &MemberReport,
        contracts: &[Inherited],
    ) -> Vec<Creation> {
        self.creations_of(context, member, contracts)
    }

    fn assumptions(&self, context: Context<'_>, reached: &Reached) -> Vec<Assumption> {
        self.taken_for_granted(context, reached)
    }
}

#[cfg(test)]
mod tests {
    use silver::port::ProofLanguage;
    use verdict::Verdict;
    use verdict::failure::{Detail, ErrorKind, Failure, Jump, Needed, ReasonKind, ResourceKind, Shortage};

    use super::*;

    /// A combination that nobody has thought of, at any node of a program, has a plain sentence too.
    #[test]
    fn every_failure_has_words() {
        let text = "lock_invariant Perm(f, 1);
            class C { int f; constructor() { commit this; } }
            requires a != null && 0 < a.length ** Perm(a[0], 1\\2);
            ensures \\result == |xs| - xs[n] / n;
            int m(int[] a, seq<int> xs, map<int, int> k, option<int> o, int n, C c) {
                lock c;
                int d = k[n] + o.get;
                d = a[n + 1];
                int[] b = new int[n];
                unlock c;
                return d;
            }";
        let texts = source::Texts::default().with("a.pvl", text);
        let loaded = Pvl.load(&["a.pvl".to_string()], &texts, &LoadOptions::default());
        let loaded = loaded.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics));
        let context = Context { program: &loaded.program, sources: &loaded.sources };
        let methods = &loaded.program.methods;
        let Some(method) = methods.iter().find(|method| method.name.starts_with("m_")) else {
            panic!("the method is lowered into one of its name: {:?}", methods.iter().map(|it| &it.name));
        };
        let nodes = nodes(method);
        assert!(nodes.len() > 20, "{}", nodes.len());
        let missing = Detail::Shortage(Shortage {
            resource: ResourceKind::Field,
            location: None,
            needed: Needed::Unknown,
            held: None,
        });
        let jump = Detail::Jump(Jump::AcrossProof { label: "l".to_string() });
        for kind in ErrorKind::ALL {
            for reason in ReasonKind::ALL {
                let mut finding =
                    Finding::new(MemberKind::Method, &method.name, method.span, Verdict::Violated);
                for (index, node) in nodes.iter().enumerate() {
                    let part = nodes[(index + 1) % nodes.len()];
                    for detail in [Detail::None, Detail::NoCommonShare, missing.clone(), jump.clone()] {
                        let known = Failure { detail, ..Failure::new(kind, reason, *node, part) };
                        finding.failures.push(known);
                    }
                    assert!(
                        !loaded
                            .translation
                            .obligation(&Goal { kind, reason, construct: *node, part })
                            .text
                            .is_empty()
                    );
                }
                let report = loaded.translation.report(context, vec![finding]);
                let failures: Vec<_> = report.members.iter().flat_map(|member| &member.failures).collect();
                assert!(!failures.is_empty(), "{kind:?} {reason:?}");
                for failure in failures {
                    assert!(!failure.code.is_empty() && !failure.message.is_empty(), "{failure:?}");
                    assert!(failure.notes.iter().all(|note| !note.text.is_empty()), "{failure:?}");
                    assert!(!failure.message.contains("might"), "{failure:?}");
                }
            }
        }
    }

    /// Places of the Silver that a method is lowered into.
    fn nodes(method: &silver::typed::Method) -> Vec<Span> {
        let mut spans = vec![method.span];
        let mut add = |expression: &silver::typed::ExpressionRef| {
            silver::typed::visit_expression(expression, &mut |node| {
                spans.push(node.span);
                true
            });
        };
        method.preconditions.iter().chain(&method.postconditions).for_each(&mut add);
        if let Some(body) = &method.body {
            silver::typed::visit_statements(body, &mut |statement| {
                silver::typed::for_each_expression(statement, &mut add);
            });
        }
        spans.sort_by_key(|span| (span.file, span.start, span.end));
        spans.dedup();
        spans
    }
}
