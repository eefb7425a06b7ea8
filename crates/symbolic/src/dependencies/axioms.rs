//! Which axioms of domains matter for which symbols.
//!
//! An axiom may constrain the functions of a domain other than its own, so domains belong together if one's axioms
//! mention the other or its types, and a group of domains matters as soon as one of its symbols or types occurs. An
//! axiom that can be used without any symbol of the program, for example one with the trigger `|s|`, always matters.

use silver::typed::{
    Axiom, DomainId, ExpressionKind, ExpressionRef, FunctionId, Program, Trigger, infer_triggers,
    visit_expression,
};

use super::WandShapes;
use super::facts::Facts;

/// Groups of domains that have to do with each other.
#[derive(Clone, Debug)]
pub(super) struct AxiomGroups {
    /// The domains of a group, and all that their axioms mention.
    groups: Vec<Facts>,
    of_domain: Vec<usize>,
    /// For functions that axioms mention.
    of_function: Vec<Option<usize>>,
    always: Vec<usize>,
}

impl AxiomGroups {
    pub(super) fn of(program: &Program) -> AxiomGroups {
        let facts: Vec<Facts> = (0..program.domains.len()).map(|index| facts_of(program, index)).collect();
        // Nodes are domains, then functions.
        let mut sets = DisjointSets::new(program.domains.len() + program.functions.len());
        for (index, facts) in facts.iter().enumerate() {
            facts.domains.iter().for_each(|other| sets.unite(index, other.index()));
            let functions = facts.functions.iter();
            functions.for_each(|function| sets.unite(index, program.domains.len() + function.index()));
        }
        let mut groups: Vec<Facts> = Vec::new();
        let mut group_of_root = vec![None; program.domains.len() + program.functions.len()];
        let mut of_domain = Vec::new();
        let mut always = Vec::new();
        for (index, facts) in facts.iter().enumerate() {
            let group = *group_of_root[sets.root(index)].get_or_insert_with(|| {
                groups.push(Facts::default());
                groups.len() - 1
            });
            groups[group].merge(facts);
            of_domain.push(group);
            let is_free = program.domains[index].axioms.iter().any(|axiom| !is_anchored(axiom));
            if is_free && !always.contains(&group) {
                always.push(group);
            }
        }
        let of_function = (0..program.functions.len())
            .map(|index| group_of_root[sets.root(program.domains.len() + index)])
            .collect();
        AxiomGroups { groups, of_domain, of_function, always }
    }

    pub(super) fn facts(&self, group: usize) -> &Facts {
        &self.groups[group]
    }

    pub(super) fn about_domain(&self, domain: DomainId) -> usize {
        self.of_domain[domain.index()]
    }

    pub(super) fn about_function(&self, function: FunctionId) -> Option<usize> {
        self.of_function[function.index()]
    }

    /// Groups that matter whatever occurs.
    pub(super) fn always(&self) -> impl Iterator<Item = usize> {
        self.always.iter().copied()
    }
}

fn facts_of(program: &Program, index: usize) -> Facts {
    let domain = &program.domains[index];
    // Axioms contain no wands.
    let mut no_shapes = WandShapes::default();
    let mut facts = Facts::default();
    facts.domains.insert(DomainId(index as u32));
    for axiom in &domain.axioms {
        facts.add_locals(&axiom.locals);
        facts.add_expression(program, &axiom.body, &mut no_shapes);
    }
    for function in &domain.functions {
        let function = program.domain_function(*function);
        function.formals.iter().for_each(|formal| facts.add_type(&formal.ty));
        facts.add_type(&function.result);
    }
    facts
}

/// Whether the axiom is of use only where a symbol of the program occurs.
fn is_anchored(axiom: &Axiom) -> bool {
    let mut has_quantifier = false;
    let mut is_anchored = true;
    visit_expression(&axiom.body, &mut |node| {
        let (ExpressionKind::Forall { variables, triggers, body }
        | ExpressionKind::Exists { variables, triggers, body }) = &node.kind
        else {
            return true;
        };
        has_quantifier = true;
        let has_symbol = |trigger: &Trigger| trigger.expressions.iter().any(mentions_symbol);
        is_anchored &= if triggers.is_empty() {
            let infer = |allow_sums| infer_triggers(variables, body, &mut axiom.locals.clone(), allow_sums);
            let inferred = infer(false).or_else(|| infer(true));
            inferred.is_some_and(|inferred| inferred.triggers.iter().all(has_symbol))
        } else {
            triggers.iter().all(has_symbol)
        };
        // Quantifiers inside matter only once the outer one is instantiated.
        false
    });
    is_anchored && (has_quantifier || mentions_symbol(&axiom.body))
}

fn mentions_symbol(expression: &ExpressionRef) -> bool {
    let mut found = false;
    visit_expression(expression, &mut |node| {
        found |= matches!(
            node.kind,
            ExpressionKind::DomainApplication { .. } | ExpressionKind::FunctionApplication { .. }
        );
        !found
    });
    found
}

/// Union-find with path halving.
struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    fn new(count: usize) -> DisjointSets {
        DisjointSets { parent: (0..count).collect() }
    }

    fn root(&mut self, mut node: usize) -> usize {
        while self.parent[node] != node {
            self.parent[node] = self.parent[self.parent[node]];
            node = self.parent[node];
        }
        node
    }

    fn unite(&mut self, left: usize, right: usize) {
        let (left, right) = (self.root(left), self.root(right));
        self.parent[left.max(right)] = left.min(right);
    }
}
