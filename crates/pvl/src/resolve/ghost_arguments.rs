//! Ghost arguments and results of calls.

use rustc_hash::FxHashMap;
use source::Diagnostic;

use super::Type;
use super::checker::Checker;
use crate::codes;
use crate::syntax::tree::{self, Contract, Expression, Name, NodeId};

impl<'tree> Checker<'tree> {
    /// `given` and `yields` of a call.
    pub(super) fn ghost_arguments(
        &mut self,
        expression: &Expression,
        name: &Name,
        contract: Option<&'tree Contract>,
        given: &'tree [tree::GivenArgument],
        yields: &'tree [tree::YieldsResult],
        environment: &FxHashMap<NodeId, Type>,
    ) {
        let mut found = super::GhostArguments::default();
        let declared = |wanted: &Name, given: bool| {
            let contract = contract?;
            let mut parameters: Box<dyn Iterator<Item = &tree::Parameter>> =
                if given { Box::new(contract.given()) } else { Box::new(contract.yields()) };
            parameters.find(|parameter| parameter.name.text == wanted.text).map(|parameter| parameter.id)
        };
        for argument in given {
            match declared(&argument.name, true) {
                Some(id) => {
                    let ty = self.type_of_variable(id).substitute(environment);
                    self.within(
                        |context| context.ghost = true,
                        |checker| checker.check(&argument.value, &ty),
                    );
                    found.given.push(id);
                }
                None => {
                    self.infer(&argument.value, None);
                    self.error(
                        codes::NO_SUCH_NAME,
                        argument.name.span,
                        format!("`{}` has no ghost parameter `{}`", name.text, argument.name.text),
                        format!("declare it with `given T {};` in the contract", argument.name.text),
                    );
                }
            }
        }
        for result in yields {
            let target = self.infer(&result.target, None);
            self.check_assignable(&result.target);
            match declared(&result.name, false) {
                Some(id) => {
                    let ty = self.type_of_variable(id).substitute(environment);
                    if !ty.fits(&target) {
                        let message = format!(
                            "`{}` is of type `{}`, but the variable is of type `{}`",
                            result.name.text,
                            self.show(&ty),
                            self.show(&target)
                        );
                        self.report(Diagnostic::error(codes::TYPE, result.target.span, message));
                    }
                    found.yields.push(id);
                }
                None => self.error(
                    codes::NO_SUCH_NAME,
                    result.name.span,
                    format!("`{}` has no ghost result `{}`", name.text, result.name.text),
                    format!("declare it with `yields T {};` in the contract", result.name.text),
                ),
            }
        }
        for parameter in contract.into_iter().flat_map(Contract::given) {
            if !given.iter().any(|argument| argument.name.text == parameter.name.text) {
                let error = Diagnostic::error(
                    codes::MISSING_GIVEN,
                    name.span,
                    format!(
                        "`{}` needs a value for its ghost parameter `{}`",
                        name.text, parameter.name.text
                    ),
                )
                .label(parameter.name.span, "declared here")
                .help(format!("write `{}(…) given {{ {} = … }}`", name.text, parameter.name.text));
                self.report(error);
            }
        }
        if !given.is_empty() || !yields.is_empty() {
            self.resolution.ghost_arguments.insert(expression.id, found);
        }
    }
}
