//! Which functions apply which, and the order in which they can be defined.
//!
//! A function calls what is applied in its contract, in its body, and in the bodies of predicates that are unfolded
//! there. Functions that call each other form a component; the components have levels such that a function's callees
//! are in its own component or on lower levels. The order is that of the source wherever there is a choice.
//!
//! A definition mentions what a function applies itself, not what the predicates do that it unfolds. Where functions
//! call each other through a predicate only, some of them can therefore be defined before the others: a rank says so.

use std::collections::BTreeSet;

use silver::typed::{FunctionId, PredicateId};

use super::components::components;
use super::facts::Facts;

/// A component of the graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ComponentId(pub u32);

impl ComponentId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Functions that call each other.
#[derive(Clone, Debug)]
pub struct Component {
    /// In the order of the source.
    pub members: Vec<FunctionId>,
    /// Whether a member calls a member.
    pub is_recursive: bool,
    /// One more than the highest level of other components that members call; 0 if there is none.
    pub level: usize,
}

#[derive(Clone, Debug)]
pub struct CallGraph {
    callees: Vec<Vec<FunctionId>>,
    components: Vec<Component>,
    component_of: Vec<ComponentId>,
    levels: Vec<Vec<ComponentId>>,
    /// Per function, the level in the graph of what definitions and contracts mention.
    mentions: Vec<usize>,
}

/// When a function can be defined: after all functions of lower rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rank {
    level: usize,
    within: usize,
}

impl CallGraph {
    pub(super) fn of(functions: &[[Facts; 3]], predicates: &[Facts]) -> CallGraph {
        let callees: Vec<Vec<FunctionId>> =
            functions.iter().map(|parts| callees_of(parts, predicates).into_iter().collect()).collect();
        let mut found = levelled(&callees);
        found.sort_by_key(|component| (component.level, component.members.first().copied()));
        let mut component_of = vec![ComponentId(0); functions.len()];
        let mut levels: Vec<Vec<ComponentId>> = Vec::new();
        for (index, component) in found.iter().enumerate() {
            let id = ComponentId(index as u32);
            component.members.iter().for_each(|member| component_of[member.index()] = id);
            if levels.len() <= component.level {
                levels.push(Vec::new());
            }
            levels[component.level].push(id);
        }
        let mentioned: Vec<Vec<FunctionId>> =
            functions.iter().map(|parts| callees_of(parts, &[]).into_iter().collect()).collect();
        let mut mentions = vec![0; functions.len()];
        for component in levelled(&mentioned) {
            component.members.iter().for_each(|member| mentions[member.index()] = component.level);
        }
        CallGraph { callees, components: found, component_of, levels, mentions }
    }

    pub fn rank(&self, function: FunctionId) -> Rank {
        let level = self.component(self.component_of(function)).level;
        Rank { level, within: self.mentions[function.index()] }
    }

    /// The functions that a function calls directly, in the order of the source.
    pub fn callees(&self, function: FunctionId) -> &[FunctionId] {
        &self.callees[function.index()]
    }

    pub fn component_of(&self, function: FunctionId) -> ComponentId {
        self.component_of[function.index()]
    }

    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.index()]
    }

    /// All components, callees first.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Level by level; components of one level do not depend on each other.
    pub fn levels(&self) -> &[Vec<ComponentId>] {
        &self.levels
    }

    /// Whether an application of `callee` inside `caller` may lead back to `caller`.
    pub fn is_recursive_call(&self, caller: FunctionId, callee: FunctionId) -> bool {
        let component = self.component_of(caller);
        component == self.component_of(callee) && self.component(component).is_recursive
    }
}

/// What is applied in the parts and in the bodies of predicates that are opened there, as far as these are given.
fn callees_of(parts: &[Facts], predicates: &[Facts]) -> BTreeSet<FunctionId> {
    let mut callees = BTreeSet::new();
    let mut seen: BTreeSet<PredicateId> = BTreeSet::new();
    let mut work: Vec<&Facts> = parts.iter().collect();
    while let Some(facts) = work.pop() {
        callees.extend(&facts.functions);
        let new = facts.opened.iter().filter(|id| seen.insert(**id));
        work.extend(new.filter_map(|id| predicates.get(id.index())));
    }
    callees
}

/// The components of a graph with their levels, callees first.
fn levelled(callees: &[Vec<FunctionId>]) -> Vec<Component> {
    let edges: Vec<Vec<usize>> =
        callees.iter().map(|targets| targets.iter().map(|target| target.index()).collect()).collect();
    let mut found: Vec<Component> = Vec::new();
    let mut place = vec![usize::MAX; edges.len()];
    for members in components(&edges) {
        let outgoing = || members.iter().flat_map(|member| edges[*member].iter().copied());
        let is_recursive = outgoing().any(|target| members.binary_search(&target).is_ok());
        let below = outgoing().filter_map(|target| found.get(place[target]));
        let level = below.map(|component| component.level + 1).max().unwrap_or(0);
        members.iter().for_each(|member| place[*member] = found.len());
        let members = members.into_iter().map(|member| FunctionId(member as u32)).collect();
        found.push(Component { members, is_recursive, level });
    }
    found
}
