//! The graphs of all programs below a folder, which is given by an environment variable.

use silver::typed::{MethodId, StatementKind, visit_statements};
use symbolic::control::{ControlFlow, check_graph};

use super::support::programs;

/// `PROBITY_SILVER_SUITE=folder cargo test -p probity-symbolic -- --ignored`
#[test]
#[ignore = "needs a folder of Silver programs in PROBITY_SILVER_SUITE"]
fn every_program_of_the_suite_has_a_graph() {
    let mut problems = Vec::new();
    let mut bodies = 0;
    for (path, map, program) in programs() {
        for (index, method) in program.methods.iter().enumerate() {
            let id = MethodId(index as u32);
            let mut flows = vec![ControlFlow::of(&program, id)];
            if let Some(body) = &method.body {
                visit_statements(body, &mut |statement| {
                    if let StatementKind::Package { proof, .. } = &statement.kind {
                        flows.push(ControlFlow::of_proof(&program, id, proof));
                    }
                });
            }
            for flow in flows {
                bodies += 1;
                match flow {
                    Ok(flow) => {
                        assert_eq!(check_graph(&flow), None, "{}: {}", path.display(), method.name);
                    }
                    Err(error) => {
                        let place = map.place(error.span);
                        problems.push(format!("{}:{}: {:?}", path.display(), place.line, error.jump));
                    }
                }
            }
        }
    }
    assert_ne!(bodies, 0, "no method in the suite");
    assert!(problems.is_empty(), "no graph for {} bodies:\n{}", problems.len(), problems.join("\n"));
}
