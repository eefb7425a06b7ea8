//! Which instances of domains a proof needs.
//!
//! An instance is needed if the texts that the proof can meet have it as a type or apply one of its functions, if an axiom of it
//! speaks of a function that the text applies, or if the text of a needed instance's domain, instantiated, has it.
//! The last rule alone may go on for ever (`List[T]` that mentions `List[List[T]]`); as in Viper, type arguments
//! may be wrapped once more than where the program itself has them.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use silver::typed::{
    Domain, DomainId, ExpressionKind, ExpressionRef, Local, Program, Type, visit_expression,
};

use crate::dependencies::Texts;
use crate::limits;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Instance {
    pub domain: DomainId,
    pub arguments: Arc<[Type]>,
}

#[derive(Clone, Default, Debug)]
pub(super) struct Instances {
    /// By name.
    list: Vec<Instance>,
    known: FxHashSet<Instance>,
    /// For each instance of the list, how often each of its arguments has been wrapped on the way to it.
    inflations: Vec<Vec<usize>>,
}

impl Instances {
    pub(super) fn of(program: &Program, texts: &Texts<'_>) -> Instances {
        let mut instances = Instances::default();
        for domain in &texts.domains {
            if program.domain(*domain).parameters.is_empty() {
                instances.add(Instance { domain: *domain, arguments: Arc::from([]) }, Vec::new());
            }
        }
        let mut mentioned = Mentioned::new(program);
        mentioned.texts(texts);
        for instance in &mentioned.instances {
            if instance.is_ground() {
                let inflation = vec![0; instance.arguments.len()];
                instances.add(instance.clone(), inflation);
            }
        }
        instances.add_for_axioms(program, texts, &mentioned);
        instances.close(program);
        // Not the order in which the program declares or mentions them.
        instances.list.sort_by_cached_key(|instance| {
            super::names::domain_sort(program, instance.domain, &instance.arguments)
        });
        instances
    }

    pub(super) fn get(&self, index: usize) -> Option<&Instance> {
        self.list.get(index)
    }

    /// Whether all instances are needed that the expression mentions when a domain's parameters are replaced.
    pub(super) fn cover(&self, program: &Program, expression: &ExpressionRef, arguments: &[Type]) -> bool {
        let mut mentioned = Mentioned::new(program);
        mentioned.expression(expression);
        mentioned.instances.iter().all(|generic| {
            let arguments = generic.arguments.iter().map(|ty| ty.instantiate(arguments)).collect();
            self.contains(&Instance { domain: generic.domain, arguments })
        })
    }

    fn contains(&self, instance: &Instance) -> bool {
        self.known.contains(instance)
    }

    fn add(&mut self, instance: Instance, inflation: Vec<usize>) {
        if self.known.insert(instance.clone()) {
            self.list.push(instance);
            self.inflations.push(inflation);
        }
    }

    /// An axiom of a generic domain may speak of functions of another domain only: match these with the ground
    /// applications in the text to find the instances of the axiom's domain.
    fn add_for_axioms(&mut self, program: &Program, texts: &Texts<'_>, text: &Mentioned<'_>) {
        let mut ground: FxHashMap<DomainId, Vec<&Instance>> = FxHashMap::default();
        for instance in text.applied.iter().filter(|instance| instance.is_ground()) {
            ground.entry(instance.domain).or_default().push(instance);
        }
        for id in &texts.domains {
            let domain = program.domain(*id);
            if domain.parameters.is_empty() {
                continue;
            }
            let mut mentioned = Mentioned::new(program);
            for axiom in &domain.axioms {
                mentioned.expression(&axiom.body);
            }
            for pattern in mentioned.applied.iter() {
                for candidate in ground.get(&pattern.domain).into_iter().flatten() {
                    let mut bindings = vec![None; domain.parameters.len()];
                    let matches = pattern
                        .arguments
                        .iter()
                        .zip(candidate.arguments.iter())
                        .all(|(pattern, ty)| unify(pattern, ty, &mut bindings));
                    if matches {
                        // A parameter that the function does not determine is an integer.
                        let arguments: Arc<[Type]> =
                            bindings.into_iter().map(|binding| binding.unwrap_or(Type::Int)).collect();
                        let inflation = vec![0; arguments.len()];
                        self.add(Instance { domain: *id, arguments }, inflation);
                    }
                }
            }
        }
    }

    /// Adds what the text of needed domains leads to.
    fn close(&mut self, program: &Program) {
        let mentioned: Vec<Mentioned<'_>> = program
            .domains
            .iter()
            .map(|domain| {
                let mut mentioned = Mentioned::new(program);
                mentioned.domain(domain);
                mentioned
            })
            .collect();
        let mut next = 0;
        while let Some(instance) = self.list.get(next).cloned() {
            if self.list.len() > limits::INSTANCES {
                break;
            }
            let inflation = self.inflations[next].clone();
            next += 1;
            for generic in &mentioned[instance.domain.index()].instances {
                let arguments: Arc<[Type]> =
                    generic.arguments.iter().map(|ty| ty.instantiate(&instance.arguments)).collect();
                let inflations: Vec<usize> =
                    generic.arguments.iter().map(|ty| inflated(ty, 0, &inflation)).collect();
                if inflations.iter().all(|inflation| *inflation <= limits::INFLATION) {
                    self.add(Instance { domain: generic.domain, arguments }, inflations);
                }
            }
        }
    }
}

impl Instance {
    fn is_ground(&self) -> bool {
        self.arguments.iter().all(Type::is_ground)
    }
}

/// How deep a parameter ends up at most when the parameters themselves are as deep as given.
fn inflated(ty: &Type, depth: usize, inflation: &[usize]) -> usize {
    match ty {
        Type::Int | Type::Bool | Type::Perm | Type::Ref => 0,
        Type::Parameter(index) => depth + inflation.get(*index as usize).copied().unwrap_or(0),
        Type::Seq(element) | Type::Set(element) | Type::Multiset(element) => {
            inflated(element, depth + 1, inflation)
        }
        Type::Map(key, value) => {
            inflated(key, depth + 1, inflation).max(inflated(value, depth + 1, inflation))
        }
        Type::Domain(_, arguments) => {
            arguments.iter().map(|argument| inflated(argument, depth + 1, inflation)).max().unwrap_or(0)
        }
    }
}

/// Finds types for the parameters of a pattern that make it the ground type.
fn unify(pattern: &Type, ground: &Type, bindings: &mut [Option<Type>]) -> bool {
    match (pattern, ground) {
        (Type::Parameter(index), _) => match bindings.get_mut(*index as usize) {
            Some(Some(bound)) => bound == ground,
            Some(free) => {
                *free = Some(ground.clone());
                true
            }
            None => false,
        },
        (Type::Seq(pattern), Type::Seq(ground))
        | (Type::Set(pattern), Type::Set(ground))
        | (Type::Multiset(pattern), Type::Multiset(ground)) => unify(pattern, ground, bindings),
        (Type::Map(key, value), Type::Map(ground_key, ground_value)) => {
            unify(key, ground_key, bindings) && unify(value, ground_value, bindings)
        }
        (Type::Domain(domain, patterns), Type::Domain(ground_domain, grounds)) => {
            domain == ground_domain
                && patterns
                    .iter()
                    .zip(grounds.iter())
                    .all(|(pattern, ground)| unify(pattern, ground, bindings))
        }
        _ => pattern == ground,
    }
}

/// Instances that a piece of text mentions, ground or not, each once and in order.
struct Mentioned<'p> {
    program: &'p Program,
    instances: Vec<Instance>,
    seen: FxHashSet<Instance>,
    seen_types: FxHashSet<Type>,
    /// Those among them whose functions are applied.
    applied: Vec<Instance>,
    seen_applied: FxHashSet<Instance>,
}

impl<'p> Mentioned<'p> {
    fn new(program: &'p Program) -> Mentioned<'p> {
        Mentioned {
            program,
            instances: Vec::new(),
            seen: FxHashSet::default(),
            seen_types: FxHashSet::default(),
            applied: Vec::new(),
            seen_applied: FxHashSet::default(),
        }
    }

    fn texts(&mut self, texts: &Texts<'_>) {
        let program = self.program;
        texts.domains.iter().for_each(|domain| self.domain(program.domain(*domain)));
        texts.types.iter().for_each(|ty| self.ty(ty));
        texts.expressions.iter().for_each(|expression| self.expression(expression));
    }

    fn domain(&mut self, domain: &Domain) {
        for function in &domain.functions {
            let function = self.program.domain_function(*function);
            function.formals.iter().for_each(|formal| self.ty(&formal.ty));
            self.ty(&function.result);
        }
        for axiom in &domain.axioms {
            self.locals(&axiom.locals);
            self.expression(&axiom.body);
        }
    }

    fn locals(&mut self, locals: &[Local]) {
        locals.iter().for_each(|local| self.ty(&local.ty));
    }

    fn expression(&mut self, expression: &ExpressionRef) {
        visit_expression(expression, &mut |node| {
            self.ty(&node.ty);
            if let ExpressionKind::DomainApplication { function, type_arguments, .. } = &node.kind {
                let domain = self.program.domain_function(*function).domain;
                type_arguments.iter().for_each(|argument| self.ty(argument));
                self.application(Instance { domain, arguments: type_arguments.clone() });
            }
            true
        });
    }

    fn application(&mut self, instance: Instance) {
        if self.seen_applied.insert(instance.clone()) {
            self.applied.push(instance.clone());
            self.instance(instance);
        }
    }

    fn instance(&mut self, instance: Instance) {
        if self.seen.insert(instance.clone()) {
            self.instances.push(instance);
        }
    }

    fn ty(&mut self, ty: &Type) {
        if matches!(ty, Type::Int | Type::Bool | Type::Perm | Type::Ref | Type::Parameter(_))
            || !self.seen_types.insert(ty.clone())
        {
            return;
        }
        match ty {
            Type::Seq(element) | Type::Set(element) | Type::Multiset(element) => self.ty(element),
            Type::Map(key, value) => {
                self.ty(key);
                self.ty(value);
            }
            Type::Domain(domain, arguments) => {
                arguments.iter().for_each(|argument| self.ty(argument));
                self.instance(Instance { domain: *domain, arguments: arguments.clone() });
            }
            Type::Int | Type::Bool | Type::Perm | Type::Ref | Type::Parameter(_) => {}
        }
    }
}
