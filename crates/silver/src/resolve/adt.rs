//! Algebraic data types as domains.
//!
//! The domain of an ADT has its constructors, a destructor for each field, a tag function and a height. Axioms: destructors
//! invert constructors, each constructor has its tag, every value is built by one of the constructors, and it is higher
//! than the values of the ADT inside of it. Where termination is proved, fields that hold a value of the ADT are smaller than the value they are in; where
//! `contains` is derived, fields are contained in it.

use std::sync::Arc;

use source::Span;

use super::checker::{AdtInfo, Checker, ConstructorInfo};
use super::termination::find_relation;
use crate::limits;
use crate::syntax::tree::Name;
use crate::typed::{
    Axiom, BinaryOperator, Domain, DomainFunctionId, DomainFunctionOrigin, DomainId, Expression,
    ExpressionKind, ExpressionRef, Formal, Local, LocalId, LocalKind, Program, Trigger, Type,
    for_each_expression, visit_expression, visit_statements,
};

/// An axiom under construction.
struct Axioms<'a> {
    program: &'a Program,
    span: Span,
    locals: Vec<Local>,
}

impl<'a> Axioms<'a> {
    fn new(program: &'a Program, span: Span) -> Axioms<'a> {
        Axioms { program, span, locals: Vec::new() }
    }

    fn variable(&mut self, name: &str, ty: Type) -> (LocalId, ExpressionRef) {
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(Local {
            name: name.into(),
            ty: ty.clone(),
            span: self.span,
            kind: LocalKind::Bound,
        });
        (id, Expression::local(id, ty, self.span))
    }

    fn apply(
        &self,
        function: DomainFunctionId,
        type_arguments: &[Type],
        arguments: Vec<ExpressionRef>,
    ) -> ExpressionRef {
        let ty = self.program.domain_function(function).result.instantiate(type_arguments);
        let kind = ExpressionKind::DomainApplication {
            function,
            type_arguments: type_arguments.into(),
            arguments: arguments.into(),
        };
        Expression::new(kind, ty, self.span)
    }

    fn equal(&self, left: ExpressionRef, right: ExpressionRef) -> ExpressionRef {
        Expression::formula(BinaryOperator::Equal, left, right, self.span)
    }

    fn number(&self, value: usize) -> ExpressionRef {
        Expression::new(ExpressionKind::Int(value.to_string().into()), Type::Int, self.span)
    }

    /// Quantifies a formula; each trigger has one term. Without variables it is the formula itself.
    fn forall(
        &self,
        variables: Vec<LocalId>,
        triggers: Vec<Vec<ExpressionRef>>,
        body: ExpressionRef,
    ) -> ExpressionRef {
        if variables.is_empty() {
            return body;
        }
        let triggers = triggers
            .into_iter()
            .map(|terms| Trigger { expressions: terms.into(), span: self.span })
            .collect();
        let kind = ExpressionKind::Forall { variables: variables.into(), triggers, body };
        Expression::new(kind, Type::Bool, self.span)
    }

    fn finish(self, body: ExpressionRef) -> Axiom {
        Axiom { name: None, span: self.span, locals: self.locals, body }
    }
}

fn own_parameters(program: &Program, domain: DomainId) -> Vec<Type> {
    (0..program.domain(domain).parameters.len() as u32).map(Type::Parameter).collect()
}

/// Variables for the fields of a constructor, and the constructor applied to them.
fn constructor_term(
    axioms: &mut Axioms<'_>,
    constructor: &ConstructorInfo,
    parameters: &[Type],
) -> (Vec<LocalId>, Vec<ExpressionRef>, ExpressionRef) {
    let formals = axioms.program.domain_function(constructor.function).formals.clone();
    let (mut variables, mut terms) = (Vec::new(), Vec::new());
    for (formal, (name, _)) in formals.iter().zip(&constructor.fields) {
        let (variable, term) = axioms.variable(name, formal.ty.clone());
        variables.push(variable);
        terms.push(term);
    }
    let applied = axioms.apply(constructor.function, parameters, terms.clone());
    (variables, terms, applied)
}

impl Checker {
    /// Adds the axioms of all ADTs.
    pub(super) fn encode_adts(&mut self) {
        self.declare_heights();
        self.rename_generated_functions();
        for adt in self.adts.clone() {
            let axioms = adt_axioms(&self.program, &adt);
            self.program.domains[adt.domain.index()].axioms.extend(axioms);
            if let Some(height) = adt.height {
                let axioms = height_axioms(&self.program, &self.adts, &adt, height);
                self.program.domains[adt.domain.index()].axioms.extend(axioms);
            }
            if let Some(without) = &adt.contains_without
                && let Some(contains) = find_relation(&self.program, "contains", 2, 2)
            {
                let axioms = contains_axioms(&self.program, &adt, contains, without);
                self.program.domains[adt.domain.index()].axioms.extend(axioms);
            }
            self.well_founded_order(&adt);
        }
        if self.adts.iter().any(|adt| adt.contains_without.is_some()) {
            self.contains_is_transitive();
        }
    }

    /// ADTs whose values can be parts of each other have a height.
    fn declare_heights(&mut self) {
        for index in 0..self.adts.len() {
            let adt = &self.adts[index];
            let (domain, span) = (adt.domain, adt.span);
            if axioms_of_parts(&self.program, &self.adts, adt, |_, _, whole| whole).is_empty() {
                continue;
            }
            let text = format!("{}_height", self.program.domain(domain).name).into();
            let height = self.declare_domain_function(&Name { text, span }, span, domain);
            let ty = Type::Domain(domain, own_parameters(&self.program, domain).into());
            let function = &mut self.program.domain_functions[height.index()];
            function.formals = vec![Formal { name: Some("t".to_owned()), ty }];
            function.origin = DomainFunctionOrigin::Height;
            self.adts[index].height = Some(height);
        }
    }

    /// Destructors, tags and heights are named after the ADT; a name that the program uses itself is numbered.
    fn rename_generated_functions(&mut self) {
        let adts = self.adts.iter();
        let generated: Vec<DomainFunctionId> = adts
            .flat_map(|adt| {
                let fields = adt.constructors.iter().flat_map(|constructor| &constructor.fields);
                fields.map(|(_, destructor)| *destructor).chain([adt.tag]).chain(adt.height)
            })
            .collect();
        for function in generated {
            let wanted = self.program.domain_function(function).name.clone();
            let mut name = wanted.clone();
            let mut number = 1;
            loop {
                let is_taken = !self.global(&name).is_empty()
                    || self
                        .program
                        .domain_functions
                        .iter()
                        .enumerate()
                        .any(|(index, other)| index != function.index() && other.name == name);
                if !is_taken {
                    break;
                }
                name = format!("{wanted}{number}");
                number += 1;
            }
            self.program.domain_functions[function.index()].name = name;
        }
    }

    /// Fields of the ADT's own type are smaller, if the program speaks about well-founded orders.
    fn well_founded_order(&mut self, adt: &AdtInfo) {
        let name = format!("{}WellFoundedOrder", self.program.domain(adt.domain).name);
        let functions =
            (find_relation(&self.program, "decreasing", 1, 2), find_relation(&self.program, "bounded", 1, 1));
        let (Some(decreasing), Some(bounded)) = functions else { return };
        if self.program.find_domain("WellFoundedOrder").is_none() || self.program.find_domain(&name).is_some()
        {
            return;
        }
        let axioms = order_axioms(&self.program, &self.adts, adt, decreasing, bounded);
        let parameters = self.program.domain(adt.domain).parameters.clone();
        self.program.domains.push(Domain { parameters, axioms, ..Domain::empty(name, adt.span) });
    }

    /// `contains` is transitive over the types for which the program uses it.
    fn contains_is_transitive(&mut self) {
        let Some(contains) = find_relation(&self.program, "contains", 2, 2) else { return };
        let mut pairs = contained_types(&self.program, contains);
        loop {
            let mut more = Vec::new();
            for (a, b) in &pairs {
                for (c, d) in &pairs {
                    let pair = (a.clone(), d.clone());
                    if b == c && !pairs.contains(&pair) && !more.contains(&pair) {
                        more.push(pair);
                    }
                }
            }
            if more.is_empty() {
                break;
            }
            pairs.extend(more);
        }
        let span = self.program.domain_function(contains).span;
        let mut axioms = Vec::new();
        for (a, b) in &pairs {
            for (_, c) in pairs.iter().filter(|(from, _)| from == b) {
                let mut builder = Axioms::new(&self.program, span);
                let (x, x_term) = builder.variable("a", a.clone());
                let (y, y_term) = builder.variable("b", b.clone());
                let (z, z_term) = builder.variable("c", c.clone());
                let first =
                    builder.apply(contains, &[a.clone(), b.clone()], vec![x_term.clone(), y_term.clone()]);
                let second = builder.apply(contains, &[b.clone(), c.clone()], vec![y_term, z_term.clone()]);
                let third = builder.apply(contains, &[a.clone(), c.clone()], vec![x_term, z_term]);
                let both = Expression::formula(BinaryOperator::And, first.clone(), second.clone(), span);
                let body = Expression::formula(BinaryOperator::Implies, both, third, span);
                let forall = builder.forall(vec![x, y, z], vec![vec![first, second]], body);
                axioms.push(builder.finish(forall));
            }
        }
        self.program.domains.push(Domain { axioms, ..Domain::empty("ContainsTransitivityDomain", span) });
    }
}

fn adt_axioms(program: &Program, adt: &AdtInfo) -> Vec<Axiom> {
    let parameters = own_parameters(program, adt.domain);
    let own = Type::Domain(adt.domain, parameters.clone().into());
    let mut axioms = Vec::new();
    for constructor in &adt.constructors {
        for (index, (_, destructor)) in constructor.fields.iter().enumerate() {
            let mut builder = Axioms::new(program, constructor.span);
            let (variables, terms, applied) = constructor_term(&mut builder, constructor, &parameters);
            let destructed = builder.apply(*destructor, &parameters, vec![applied.clone()]);
            let body = builder.equal(terms[index].clone(), destructed);
            let forall = builder.forall(variables, vec![vec![applied]], body);
            axioms.push(builder.finish(forall));
        }
    }
    for constructor in &adt.constructors {
        let mut builder = Axioms::new(program, constructor.span);
        let (variables, _, applied) = constructor_term(&mut builder, constructor, &parameters);
        let tag = builder.apply(adt.tag, &parameters, vec![applied.clone()]);
        let body = builder.equal(tag, builder.number(constructor.tag));
        let forall = builder.forall(variables, vec![vec![applied]], body);
        axioms.push(builder.finish(forall));
    }
    let mut builder = Axioms::new(program, adt.span);
    let (variable, value) = builder.variable("t", own);
    let mut triggers = vec![vec![builder.apply(adt.tag, &parameters, vec![value.clone()])]];
    let mut body = Expression::boolean(false, adt.span);
    for (index, constructor) in adt.constructors.iter().enumerate() {
        let fields: Vec<ExpressionRef> = constructor
            .fields
            .iter()
            .map(|(_, destructor)| builder.apply(*destructor, &parameters, vec![value.clone()]))
            .collect();
        if index + 1 == adt.constructors.len() {
            triggers.extend(fields.iter().map(|field| vec![field.clone()]));
        }
        let built = builder.apply(constructor.function, &parameters, fields);
        let case = builder.equal(value.clone(), built);
        body = Expression::formula(BinaryOperator::Or, body, case, adt.span);
    }
    let forall = builder.forall(vec![variable], triggers, body);
    axioms.push(builder.finish(forall));
    axioms
}

fn contains_axioms(
    program: &Program,
    adt: &AdtInfo,
    contains: DomainFunctionId,
    without: &[Arc<str>],
) -> Vec<Axiom> {
    let parameters = own_parameters(program, adt.domain);
    let mut axioms = Vec::new();
    for constructor in adt.constructors.iter().filter(|constructor| !constructor.fields.is_empty()) {
        let mut builder = Axioms::new(program, constructor.span);
        let (variables, terms, applied) = constructor_term(&mut builder, constructor, &parameters);
        let mut body = Expression::boolean(true, constructor.span);
        for (term, (name, _)) in terms.iter().zip(&constructor.fields) {
            if without.contains(name) {
                continue;
            }
            let types = [term.ty.clone(), applied.ty.clone()];
            let contained = builder.apply(contains, &types, vec![term.clone(), applied.clone()]);
            body = Expression::formula(BinaryOperator::And, body, contained, constructor.span);
        }
        let forall = builder.forall(variables, vec![vec![applied]], body);
        axioms.push(builder.finish(forall));
    }
    axioms
}

/// Ground types that `contains` is applied to.
fn contained_types(program: &Program, contains: DomainFunctionId) -> Vec<(Type, Type)> {
    let mut pairs = Vec::new();
    let mut look = |expression: &ExpressionRef| {
        visit_expression(expression, &mut |node| {
            if let ExpressionKind::DomainApplication { function, type_arguments, .. } = &node.kind
                && *function == contains
                && let [inner, outer] = &**type_arguments
                && inner.is_ground()
                && outer.is_ground()
            {
                let pair = (inner.clone(), outer.clone());
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
            true
        });
    };
    for axiom in program.domains.iter().flat_map(|domain| &domain.axioms) {
        look(&axiom.body);
    }
    for function in &program.functions {
        function
            .preconditions
            .iter()
            .chain(&function.postconditions)
            .chain(&function.body)
            .for_each(&mut look);
    }
    program.predicates.iter().flat_map(|predicate| &predicate.body).for_each(&mut look);
    for method in &program.methods {
        method.preconditions.iter().chain(&method.postconditions).for_each(&mut look);
        if let Some(body) = &method.body {
            visit_statements(body, &mut |statement| for_each_expression(statement, &mut look));
        }
    }
    pairs
}

/// How a value of the ADT can sit inside a field: the variables, the field's value built from them, and the part.
struct Occurrence {
    variables: Vec<LocalId>,
    value: ExpressionRef,
    part: ExpressionRef,
}

/// An axiom for each way in which a value of the ADT can be a part of another: what `related` says of part and whole.
fn axioms_of_parts(
    program: &Program,
    adts: &[AdtInfo],
    adt: &AdtInfo,
    related: impl Fn(&Axioms<'_>, ExpressionRef, ExpressionRef) -> ExpressionRef,
) -> Vec<Axiom> {
    let parameters = own_parameters(program, adt.domain);
    let own = Type::Domain(adt.domain, parameters.clone().into());
    let mut axioms = Vec::new();
    for constructor in &adt.constructors {
        for index in 0..constructor.fields.len() {
            let field_type = program.domain_function(constructor.function).formals[index].ty.clone();
            let name = constructor.fields[index].0.clone();
            // The number of occurrences does not depend on the builder; each gets an axiom of its own.
            let count = occurrences(
                &mut Axioms::new(program, constructor.span),
                adts,
                &own,
                &field_type,
                &name,
                &mut vec![],
            )
            .len();
            for occurrence_index in 0..count {
                let mut builder = Axioms::new(program, constructor.span);
                let mut found = occurrences(&mut builder, adts, &own, &field_type, &name, &mut Vec::new());
                if occurrence_index >= found.len() {
                    continue;
                }
                let occurrence = found.swap_remove(occurrence_index);
                let mut variables = occurrence.variables;
                let mut arguments = Vec::new();
                for (other, (other_name, _)) in constructor.fields.iter().enumerate() {
                    if other == index {
                        arguments.push(occurrence.value.clone());
                    } else {
                        let ty = program.domain_function(constructor.function).formals[other].ty.clone();
                        let (variable, term) = builder.variable(other_name, ty);
                        variables.push(variable);
                        arguments.push(term);
                    }
                }
                let whole = builder.apply(constructor.function, &parameters, arguments);
                let body = related(&builder, occurrence.part, whole.clone());
                let forall = builder.forall(variables, vec![vec![whole]], body);
                axioms.push(builder.finish(forall));
            }
        }
    }
    axioms
}

/// A value is higher than those of its type inside of it, so that none is a part of itself. There is such a height: values
/// are built in finitely many steps, and each has finitely many parts that the axioms speak about.
fn height_axioms(program: &Program, adts: &[AdtInfo], adt: &AdtInfo, height: DomainFunctionId) -> Vec<Axiom> {
    let parameters = own_parameters(program, adt.domain);
    axioms_of_parts(program, adts, adt, |builder, part, whole| {
        let lower = builder.apply(height, &parameters, vec![part]);
        let higher = builder.apply(height, &parameters, vec![whole]);
        Expression::formula(BinaryOperator::IntLess, lower, higher, builder.span)
    })
}

fn order_axioms(
    program: &Program,
    adts: &[AdtInfo],
    adt: &AdtInfo,
    decreasing: DomainFunctionId,
    bounded: DomainFunctionId,
) -> Vec<Axiom> {
    let parameters = own_parameters(program, adt.domain);
    let own = Type::Domain(adt.domain, parameters.into());
    let order = [own.clone()];
    let mut axioms = axioms_of_parts(program, adts, adt, |builder, part, whole| {
        builder.apply(decreasing, &order, vec![part, whole])
    });
    let mut builder = Axioms::new(program, adt.span);
    let (a, a_term) = builder.variable("v1", own.clone());
    let (b, b_term) = builder.variable("v2", own.clone());
    let (c, c_term) = builder.variable("v3", own.clone());
    let first = builder.apply(decreasing, &order, vec![a_term.clone(), b_term.clone()]);
    let second = builder.apply(decreasing, &order, vec![b_term, c_term.clone()]);
    let third = builder.apply(decreasing, &order, vec![a_term, c_term]);
    let both = Expression::formula(BinaryOperator::And, first.clone(), second.clone(), adt.span);
    let body = Expression::formula(BinaryOperator::Implies, both, third, adt.span);
    let forall = builder.forall(vec![a, b, c], vec![vec![first, second]], body);
    axioms.push(builder.finish(forall));
    let mut builder = Axioms::new(program, adt.span);
    let (x, x_term) = builder.variable("x", own);
    let is_bounded = builder.apply(bounded, &order, vec![x_term]);
    let forall = builder.forall(vec![x], vec![vec![is_bounded.clone()]], is_bounded);
    axioms.push(builder.finish(forall));
    axioms
}

/// All ways in which a value of type `own` can be built into a field of type `ty`, through other ADTs too.
fn occurrences(
    builder: &mut Axioms<'_>,
    adts: &[AdtInfo],
    own: &Type,
    ty: &Type,
    name: &str,
    visited: &mut Vec<Type>,
) -> Vec<Occurrence> {
    if ty == own {
        let (variable, term) = builder.variable(&format!("{name}_{}", visited.len()), ty.clone());
        return vec![Occurrence { variables: vec![variable], value: term.clone(), part: term }];
    }
    let Type::Domain(domain, type_arguments) = ty else { return Vec::new() };
    let Some(adt) = adts.iter().find(|adt| adt.domain == *domain) else { return Vec::new() };
    // A type that holds itself with larger and larger arguments is followed no further, which only makes fewer
    // termination proofs succeed.
    let grows = |earlier: &Type| {
        matches!(earlier, Type::Domain(other, _) if other == domain) && earlier.depth() < ty.depth()
    };
    if visited.contains(ty) || visited.iter().chain([own]).any(grows) {
        return Vec::new();
    }
    visited.push(ty.clone());
    let mut result = Vec::new();
    for constructor in &adt.constructors {
        if result.len() > limits::ADT_OCCURRENCES {
            break;
        }
        let formals = builder.program.domain_function(constructor.function).formals.clone();
        for (index, formal) in formals.iter().enumerate() {
            let formal_type = formal.ty.instantiate(type_arguments);
            let inner_name = constructor.fields[index].0.clone();
            for inner in occurrences(builder, adts, own, &formal_type, &inner_name, visited) {
                let mut variables = inner.variables;
                let mut arguments = Vec::new();
                for (other, other_formal) in formals.iter().enumerate() {
                    if other == index {
                        arguments.push(inner.value.clone());
                        continue;
                    }
                    let name = format!("{}_{}", constructor.fields[other].0, visited.len());
                    let (variable, term) =
                        builder.variable(&name, other_formal.ty.instantiate(type_arguments));
                    variables.push(variable);
                    arguments.push(term);
                }
                let value = builder.apply(constructor.function, type_arguments, arguments);
                result.push(Occurrence { variables, value, part: inner.part });
            }
        }
    }
    visited.pop();
    result
}
