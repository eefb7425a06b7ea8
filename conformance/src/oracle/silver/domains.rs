//! Domains and data types.
//!
//! Values of a data type are terms of its constructors. A function of any other domain gets a value when it is first
//! applied, and every axiom that speaks about this application must then hold. Axioms that are not of this kind (each
//! quantified variable is an argument of some application in them) cannot be executed, and the program is left out.

use std::collections::BTreeMap;

use silver::typed::{
    Axiom, BinaryOperator, DomainFunctionId, DomainId, Expression, ExpressionKind, ExpressionRef, LocalId,
    Program, Type, visit_expression,
};
use source::Span;

use super::machine::{Machine, Run, Scope, State, Stop};
use super::value::{Value, amount};

pub(super) struct Domains<'p> {
    roles: BTreeMap<DomainFunctionId, Role>,
    constructors: BTreeMap<DomainId, Vec<DomainFunctionId>>,
    /// Axioms to look at when a function is applied.
    anchored: BTreeMap<DomainFunctionId, Vec<Anchored<'p>>>,
    pub(super) ground: Vec<&'p Axiom>,
}

#[derive(Clone, Copy, Debug)]
enum Role {
    Constructor(i128),
    /// The field of this constructor.
    Destructor(DomainFunctionId, usize),
    Tag,
    /// `decreasing` or `bounded`.
    Decreasing,
    Bounded,
    Unknown,
}

#[derive(Clone, Debug)]
struct Anchored<'p> {
    axiom: &'p Axiom,
    body: &'p ExpressionRef,
    /// The variables that are the function's arguments.
    variables: Vec<LocalId>,
}

impl<'p> Domains<'p> {
    pub(super) fn of(program: &'p Program) -> Result<Domains<'p>, String> {
        let mut domains = Domains {
            roles: BTreeMap::new(),
            constructors: BTreeMap::new(),
            anchored: BTreeMap::new(),
            ground: Vec::new(),
        };
        for (index, domain) in program.domains.iter().enumerate() {
            if domain.interpretations.is_some() {
                return Err(format!("the domain `{}` is the solver's", domain.name));
            }
            if domain.is_adt {
                domains.read_data_type(program, DomainId(index as u32));
            } else if domain.name.ends_with("WellFoundedOrder") {
                for function in &domain.functions {
                    let role = match program.domain_function(*function).name.as_str() {
                        "decreasing" => Role::Decreasing,
                        "bounded" => Role::Bounded,
                        _ => Role::Unknown,
                    };
                    domains.roles.insert(*function, role);
                }
            } else if domain.name == "ContainsDomain" || domain.name.starts_with("Predicate") {
                for function in &domain.functions {
                    domains.roles.insert(*function, Role::Unknown);
                }
            } else {
                for axiom in &domain.axioms {
                    domains.read_axiom(program, axiom)?;
                }
            }
        }
        for function in &program.domain_functions {
            if function.interpretation.is_some() {
                return Err(format!("the function `{}` is the solver's", function.name));
            }
        }
        Ok(domains)
    }

    /// Finds out by the axioms of a data type what each of its functions is.
    fn read_data_type(&mut self, program: &Program, domain: DomainId) {
        let mut constructors = BTreeMap::new();
        for axiom in &program.domain(domain).axioms {
            let body = match &axiom.body.kind {
                ExpressionKind::Forall { body, .. } => body,
                _ => &axiom.body,
            };
            let ExpressionKind::Binary(BinaryOperator::Equal, left, right) = &body.kind else { continue };
            match (&left.kind, &right.kind) {
                // tag(C(…)) == n
                (
                    ExpressionKind::DomainApplication { function: tag, arguments, .. },
                    ExpressionKind::Int(number),
                ) => {
                    if let [built] = &**arguments
                        && let ExpressionKind::DomainApplication { function: constructor, .. } = &built.kind
                    {
                        let number: i128 = number.parse().unwrap_or_default();
                        self.roles.insert(*tag, Role::Tag);
                        self.roles.insert(*constructor, Role::Constructor(number));
                        constructors.insert(number, *constructor);
                    }
                }
                // x == destructor(C(…, x, …))
                (
                    ExpressionKind::Local(variable),
                    ExpressionKind::DomainApplication { function: destructor, arguments, .. },
                ) => {
                    if let [built] = &**arguments
                        && let ExpressionKind::DomainApplication { function: constructor, arguments, .. } =
                            &built.kind
                    {
                        let is_it = |argument: &ExpressionRef| matches!(&argument.kind, ExpressionKind::Local(local) if local == variable);
                        if let Some(index) = arguments.iter().position(is_it) {
                            self.roles.insert(*destructor, Role::Destructor(*constructor, index));
                        }
                    }
                }
                _ => {}
            }
        }
        self.constructors.insert(domain, constructors.into_values().collect());
    }

    fn read_axiom(&mut self, program: &'p Program, axiom: &'p Axiom) -> Result<(), String> {
        let ExpressionKind::Forall { variables, body, .. } = &axiom.body.kind else {
            let mut has_quantifier = false;
            visit_expression(&axiom.body, &mut |node| {
                has_quantifier |= matches!(node.kind, ExpressionKind::Forall { .. });
                !has_quantifier
            });
            if has_quantifier {
                return Err("an axiom has a quantifier inside".to_string());
            }
            self.ground.push(axiom);
            return Ok(());
        };
        let mut anchors: Vec<(DomainFunctionId, Vec<LocalId>)> = Vec::new();
        visit_expression(body, &mut |node| {
            if let ExpressionKind::DomainApplication { function, arguments, .. } = &node.kind {
                let locals: Option<Vec<LocalId>> = arguments
                    .iter()
                    .map(|argument| match &argument.kind {
                        ExpressionKind::Local(local) => Some(*local),
                        _ => None,
                    })
                    .collect();
                if let Some(locals) = locals
                    && variables.iter().all(|variable| locals.contains(variable))
                    && locals.len() == variables.len()
                    && !anchors.iter().any(|(known, _)| known == function)
                {
                    anchors.push((*function, locals));
                }
            }
            true
        });
        if anchors.is_empty() {
            let name = axiom.name.clone().unwrap_or_default();
            return Err(format!("the axiom `{name}` cannot be executed"));
        }
        let _ = program;
        for (function, variables) in anchors {
            self.anchored.entry(function).or_default().push(Anchored { axiom, body, variables });
        }
        Ok(())
    }
}

impl Machine<'_> {
    pub(super) fn choose_of_domain(
        &mut self,
        domain: DomainId,
        arguments: &[Type],
        birth: u32,
    ) -> Run<Value> {
        let domains = self.domains;
        let Some(constructors) = domains.constructors.get(&domain) else {
            return Ok(Value::Opaque(self.random.below(3) as u32));
        };
        self.depth += 1;
        let value = self.choose_data(constructors, arguments, birth);
        self.depth -= 1;
        value
    }

    fn choose_data(
        &mut self,
        constructors: &[DomainFunctionId],
        arguments: &[Type],
        birth: u32,
    ) -> Run<Value> {
        if self.depth > super::machine::MAX_DEPTH {
            return Err(Stop::GivenUp("a value that is too deep"));
        }
        let formals_of = |machine: &Self, constructor: DomainFunctionId| -> Vec<Type> {
            let formals = &machine.program.domain_function(constructor).formals;
            formals.iter().map(|formal| formal.ty.instantiate(arguments)).collect()
        };
        // Flat values are common, so that choosing comes to an end.
        let mut leaves = Vec::new();
        for constructor in constructors {
            let is_leaf = formals_of(self, *constructor).iter().all(|ty| !matches!(ty, Type::Domain(..)));
            leaves.extend(is_leaf.then_some(*constructor));
        }
        let from = if leaves.is_empty() || self.random.chance(1, 2) { constructors } else { &leaves };
        let Some(constructor) = self.random.pick(from).copied() else {
            return Err(Stop::GivenUp("a data type without a value"));
        };
        let mut fields = Vec::new();
        for ty in formals_of(self, constructor) {
            fields.push(self.choose(&ty, birth)?);
        }
        Ok(Value::Data { constructor, fields })
    }

    pub(super) fn apply_domain_function(
        &mut self,
        function: DomainFunctionId,
        arguments: Vec<Value>,
        result: &Type,
        span: Span,
    ) -> Run<Value> {
        let domains = self.domains;
        match (domains.roles.get(&function), arguments.as_slice()) {
            (Some(Role::Constructor(_)), _) => {
                return Ok(Value::Data { constructor: function, fields: arguments });
            }
            (Some(Role::Tag), [Value::Data { constructor, .. }]) => {
                if let Some(Role::Constructor(tag)) = domains.roles.get(constructor) {
                    return Ok(Value::Int(*tag));
                }
                return Err(Stop::GivenUp("a tag"));
            }
            (Some(Role::Destructor(built_by, index)), [Value::Data { constructor, fields }])
                if built_by == constructor =>
            {
                return fields.get(*index).cloned().ok_or(Stop::GivenUp("a field"));
            }
            (Some(Role::Decreasing), [smaller, larger]) => {
                return decreasing(smaller, larger).map(Value::Bool);
            }
            (Some(Role::Bounded), [value]) => return bounded(value).map(Value::Bool),
            (Some(Role::Unknown), _) => return Err(Stop::GivenUp("a relation of the library")),
            // A destructor of another constructor has some value.
            _ => {}
        }
        let key = (function, arguments);
        if let Some(value) = self.domain_values.get(&key) {
            return Ok(value.clone());
        }
        if self.program.domain_function(function).unique {
            let value = match result {
                Type::Int => Value::Int(100 + i128::from(function.0)),
                Type::Domain(..) => Value::Opaque(100 + function.0),
                _ => return Err(Stop::GivenUp("a unique function")),
            };
            return Ok(value);
        }
        const TRIES: usize = 12;
        for attempt in 0..TRIES {
            let value = match result {
                Type::Ref if attempt + 3 > TRIES => Value::Ref(self.discover()?),
                _ => self.choose(result, 0)?,
            };
            if self.fix_domain_value(key.clone(), value.clone(), span)? {
                return Ok(value);
            }
        }
        Err(Stop::Pruned)
    }

    /// Lets an application have a value, if the axioms about it allow that.
    pub(super) fn fix_domain_value(
        &mut self,
        key: (DomainFunctionId, Vec<Value>),
        value: Value,
        _span: Span,
    ) -> Run<bool> {
        let domains = self.domains;
        if let Some(known) = self.domain_values.get(&key) {
            return Ok(*known == value);
        }
        let before = self.domain_values.clone();
        self.depth += 1;
        if self.depth > super::machine::MAX_DEPTH {
            return Err(Stop::GivenUp("axioms that do not end"));
        }
        self.domain_values.insert(key.clone(), value);
        let mut is_allowed = true;
        for anchored in domains.anchored.get(&key.0).into_iter().flatten() {
            let mut scope = Scope::new(anchored.axiom.locals.len());
            for (variable, argument) in anchored.variables.iter().zip(&key.1) {
                let ty = &anchored.axiom.locals[variable.index()].ty;
                let cell = self.cell(argument.clone(), ty);
                scope.locals[variable.index()] = Some(cell);
            }
            match self.assume(&mut scope, &mut State::default(), anchored.body) {
                Ok(()) => {}
                Err(Stop::Pruned) => {
                    is_allowed = false;
                    break;
                }
                Err(stop) => {
                    self.depth -= 1;
                    return Err(stop);
                }
            }
        }
        self.depth -= 1;
        if !is_allowed {
            self.domain_values = before;
        }
        Ok(is_allowed)
    }

    /// The application of a domain function whose value is not fixed yet.
    pub(super) fn open_application(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        expression: &Expression,
    ) -> Run<Option<(DomainFunctionId, Vec<Value>)>> {
        let ExpressionKind::DomainApplication { function, arguments, .. } = &expression.kind else {
            return Ok(None);
        };
        if self.domains.roles.contains_key(function) || self.program.domain_function(*function).unique {
            return Ok(None);
        }
        let mut values = Vec::new();
        for argument in arguments.iter() {
            values.push(self.evaluate(scope, state, argument)?);
        }
        let key = (*function, values);
        Ok((!self.domain_values.contains_key(&key)).then_some(key))
    }
}

/// The least relation that the axioms of the standard library ask for.
fn decreasing(smaller: &Value, larger: &Value) -> Run<bool> {
    Ok(match (smaller, larger) {
        (Value::Int(smaller), Value::Int(larger)) => smaller < larger,
        (Value::Bool(smaller), Value::Bool(larger)) => !smaller && *larger,
        (Value::Ref(smaller), Value::Ref(larger)) => *smaller == 0 && *larger != 0,
        (Value::Perm(smaller), Value::Perm(larger)) => *smaller <= larger - amount(1, 1),
        (Value::Seq(smaller), Value::Seq(larger)) => smaller.len() < larger.len(),
        (Value::Set(smaller), Value::Set(larger)) => smaller.len() < larger.len(),
        (Value::Multiset(smaller), Value::Multiset(larger)) => {
            smaller.values().sum::<i128>() < larger.values().sum::<i128>()
        }
        (Value::Data { .. }, Value::Data { .. }) => smaller.is_inside(larger),
        _ => return Err(Stop::GivenUp("an order of the program")),
    })
}

fn bounded(value: &Value) -> Run<bool> {
    Ok(match value {
        Value::Int(value) => *value >= 0,
        Value::Perm(value) => *value >= amount(0, 1),
        Value::Opaque(_) => return Err(Stop::GivenUp("an order of the program")),
        _ => true,
    })
}
