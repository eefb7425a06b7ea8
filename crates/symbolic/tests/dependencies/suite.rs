//! Dependencies of all programs below a folder, which is given by an environment variable.

use silver::typed::{FunctionId, MethodId, PredicateId};
use symbolic::dependencies::{Dependencies, Member};

use super::support::programs;

/// `PROBITY_SILVER_SUITE=folder cargo test -p probity-symbolic -- --ignored`
#[test]
#[ignore = "needs a folder of Silver programs in PROBITY_SILVER_SUITE"]
fn dependencies_of_the_suite_are_consistent() {
    let mut members = 0;
    for (path, _, program) in programs() {
        let dependencies = Dependencies::of(&program);
        let graph = dependencies.call_graph();
        for (index, function) in program.functions.iter().enumerate() {
            let caller = FunctionId(index as u32);
            for callee in graph.callees(caller) {
                let level = |id: FunctionId| graph.component(graph.component_of(id)).level;
                let is_ordered = level(*callee) < level(caller) || graph.is_recursive_call(caller, *callee);
                assert!(is_ordered, "{}: {}", path.display(), function.name);
            }
        }
        let functions = (0..program.functions.len()).map(|index| Member::Function(FunctionId(index as u32)));
        let predicates =
            (0..program.predicates.len()).map(|index| Member::Predicate(PredicateId(index as u32)));
        let methods = (0..program.methods.len()).map(|index| Member::Method(MethodId(index as u32)));
        for member in functions.chain(predicates).chain(methods) {
            let (execution, reach) = (dependencies.execution(member), dependencies.reach(member));
            assert!(execution.functions.is_subset(&reach.functions), "{}: {member:?}", path.display());
            assert!(execution.opened.is_subset(&reach.opened), "{}: {member:?}", path.display());
            let (quantified, all) = (&execution.quantified, &execution.resources);
            assert!(quantified.fields.is_subset(&all.fields), "{}: {member:?}", path.display());
            assert!(quantified.predicates.is_subset(&all.predicates), "{}: {member:?}", path.display());
            assert!(quantified.wands.is_subset(&all.wands), "{}: {member:?}", path.display());
            members += 1;
        }
    }
    assert_ne!(members, 0, "no member in the suite");
}
