//! Which functions a function needs: callees first.

use silver::typed::{ExpressionKind, FunctionId, Program, visit_expression};

/// Groups of mutually recursive functions, callees before callers.
pub(crate) fn function_order(program: &Program) -> Vec<Vec<FunctionId>> {
    let count = program.functions.len();
    let mut reaches: Vec<Vec<bool>> = vec![vec![false; count]; count];
    for (index, function) in program.functions.iter().enumerate() {
        let expressions = function.preconditions.iter().chain(&function.postconditions).chain(&function.body);
        for expression in expressions {
            visit_expression(expression, &mut |node| {
                if let ExpressionKind::FunctionApplication { function, .. } = &node.kind {
                    reaches[index][function.index()] = true;
                }
                true
            });
        }
    }
    for middle in 0..count {
        for from in 0..count {
            if reaches[from][middle] {
                let row = reaches[middle].clone();
                for (to, reached) in row.iter().enumerate() {
                    reaches[from][to] |= reached;
                }
            }
        }
    }
    let mut done = vec![false; count];
    let mut order: Vec<Vec<FunctionId>> = Vec::new();
    while done.contains(&false) {
        for index in 0..count {
            if done[index] {
                continue;
            }
            let group: Vec<usize> = (0..count)
                .filter(|other| *other == index || reaches[index][*other] && reaches[*other][index])
                .collect();
            let ready = group.iter().all(|member| {
                (0..count).all(|callee| !reaches[*member][callee] || done[callee] || group.contains(&callee))
            });
            if ready {
                group.iter().for_each(|member| done[*member] = true);
                let is_recursive = group.len() > 1 || reaches[index][index];
                let _ = is_recursive;
                order.push(group.into_iter().map(|member| FunctionId(member as u32)).collect());
            }
        }
    }
    order
}
