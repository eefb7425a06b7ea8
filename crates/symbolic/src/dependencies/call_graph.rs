//! Which functions apply which, and the order in which they can be defined.
//!
//! A function calls what is applied in its contract, in its body, and in the bodies of predicates that are unfolded
//! there. Functions that call each other form a component; the components have levels such that a function's callees
//! are in its own component or on lower levels. The order is that of the source wherever there is a choice.

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
}

impl CallGraph {
    pub(super) fn of(functions: &[[Facts; 3]], predicates: &[Facts]) -> CallGraph {
        let callees: Vec<Vec<FunctionId>> =
            functions.iter().map(|parts| callees(parts, predicates).into_iter().collect()).collect();
        let edges: Vec<Vec<usize>> =
            callees.iter().map(|targets| targets.iter().map(|target| target.index()).collect()).collect();
        let mut found: Vec<Component> = Vec::new();
        let mut place = vec![usize::MAX; functions.len()];
        // Callees come first, so their levels are known.
        for members in components(&edges) {
            let outgoing = || members.iter().flat_map(|member| edges[*member].iter().copied());
            let is_recursive = outgoing().any(|target| members.binary_search(&target).is_ok());
            let below = outgoing().filter_map(|target| found.get(place[target]));
            let level = below.map(|component| component.level + 1).max().unwrap_or(0);
            members.iter().for_each(|member| place[*member] = found.len());
            let members = members.into_iter().map(|member| FunctionId(member as u32)).collect();
            found.push(Component { members, is_recursive, level });
        }
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
        CallGraph { callees, components: found, component_of, levels }
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

fn callees(parts: &[Facts], predicates: &[Facts]) -> BTreeSet<FunctionId> {
    let mut callees = BTreeSet::new();
    let mut seen: BTreeSet<PredicateId> = BTreeSet::new();
    let mut work: Vec<&Facts> = parts.iter().collect();
    while let Some(facts) = work.pop() {
        callees.extend(&facts.functions);
        work.extend(facts.opened.iter().filter(|id| seen.insert(**id)).map(|id| &predicates[id.index()]));
    }
    callees
}
