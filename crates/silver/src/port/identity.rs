//! Silver as a language that is proved: its programs are what is proved, so nothing has to be translated.

use std::sync::Arc;

use source::{Diagnostic, FileId, Loader, SourceMap, Span};
use verdict::failure::{Failure, Finding, Goal};
use verdict::{Assumption, FailureReport, MemberKind, MemberReport, Note, Obligation, ProofReport};

use super::generated::members;
use super::{
    Context, Features, LoadOptions, Loaded, ProofLanguage, Reached, Rejected, Translation, Written, callee,
    render, texts,
};
use crate::typed::{self, AssumptionKind, Domain, FunctionOrigin, Program};

/// The language, and how its programs are spoken about.
#[derive(Clone, Copy, Debug)]
pub struct Silver;

fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// The only text of a program, which imports the others.
fn only(
    names: &[String],
    loader: &dyn Loader,
    options: &LoadOptions,
) -> Result<(String, Arc<str>), Rejected> {
    if options.dialect.is_some() {
        return Err(Rejected::message("Silver has no dialects"));
    }
    let mut texts = texts(names, loader)?.into_iter();
    match (texts.next(), texts.next()) {
        (Some(text), None) => Ok(text),
        _ => Err(Rejected::message("a program of Silver is one file, which imports the others")),
    }
}

impl ProofLanguage for Silver {
    fn features(&self) -> Features {
        Features::default()
    }

    fn reads(&self, text: &str) -> bool {
        !has_error(&crate::syntax::parse(FileId(0), text).1)
    }

    fn load(&self, names: &[String], loader: &dyn Loader, options: &LoadOptions) -> Result<Loaded, Rejected> {
        let (name, text) = only(names, loader, options)?;
        let mut sources = SourceMap::default();
        let file = sources.add(name, text);
        let resolved = crate::resolve(&mut sources, file, loader, &options.silver());
        let diagnostics = resolved.diagnostics;
        match resolved.program {
            Some(program) => {
                Ok(Loaded { sources, program, warnings: diagnostics, translation: Box::new(Silver) })
            }
            None => Err(Rejected { sources, diagnostics, message: None }),
        }
    }

    fn print(
        &self,
        names: &[String],
        loader: &dyn Loader,
        options: &LoadOptions,
    ) -> Result<String, Rejected> {
        let (name, text) = only(names, loader, options)?;
        let mut sources = SourceMap::default();
        let file = sources.add(name, text);
        let (tree, diagnostics) = crate::syntax::parse(file, &sources.file(file).text);
        if has_error(&diagnostics) {
            return Err(Rejected { sources, diagnostics, message: None });
        }
        Ok(crate::with_large_stack(|| crate::syntax::print(&tree)))
    }
}

impl Translation for Silver {
    fn triggers_are_written(&self) -> bool {
        true
    }

    /// What is known of data types, and of the order of their values, is said by the language.
    fn writes_domain(&self, context: Context<'_>, domain: &Domain) -> bool {
        !context.program.is_of_data_type(domain)
    }

    fn members(&self, context: Context<'_>) -> Vec<Written> {
        let written = |(kind, name, span): (MemberKind, &str, Span)| {
            let name = name.to_string();
            Written { kind, name, span }
        };
        members(context.program).map(written).collect()
    }

    fn has_member(&self, context: Context<'_>, name: &str) -> bool {
        context.program.domains.iter().any(|domain| domain.name == name)
            || members(context.program).any(|(_, member, _)| member == name)
    }

    fn silver_names(&self, names: &[String]) -> Vec<String> {
        names.to_vec()
    }

    fn written(&self, context: Context<'_>, kind: MemberKind, silver: &str) -> Option<Written> {
        let mut members = members(context.program);
        let (kind, name, span) = members.find(|(other, name, _)| *other == kind && *name == silver)?;
        Some(Written { kind, name: name.to_string(), span })
    }

    fn parts(&self, report: &MemberReport) -> Vec<String> {
        vec![report.name.clone()]
    }

    fn obligation(&self, goal: &Goal) -> Obligation {
        render::obligation(goal)
    }

    fn report(&self, context: Context<'_>, findings: Vec<Finding>) -> ProofReport {
        let reports = findings.into_iter().map(|finding| render_finding(context.program, finding));
        ProofReport { members: reports.collect() }
    }

    fn assumptions(&self, context: Context<'_>, reached: &Reached) -> Vec<Assumption> {
        let mut found = Found { program: context.program, assumptions: Vec::new() };
        found.add_members(reached);
        for domain in &reached.domains {
            found.add_domain(context.program.domain(*domain));
        }
        found.assumptions
    }
}

/// What was found out about a member, as people read it.
pub fn render_finding(program: &Program, finding: Finding) -> MemberReport {
    let failures = finding.failures.iter().map(|failure| render_failure(program, failure)).collect();
    let stuck = finding.stuck.as_ref().map(render::obligation);
    let head = head(program, finding.kind, &finding.name);
    let answers = finding.answers.iter().cloned().map(|mut answered| {
        let refutation = answered.refutation.take().map(|failure| render_failure(program, &failure));
        let span = answered.span;
        answered.with(span, refutation)
    });
    let answers = answers.collect();
    let report = finding.with(failures, answers, stuck);
    MemberReport { head: head.unwrap_or(report.span), ..report }
}

/// What stands in front of contract and body of a member.
fn head(program: &Program, kind: MemberKind, name: &str) -> Option<Span> {
    match kind {
        MemberKind::Function => program.functions.iter().find(|it| it.name == name).map(|it| it.head),
        MemberKind::Predicate => program.predicates.iter().find(|it| it.name == name).map(|it| it.head),
        _ => program.methods.iter().find(|it| it.name == name).map(|it| it.head),
    }
}

fn render_failure(program: &Program, failure: &Failure) -> FailureReport {
    let mut report = render::failure(failure);
    if let Some(callee) = callee(program, failure) {
        report.notes.push(Note { span: None, text: callee.sentence(callee.name) });
    }
    report
}

/// What is taken for granted, as it is found.
struct Found<'p> {
    program: &'p Program,
    assumptions: Vec<Assumption>,
}

impl Found<'_> {
    fn add(&mut self, kind: &'static str, name: &str, span: Span) {
        self.assumptions.push(Assumption { kind, name: name.to_string(), span });
    }

    fn add_members(&mut self, reached: &Reached) {
        for id in &reached.functions {
            let function = self.program.function(*id);
            let is_trusted = function.body.is_none() && !function.postconditions.is_empty();
            if is_trusted && function.origin == FunctionOrigin::Source {
                self.add("abstract function", &function.name, function.span);
            }
            if function.body.is_some() && reached.recursive.contains(id) && !function.termination.is_stated {
                self.add(Assumption::UNMEASURED, &function.name, function.span);
            }
            self.add_written(&function.name, &function.assumptions, &function.termination.assumed);
        }
        for id in &reached.predicates {
            let predicate = self.program.predicate(*id);
            self.add_written(&predicate.name, &predicate.assumptions, &[]);
        }
        for id in &reached.methods {
            let method = self.program.method(*id);
            let promises = !method.postconditions.is_empty() || method.termination.is_stated;
            if method.body.is_none() && promises {
                self.add("abstract method", &method.name, method.span);
            }
            self.add_written(&method.name, &method.assumptions, &method.termination.assumed);
        }
    }

    fn add_written(&mut self, name: &str, written: &[typed::Assumption], ends: &[Span]) {
        for assumption in written {
            let kind = match assumption.kind {
                AssumptionKind::Assume => "assume",
                AssumptionKind::Inhale => "inhale",
                AssumptionKind::InhaleExhale => "inhale-exhale",
            };
            self.add(kind, name, assumption.span);
        }
        for span in ends {
            self.add("assumed termination", name, *span);
        }
    }

    fn add_domain(&mut self, domain: &Domain) {
        if domain.interpretations.is_some() {
            self.add("prover type", &domain.name, domain.span);
        }
        for function in domain.functions.iter().map(|id| self.program.domain_function(*id)) {
            if function.interpretation.is_some() {
                self.add("prover function", &function.name, function.span);
            }
        }
        if !self.program.is_of_data_type(domain) {
            for axiom in &domain.axioms {
                let name = axiom.name.as_deref().unwrap_or(&domain.name);
                self.add("axiom", name, axiom.span);
            }
        }
    }
}
