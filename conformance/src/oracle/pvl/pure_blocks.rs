//! Functions whose bodies are blocks: branches, variables that are assigned, and `return`.

use pvl::resolve::NameTarget;
use pvl::syntax::tree::{Branch, Statement, StatementKind};

use super::machine::Machine;
use super::state::Env;
use super::stop::{Result, Stop};
use super::value::Value;

impl<'t> Machine<'t> {
    /// The value that the statements return, if they get to a `return`.
    pub(super) fn pure_block(&mut self, env: &mut Env, statements: &'t [Statement]) -> Result<Option<Value>> {
        for statement in statements {
            if let Some(value) = self.pure_statement(env, statement)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn pure_statement(&mut self, env: &mut Env, statement: &'t Statement) -> Result<Option<Value>> {
        match &statement.kind {
            StatementKind::Block(block) => return self.pure_block(env, &block.statements),
            StatementKind::Local { declarators, .. } => {
                for declarator in declarators {
                    let value = match &declarator.value {
                        Some(value) => self.evaluate(env, value)?,
                        None => {
                            let ty = self.resolution.variables.get(&declarator.id).cloned();
                            self.garbage(&ty.ok_or_else(|| Stop::unknown("a type"))?)?
                        }
                    };
                    env.variables.push((declarator.id, value));
                }
            }
            StatementKind::Assign { target, value } => {
                let value = self.evaluate(env, value)?;
                match self.resolution.names.get(&target.id) {
                    Some(NameTarget::Variable(id)) => self.set_variable(env, *id, value, target.span)?,
                    _ => return Err(Stop::unknown("an assignment in a function")),
                }
            }
            StatementKind::Return(Some(value)) => return self.evaluate(env, value).map(Some),
            StatementKind::If { condition: Branch::Condition(condition), then, otherwise } => {
                if self.truth(env, condition)? {
                    return self.pure_statement(env, then);
                }
                if let Some(otherwise) = otherwise {
                    return self.pure_statement(env, otherwise);
                }
            }
            StatementKind::Assert(_) | StatementKind::Ghost(_) => {}
            _ => return Err(Stop::unknown("a statement in a function")),
        }
        Ok(None)
    }
}
