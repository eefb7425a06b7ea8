//! Which members a run looks at, and what has to be known before each of them.
//!
//! A function waits for the functions of lower rank in the call graph that its proof can mention; others wait for all
//! functions that theirs can. Functions of one rank that call each other know each other's contracts only, so that it
//! does not matter which of them is declared first.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use silver::typed::{FunctionId, MethodId, MethodOrigin, PredicateId, Program};
use source::Span;
use verdict::failure::Finding;
use verdict::{MemberKind, Verdict};

use crate::dependencies::{Dependencies, Execution, Member};
use crate::engine::Untrusted;

/// A member to look at.
pub(super) struct Entry {
    pub member: Member,
    pub kind: MemberKind,
    pub name: String,
    pub span: Span,
    /// Whether it was asked for; the others are here because those need them.
    pub is_wanted: bool,
    /// Of a method that was not asked for, only the contract is needed.
    pub with_body: bool,
    /// The functions that call each other and are not defined before, if it is one of them.
    pub group: Vec<FunctionId>,
    /// Functions to be checked before, by their places in the plan.
    pub needs: Vec<usize>,
}

impl Entry {
    /// What the member is called among all of the program.
    pub(super) fn key(&self) -> String {
        format!("{} {}", self.kind.word(), self.name)
    }
}

pub(super) struct Plan {
    /// In the order of the source.
    pub entries: Vec<Entry>,
    /// Places of all entries, in the order in which they should be started where there is a choice.
    pub order: Vec<usize>,
}

impl Plan {
    pub(super) fn new(program: &Program, dependencies: &Dependencies, wanted: Option<&[String]>) -> Plan {
        let mut entries: Vec<Entry> = members(program).map(|member| entry(program, member)).collect();
        entries.sort_by_key(|entry| (entry.span.file, entry.span.start, entry.member));
        let reached: Vec<BTreeSet<FunctionId>> =
            entries.iter().map(|entry| dependencies.reach(entry.member).functions).collect();
        if let Some(names) = wanted {
            let mut needed = BTreeSet::new();
            for entry in &mut entries {
                entry.is_wanted = names.contains(&entry.name);
                entry.with_body = entry.is_wanted;
                if entry.is_wanted {
                    needed.extend(dependencies.used_by(entry.member));
                }
            }
            // A function is defined only if it ends.
            for entry in &mut entries {
                if let Member::Method(id) = entry.member
                    && let MethodOrigin::TerminationProof(function) = program.method(id).origin
                    && needed.contains(&Member::Function(function))
                {
                    entry.with_body = true;
                    needed.extend(dependencies.used_by(entry.member));
                    needed.insert(entry.member);
                }
            }
            let keep: Vec<bool> =
                entries.iter().map(|entry| entry.is_wanted || needed.contains(&entry.member)).collect();
            return Plan::of(dependencies, retain(entries, &keep), &retain(reached, &keep));
        }
        Plan::of(dependencies, entries, &reached)
    }

    fn of(dependencies: &Dependencies, mut entries: Vec<Entry>, reached: &[BTreeSet<FunctionId>]) -> Plan {
        let graph = dependencies.call_graph();
        let function_of = |entry: &Entry| match entry.member {
            Member::Function(id) => Some(id),
            _ => None,
        };
        // Callees first, and not in the order of declaration.
        let mut functions: Vec<(usize, FunctionId)> = entries
            .iter()
            .enumerate()
            .filter_map(|(place, entry)| function_of(entry).map(|id| (place, id)))
            .collect();
        functions.sort_by(|left, right| {
            (graph.rank(left.1), &entries[left.0].name).cmp(&(graph.rank(right.1), &entries[right.0].name))
        });
        let needs: Vec<Vec<usize>> = entries
            .iter()
            .zip(reached)
            .map(|(entry, reached)| {
                let own = function_of(entry).map(|function| graph.rank(function));
                let is_needed = |function: &FunctionId| {
                    reached.contains(function) && own.is_none_or(|own| graph.rank(*function) < own)
                };
                functions.iter().filter(|(_, id)| is_needed(id)).map(|(place, _)| *place).collect()
            })
            .collect();
        for (entry, needs) in entries.iter_mut().zip(needs) {
            entry.needs = needs;
            if let Some(function) = function_of(entry) {
                let component = graph.component(graph.component_of(function));
                if component.is_recursive {
                    let own = graph.rank(function);
                    let waits = |member: &&FunctionId| graph.rank(**member) >= own;
                    entry.group = component.members.iter().filter(waits).copied().collect();
                }
            }
        }
        // Then those first that look as if they take longest.
        let mut others: Vec<usize> =
            (0..entries.len()).filter(|place| function_of(&entries[*place]).is_none()).collect();
        others.sort_by_key(|place| (Reverse(entries[*place].span.end - entries[*place].span.start), *place));
        let order = functions.into_iter().map(|(place, _)| place).chain(others).collect();
        Plan { entries, order }
    }

    /// Entries that hold, but only if members can be trusted that cannot.
    pub(super) fn users<'r>(
        &self,
        dependencies: &Dependencies,
        untrusted: &Untrusted,
        reports: impl Iterator<Item = &'r Finding>,
    ) -> Vec<usize> {
        if untrusted.is_empty() {
            return Vec::new();
        }
        let holding = self.entries.iter().zip(reports).enumerate();
        holding
            .filter(|(_, (entry, report))| {
                report.verdict == Verdict::Holds && uses(&dependencies.execution(entry.member), untrusted)
            })
            .map(|(place, _)| place)
            .collect()
    }
}

fn uses(execution: &Execution, untrusted: &Untrusted) -> bool {
    execution.functions.iter().any(|id| untrusted.functions.contains(id))
        || execution.opened.iter().any(|id| untrusted.predicates.contains(id))
        || execution.methods.iter().any(|id| untrusted.methods.contains(id))
}

fn retain<T>(values: Vec<T>, keep: &[bool]) -> Vec<T> {
    values.into_iter().zip(keep).filter(|(_, keep)| **keep).map(|(value, _)| value).collect()
}

fn members(program: &Program) -> impl Iterator<Item = Member> {
    let functions = (0..program.functions.len()).map(|index| Member::Function(FunctionId(index as u32)));
    let predicates = (0..program.predicates.len()).map(|index| Member::Predicate(PredicateId(index as u32)));
    let methods = (0..program.methods.len()).map(|index| Member::Method(MethodId(index as u32)));
    functions.chain(predicates).chain(methods)
}

fn entry(program: &Program, member: Member) -> Entry {
    let (kind, name, span) = match member {
        Member::Function(id) => {
            let function = program.function(id);
            (MemberKind::Function, &function.name, function.span)
        }
        Member::Predicate(id) => {
            let predicate = program.predicate(id);
            (MemberKind::Predicate, &predicate.name, predicate.span)
        }
        Member::Method(id) => {
            let method = program.method(id);
            (MemberKind::Method, &method.name, method.span)
        }
    };
    Entry {
        member,
        kind,
        name: name.clone(),
        span,
        is_wanted: true,
        with_body: true,
        group: Vec::new(),
        needs: Vec::new(),
    }
}
