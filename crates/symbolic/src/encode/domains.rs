//! Domains: applications of their functions, and the axioms of every instance that the program needs.
//!
//! Domains are monomorphised: each instance has its own sort, functions and axioms. All axioms of a needed instance are
//! handed out, whether or not its functions have been used, because an axiom may speak of other domains only.

use std::sync::Arc;

use silver::typed::{Axiom, DomainFunctionId, DomainId, FunctionId, Type, visit_expression};
use smt::{BigInt, Function, Sign, Sort, Term};
use source::Span;
use verdict::QuantifierRole;

use super::instances::Instance;
use super::meaning::Meaning;
use super::names::FunctionVariant;
use super::pure::Environment;
use super::{Encoder, names};

impl Encoder<'_> {
    /// `f(…)` for a function of a domain whose parameters have the given types.
    pub(crate) fn domain_application(
        &mut self,
        function: DomainFunctionId,
        type_arguments: &[Type],
        arguments: &[Term],
    ) -> Term {
        let symbol = self.domain_function(function, type_arguments);
        self.terms.apply(symbol, arguments)
    }

    /// The constants of a domain that anything was said about.
    pub(crate) fn known_constants(&mut self, domain: DomainId, type_arguments: &[Type]) -> Vec<Term> {
        let functions = (0..self.program.domain_functions.len()).map(|index| DomainFunctionId(index as u32));
        let known: Vec<Function> = functions
            .filter(|id| {
                let declared = self.program.domain_function(*id);
                declared.domain == domain && declared.formals.is_empty()
            })
            .filter_map(|id| self.domain_functions.get(&(id, Arc::from(type_arguments))).copied())
            .collect();
        known.into_iter().map(|constant| self.terms.apply(constant, &[])).collect()
    }

    pub(crate) fn domain_function(
        &mut self,
        function: DomainFunctionId,
        type_arguments: &[Type],
    ) -> Function {
        let key: (_, Arc<[Type]>) = (function, Arc::from(type_arguments));
        if let Some(symbol) = self.domain_functions.get(&key) {
            return *symbol;
        }
        let declared = self.program.domain_function(function);
        let formals: Vec<Sort> =
            declared.formals.iter().map(|formal| self.sort(&formal.ty.instantiate(type_arguments))).collect();
        let result = self.sort(&declared.result.instantiate(type_arguments));
        let symbol = match &declared.interpretation {
            // The solver reads `(fp.add RNE x y)`: options of the function precede the arguments.
            Some(name) => self.terms.native_function(name.trim(), &formals, result),
            None => {
                let name = names::domain_function(self.program, function, type_arguments);
                self.meanings.add_symbol(&name, Meaning::DomainFunction(function));
                self.terms.function(&name, &formals, result)
            }
        };
        self.domain_functions.insert(key, symbol);
        symbol
    }

    /// A symbol of a function of the program over its arguments; over a snapshot of its precondition first, if that
    /// asks for permissions and the symbol depends on the heap.
    pub(crate) fn function_symbol(&mut self, function: FunctionId, variant: FunctionVariant) -> Function {
        let declared = self.program.function(function);
        let mut sorts = Vec::new();
        let reads_heap =
            declared.preconditions.iter().any(|precondition| !silver::typed::is_pure(precondition));
        if reads_heap && variant != FunctionVariant::Stateless {
            sorts.push(self.snap_sort());
        }
        for formal in &declared.formals {
            sorts.push(self.sort(&declared.locals[formal.index()].ty));
        }
        let name = names::function(&declared.name, variant);
        let result = match variant {
            FunctionVariant::Full | FunctionVariant::Limited => {
                self.meanings.add_symbol(&name, Meaning::Function(function));
                self.sort(&declared.result)
            }
            FunctionVariant::Stateless | FunctionVariant::Precondition => self.terms.bool_sort(),
            FunctionVariant::Depth => self.terms.int_sort(),
        };
        self.terms.function(&name, &sorts, result)
    }

    /// The name of an axiom about a function of the program.
    pub(crate) fn name_function_axiom(&mut self, function: FunctionId, part: &'static str) -> String {
        let declared = self.program.function(function);
        let role = QuantifierRole::Function { name: declared.name.clone(), part };
        let name = role.to_string();
        self.meanings.add_quantifier(&name, role, Some(declared.span));
        name
    }

    /// The name of a quantifier of the source.
    pub(crate) fn name_quantifier(&mut self, span: Span) -> String {
        let name = names::quantifier(span);
        self.meanings.add_quantifier(&name, QuantifierRole::Written, Some(span));
        name
    }

    /// The name of what is known about the terms in the body of a quantifier of the source.
    pub(crate) fn name_quantifier_facts(&mut self, span: Span) -> String {
        let name = names::quantifier_facts(span);
        self.meanings.add_quantifier(&name, QuantifierRole::Body, Some(span));
        name
    }

    /// The name of a fact about many locations.
    pub(crate) fn name_locations(&mut self, name: String) -> String {
        self.meanings.add_quantifier(&name, QuantifierRole::Locations(name.clone()), None);
        name
    }

    pub(super) fn take_domain_axioms(&mut self) -> Vec<Term> {
        let mut axioms = Vec::new();
        while let Some(instance) = self.instances.get(self.instances_done).cloned() {
            self.instances_done += 1;
            self.instance_axioms(&instance, &mut axioms);
        }
        axioms
    }

    fn instance_axioms(&mut self, instance: &Instance, axioms: &mut Vec<Term>) {
        let program = self.program;
        let domain = program.domain(instance.domain);
        for function in &domain.functions {
            if program.domain_function(*function).unique {
                axioms.extend(self.unique_axiom(*function, &instance.arguments));
            }
        }
        for (index, axiom) in domain.axioms.iter().enumerate() {
            let is_repetition = !self.stated.insert((instance.domain, index)) && !is_parametric(axiom);
            if is_repetition || !self.instances.cover(program, &axiom.body, &instance.arguments) {
                continue;
            }
            let label = names::axiom_label(axiom, index);
            let role = names::axiom(program, instance.domain, &instance.arguments, &label);
            let name = role.to_string();
            self.meanings.add_quantifier(&name, role, Some(axiom.span));
            let mut environment =
                Environment::for_axiom(axiom.locals.clone(), instance.arguments.clone(), &name);
            match self.pure(&axiom.body, &mut environment) {
                Ok(term) if self.terms.is_true(term) => {}
                Ok(term) => axioms.push(term),
                // The front end lets no such axiom through; to leave one out is sound.
                Err(problem) => debug_assert!(false, "axiom {name}: {problem:?}"),
            }
        }
    }

    /// Numbers the `unique` constants: those with different numbers are different. The number is the name, read as
    /// one, so that it is the same in every job: axioms travel between them.
    fn unique_axiom(&mut self, function: DomainFunctionId, type_arguments: &[Type]) -> Option<Term> {
        let symbol = self.domain_function(function, type_arguments);
        if !self.unique_constants.insert(symbol) {
            return None;
        }
        let number = BigInt::from_bytes_be(Sign::Plus, self.terms.function_name(symbol).as_bytes());
        let constant = self.terms.apply(symbol, &[]);
        let sort = self.terms.sort_of(constant);
        let tag = names::unique_tag(&self.terms, sort);
        let int = self.terms.int_sort();
        let tag = self.terms.function(&tag, &[sort], int);
        let tagged = self.terms.apply(tag, &[constant]);
        let number = self.terms.int(number);
        Some(self.terms.equal(tagged, number))
    }
}

/// Whether instances of the axiom differ.
fn is_parametric(axiom: &Axiom) -> bool {
    let mut parametric = axiom.locals.iter().any(|local| !local.ty.is_ground());
    visit_expression(&axiom.body, &mut |node| {
        parametric |= !node.ty.is_ground();
        !parametric
    });
    parametric
}
