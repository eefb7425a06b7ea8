//! `\current_thread`: the identity of a thread, an integer.
//!
//! In a program that speaks about it, it is a parameter that methods, and predicates and functions marked
//! `thread_local`, pass on. A thread that starts, by `fork` or in a par block, has an identity that nobody else knows.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::instances::{Instance, Part};
use crate::lower::scope::Scope;
use crate::resolve::Type;
use crate::syntax::tree::Routine;

/// How people write it.
const WRITTEN: &str = "\\current_thread";

impl Lowering<'_> {
    /// Whether the current thread is a parameter.
    pub(crate) fn is_thread_local(&self, instance: &Instance) -> bool {
        if !self.resolution.names_threads {
            return false;
        }
        match instance.part {
            Part::Constructor => true,
            Part::Routine => match self.resolution.items.routines.get(&instance.id) {
                Some(Routine::Method(method)) => {
                    method.modifiers.pure.is_none() || method.modifiers.thread_local.is_some()
                }
                Some(Routine::Lemma(_)) => true,
                Some(routine) => {
                    routine.modifiers().is_some_and(|modifiers| modifiers.thread_local.is_some())
                }
                None => false,
            },
            _ => false,
        }
    }

    /// Whether an object stands in front of the arguments of a call.
    fn is_called_on_object(&self, instance: &Instance) -> bool {
        instance.part == Part::Routine && self.has_this(instance.id)
    }
}

impl Scope<'_, '_> {
    /// The parameter, behind `this`.
    pub(crate) fn thread_formal(&mut self, place: Span) -> s::Binding {
        let name = self.name_of_thread();
        let mut build = self.at(place);
        let int = build.ty(s::TypeKind::Int);
        build.binding(&name, int)
    }

    /// From here on, another thread runs.
    pub(crate) fn new_thread(&mut self, place: Span) {
        if self.resolution.names_threads {
            let name = self.name_of_thread();
            let int = self.ty(&Type::Int, place);
            self.declare_local(&name, int, None, place);
        }
    }

    fn name_of_thread(&mut self) -> Arc<str> {
        let name = self.member.names.fresh("thread");
        self.lowering.spelling.add_variable(&name, WRITTEN);
        self.bindings.thread = Some(name.clone());
        name
    }

    pub(crate) fn current_thread(&mut self, place: Span) -> s::Expression {
        match self.bindings.thread.clone() {
            Some(name) => self.at(place).variable(&name),
            None => {
                let message = "the current thread is not in reach of the generated code";
                self.error(crate::codes::THREAD_SCOPE, place, message, "keep it in a variable around this");
                self.at(place).int(0)
            }
        }
    }

    /// Puts the current thread among the arguments of a call, where it is a parameter.
    pub(crate) fn pass_thread(&mut self, arguments: &mut Vec<s::Expression>, to: &Instance, place: Span) {
        if self.lowering.is_thread_local(to) {
            let thread = self.current_thread(place);
            let position = usize::from(self.lowering.is_called_on_object(to)).min(arguments.len());
            arguments.insert(position, thread);
        }
    }
}
