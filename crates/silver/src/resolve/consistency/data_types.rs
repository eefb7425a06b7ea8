//! Algebraic data types have values.
//!
//! Every type of Silver has a value: a variable has one without being assigned. Of a data type whose constructors all
//! need a value of the type itself, such as `adt A { C(a: A) }`, nothing can be built in finitely many steps; that
//! values are smaller than those they are part of, on which termination proofs rest, would then prove anything.

use rustc_hash::FxHashMap;
use source::Diagnostic;

use super::super::checker::AdtInfo;
use crate::codes;
use crate::typed::{DomainId, Program, Type};

/// A data type, and for which of its type parameters there is a value.
type Instance = (DomainId, Vec<bool>);

/// Data types of which no value can be built, whatever values there are of their type parameters.
pub(in crate::resolve) fn check_data_types(program: &Program, adts: &[AdtInfo]) -> Vec<Diagnostic> {
    let mut values = Values { program, adts, built: FxHashMap::default() };
    let wanted: Vec<Instance> = adts
        .iter()
        .map(|adt| (adt.domain, vec![true; program.domain(adt.domain).parameters.len()]))
        .collect();
    for instance in &wanted {
        values.is_built(instance);
    }
    while values.build() {}
    let mut diagnostics = Vec::new();
    for (adt, instance) in adts.iter().zip(&wanted) {
        // One without constructors is an error of its own.
        if !adt.constructors.is_empty() && !values.is_built(instance) {
            let name = &program.domain(adt.domain).name;
            let message = format!("no value of the data type `{name}` can be built");
            let help = "each constructor needs a value of the type before there is one; \
                        add a constructor that does not";
            diagnostics.push(Diagnostic::error(codes::CONSISTENCY, adt.span, message).help(help));
        }
    }
    diagnostics
}

/// The least fixed point of *some constructor has a value for each of its fields*, as far as it is asked for. Types
/// may be used with ever larger arguments, but of these it only matters whether they have values.
struct Values<'a> {
    program: &'a Program,
    adts: &'a [AdtInfo],
    built: FxHashMap<Instance, bool>,
}

impl Values<'_> {
    /// Whether a value is known by now. What is asked for the first time is looked at from now on.
    fn is_built(&mut self, instance: &Instance) -> bool {
        *self.built.entry(instance.clone()).or_insert(false)
    }

    /// Goes once through all that was asked for; whether anything is new.
    fn build(&mut self) -> bool {
        let asked = self.built.len();
        let mut open: Vec<Instance> =
            self.built.iter().filter(|(_, built)| !**built).map(|(instance, _)| instance.clone()).collect();
        open.sort();
        let mut found = false;
        for instance in open {
            let Some(adt) = self.adts.iter().find(|adt| adt.domain == instance.0) else { continue };
            let built = adt.constructors.iter().any(|constructor| {
                let formals = &self.program.domain_function(constructor.function).formals;
                formals.iter().all(|formal| self.has_value(&formal.ty, &instance.1))
            });
            if built {
                self.built.insert(instance, true);
                found = true;
            }
        }
        found || self.built.len() > asked
    }

    fn has_value(&mut self, ty: &Type, parameters: &[bool]) -> bool {
        match ty {
            Type::Int | Type::Bool | Type::Perm | Type::Ref => true,
            // The empty one.
            Type::Seq(_) | Type::Set(_) | Type::Multiset(_) | Type::Map(..) => true,
            Type::Parameter(index) => parameters.get(*index as usize).copied().unwrap_or(true),
            Type::Domain(domain, arguments) if self.adts.iter().any(|adt| adt.domain == *domain) => {
                let arguments =
                    arguments.iter().map(|argument| self.has_value(argument, parameters)).collect();
                self.is_built(&(*domain, arguments))
            }
            // Nothing is known of how these values come about.
            Type::Domain(..) => true,
        }
    }
}
