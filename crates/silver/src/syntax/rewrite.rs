//! A rewriting of parse trees, node by node in source order.
//!
//! An implementation overrides what it changes and calls `walk_*` for the rest. Any step may stop the rewriting
//! with an error. Recursion follows the tree, whose depth the parser bounds.

use source::Span;

use super::tree::{
    Axiom, Binding, Block, Decreases, Domain, DomainFunction, Expression, ExpressionKind, Function, Measure,
    Method, Name, NewFields, Otherwise, Predicate, Specification, SpecificationKind, Statement,
    StatementKind, Trigger, Type, TypeKind,
};

/// A pass that makes a tree of a tree.
pub trait Rewrite {
    /// Why a rewriting stops.
    type Error;

    /// The place of a node that is made of one at `span`.
    fn span(&mut self, span: Span) -> Span {
        span
    }

    /// A name that refers to something other than a variable: field, callee, label, type.
    fn reference(&mut self, name: &Name) -> Result<Name, Self::Error> {
        Ok(Name { text: name.text.clone(), span: self.span(name.span) })
    }

    /// A name that is introduced: variable or label.
    fn definition(&mut self, name: &Name) -> Result<Name, Self::Error> {
        Ok(Name { text: name.text.clone(), span: self.span(name.span) })
    }

    /// Any expression.
    fn expression(&mut self, expression: &Expression) -> Result<Expression, Self::Error> {
        self.walk_expression(expression)
    }

    /// Any statement.
    fn statement(&mut self, statement: &Statement) -> Result<Statement, Self::Error> {
        self.walk_statement(statement)
    }

    /// Any type.
    fn ty(&mut self, ty: &Type) -> Result<Type, Self::Error> {
        self.walk_type(ty)
    }

    /// What is defined from here on is known until the scope is left.
    fn enter_scope(&mut self) {}

    /// The end of the innermost scope.
    fn leave_scope(&mut self) {}

    /// Where `acc`, `perm`, `unfolding` and `forperm` need a location.
    fn location(&mut self, expression: &Expression) -> Result<Expression, Self::Error> {
        self.expression(expression)
    }

    /// The parts of a type.
    fn walk_type(&mut self, ty: &Type) -> Result<Type, Self::Error> {
        let kind = match &ty.kind {
            TypeKind::Int => TypeKind::Int,
            TypeKind::Bool => TypeKind::Bool,
            TypeKind::Perm => TypeKind::Perm,
            TypeKind::Ref => TypeKind::Ref,
            TypeKind::Rational => TypeKind::Rational,
            TypeKind::Seq(element) => TypeKind::Seq(Box::new(self.ty(element)?)),
            TypeKind::Set(element) => TypeKind::Set(Box::new(self.ty(element)?)),
            TypeKind::Multiset(element) => TypeKind::Multiset(Box::new(self.ty(element)?)),
            TypeKind::Map(key, value) => TypeKind::Map(Box::new(self.ty(key)?), Box::new(self.ty(value)?)),
            TypeKind::Named(name, arguments) => TypeKind::Named(
                self.reference(name)?,
                match arguments {
                    Some(arguments) => {
                        Some(arguments.iter().map(|ty| self.ty(ty)).collect::<Result<_, _>>()?)
                    }
                    None => None,
                },
            ),
            TypeKind::Macro(name, arguments) => {
                TypeKind::Macro(self.reference(name)?, self.expressions(arguments)?)
            }
        };
        Ok(Type { kind, span: self.span(ty.span) })
    }

    /// Parameters, results or bound variables.
    fn bindings(&mut self, bindings: &[Binding]) -> Result<Vec<Binding>, Self::Error> {
        bindings
            .iter()
            .map(|binding| Ok(Binding { name: self.definition(&binding.name)?, ty: self.ty(&binding.ty)? }))
            .collect()
    }

    /// Expressions one after the other.
    fn expressions(&mut self, expressions: &[Expression]) -> Result<Vec<Expression>, Self::Error> {
        expressions.iter().map(|expression| self.expression(expression)).collect()
    }

    /// The triggers of a quantifier.
    fn triggers(&mut self, triggers: &[Trigger]) -> Result<Vec<Trigger>, Self::Error> {
        triggers
            .iter()
            .map(|trigger| {
                let expressions = self.expressions(&trigger.expressions)?;
                Ok(Trigger { expressions, span: self.span(trigger.span) })
            })
            .collect()
    }

    /// An expression that may be missing.
    fn optional(&mut self, expression: Option<&Expression>) -> Result<Option<Expression>, Self::Error> {
        expression.map(|expression| self.expression(expression)).transpose()
    }

    /// The parts of an expression.
    fn walk_expression(&mut self, expression: &Expression) -> Result<Expression, Self::Error> {
        use ExpressionKind::*;
        let kind = match &*expression.kind {
            simple @ (Int(_) | Bool(_) | Null | Result | NoPermission | FullPermission | Wildcard
            | Epsilon) => simple.clone(),
            Name(name) => Name(self.reference(name)?),
            Unary(operator, operand) => Unary(*operator, self.expression(operand)?),
            Binary(operator, left, right) => {
                Binary(*operator, self.expression(left)?, self.expression(right)?)
            }
            Chain(first, rest) => {
                let first = self.expression(first)?;
                let rest = rest.iter().map(|(operator, e)| Ok((*operator, self.expression(e)?)));
                Chain(first, rest.collect::<std::result::Result<_, _>>()?)
            }
            Conditional(a, b, c) => {
                Conditional(self.expression(a)?, self.expression(b)?, self.expression(c)?)
            }
            Field(base, name) => Field(self.expression(base)?, self.reference(name)?),
            Call(name, arguments, ty) => Call(
                self.reference(name)?,
                self.expressions(arguments)?,
                ty.as_ref().map(|ty| self.ty(ty)).transpose()?,
            ),
            PredicateInstance(name, arguments) => {
                PredicateInstance(self.reference(name)?, self.expressions(arguments)?)
            }
            Access(location, amount) => Access(self.location(location)?, self.optional(amount.as_ref())?),
            CurrentPermission(resource) => CurrentPermission(self.location(resource)?),
            Forall { bindings, triggers, body } => {
                self.enter_scope();
                let bindings = self.bindings(bindings)?;
                let (triggers, body) = (self.triggers(triggers)?, self.expression(body)?);
                self.leave_scope();
                Forall { bindings, triggers, body }
            }
            Exists { bindings, triggers, body } => {
                self.enter_scope();
                let bindings = self.bindings(bindings)?;
                let (triggers, body) = (self.triggers(triggers)?, self.expression(body)?);
                self.leave_scope();
                Exists { bindings, triggers, body }
            }
            ForPerm { bindings, resource, body } => {
                self.enter_scope();
                let bindings = self.bindings(bindings)?;
                let (resource, body) = (self.location(resource)?, self.expression(body)?);
                self.leave_scope();
                ForPerm { bindings, resource, body }
            }
            Let { name, value, body } => {
                self.enter_scope();
                let value = self.expression(value)?;
                let name = self.definition(name)?;
                let body = self.expression(body)?;
                self.leave_scope();
                Let { name, value, body }
            }
            Unfolding(access, body) => Unfolding(self.location(access)?, self.expression(body)?),
            Applying(wand, body) => Applying(self.expression(wand)?, self.expression(body)?),
            Asserting(assertion, body) => Asserting(self.expression(assertion)?, self.expression(body)?),
            Old(label, body) => {
                let label = match label {
                    Some(label) if &*label.text != "lhs" => Some(self.reference(label)?),
                    other => other.clone(),
                };
                Old(label, self.expression(body)?)
            }
            InhaleExhale(a, b) => InhaleExhale(self.expression(a)?, self.expression(b)?),
            Range(a, b) => Range(self.expression(a)?, self.expression(b)?),
            Index(a, b) => Index(self.expression(a)?, self.expression(b)?),
            Slice(base, low, high) => {
                Slice(self.expression(base)?, self.optional(low.as_ref())?, self.optional(high.as_ref())?)
            }
            Update(a, b, c) => Update(self.expression(a)?, self.expression(b)?, self.expression(c)?),
            Size(e) => Size(self.expression(e)?),
            Collection(kind, ty, elements) => {
                Collection(*kind, ty.as_ref().map(|ty| self.ty(ty)).transpose()?, self.expressions(elements)?)
            }
            Map(types, entries) => {
                let types = match types {
                    Some((key, value)) => Some((self.ty(key)?, self.ty(value)?)),
                    None => None,
                };
                let entries = entries.iter().map(|(k, v)| Ok((self.expression(k)?, self.expression(v)?)));
                Map(types, entries.collect::<std::result::Result<_, _>>()?)
            }
            MapDomain(e) => MapDomain(self.expression(e)?),
            MapRange(e) => MapRange(self.expression(e)?),
            New(NewFields::All) => New(NewFields::All),
            New(NewFields::Listed(names)) => {
                let names = names.iter().map(|name| self.reference(name));
                New(NewFields::Listed(names.collect::<std::result::Result<_, _>>()?))
            }
            Annotated(annotation, inner) => Annotated(annotation.clone(), self.expression(inner)?),
        };
        Ok(Expression::new(kind, self.span(expression.span)))
    }

    /// Statements with a scope of their own.
    fn block(&mut self, block: &Block) -> Result<Block, Self::Error> {
        self.enter_scope();
        let statements = self.statements(&block.statements)?;
        self.leave_scope();
        Ok(Block { statements, span: block.span.map(|span| self.span(span)) })
    }

    /// Statements one after the other.
    fn statements(&mut self, statements: &[Statement]) -> Result<Vec<Statement>, Self::Error> {
        statements.iter().map(|statement| self.statement(statement)).collect()
    }

    /// The clauses of a contract or a loop.
    fn specifications(
        &mut self,
        specifications: &[Specification],
    ) -> Result<Vec<Specification>, Self::Error> {
        specifications
            .iter()
            .map(|specification| {
                let kind = match &specification.kind {
                    SpecificationKind::Assertion(expression) => {
                        SpecificationKind::Assertion(self.expression(expression)?)
                    }
                    SpecificationKind::Decreases(decreases) => {
                        let measure = match &decreases.measure {
                            Measure::Tuple(expressions) => Measure::Tuple(self.expressions(expressions)?),
                            Measure::Wildcard => Measure::Wildcard,
                            Measure::Star => Measure::Star,
                        };
                        let condition = self.optional(decreases.condition.as_ref())?;
                        let span = self.span(decreases.span);
                        SpecificationKind::Decreases(Decreases { measure, condition, span })
                    }
                };
                Ok(Specification { kind, span: self.span(specification.span) })
            })
            .collect()
    }

    /// The parts of a statement.
    fn walk_statement(&mut self, statement: &Statement) -> Result<Statement, Self::Error> {
        use StatementKind::*;
        let kind = match &statement.kind {
            Annotated(annotation, inner) => Annotated(annotation.clone(), Box::new(self.statement(inner)?)),
            Block(block) => Block(self.block(block)?),
            Variables { bindings, value } => {
                let bindings = self.bindings(bindings)?;
                Variables { bindings, value: self.optional(value.as_ref())? }
            }
            Assign { targets, value } => {
                Assign { targets: self.expressions(targets)?, value: self.expression(value)? }
            }
            Assert(e) => Assert(self.expression(e)?),
            Assume(e) => Assume(self.expression(e)?),
            Inhale(e) => Inhale(self.expression(e)?),
            Exhale(e) => Exhale(self.expression(e)?),
            Refute(e) => Refute(self.expression(e)?),
            Question(e) => Question(self.expression(e)?),
            Precaution(e) => Precaution(self.expression(e)?),
            Unreachable => Unreachable,
            Fold(e) => Fold(self.expression(e)?),
            Unfold(e) => Unfold(self.expression(e)?),
            If { condition, then, otherwise } => If {
                condition: self.expression(condition)?,
                then: self.block(then)?,
                otherwise: match otherwise {
                    None => None,
                    Some(Otherwise::Block(block)) => Some(Otherwise::Block(self.block(block)?)),
                    Some(Otherwise::If(inner)) => Some(Otherwise::If(Box::new(self.statement(inner)?))),
                },
            },
            While { condition, invariants, body } => While {
                condition: self.expression(condition)?,
                invariants: self.specifications(invariants)?,
                body: self.block(body)?,
            },
            Label { name, invariants } => {
                Label { name: self.definition(name)?, invariants: self.specifications(invariants)? }
            }
            Goto(label) => Goto(self.reference(label)?),
            Package { wand, proof } => Package {
                wand: self.expression(wand)?,
                proof: proof.as_ref().map(|proof| self.block(proof)).transpose()?,
            },
            Apply(e) => Apply(self.expression(e)?),
            Quasihavoc { condition, resource } => Quasihavoc {
                condition: self.optional(condition.as_ref())?,
                resource: self.expression(resource)?,
            },
            QuasihavocAll { bindings, condition, resource } => {
                self.enter_scope();
                let bindings = self.bindings(bindings)?;
                let condition = self.optional(condition.as_ref())?;
                let resource = self.expression(resource)?;
                self.leave_scope();
                QuasihavocAll { bindings, condition, resource }
            }
            Define(define) => Define(define.clone()),
            Expansion(statements) => Expansion(self.statements(statements)?),
        };
        Ok(Statement { kind, span: self.span(statement.span) })
    }

    /// A method with its contract and body.
    fn method(&mut self, method: &Method) -> Result<Method, Self::Error> {
        Ok(Method {
            name: self.definition(&method.name)?,
            formals: self.bindings(&method.formals)?,
            returns: self.bindings(&method.returns)?,
            preconditions: self.specifications(&method.preconditions)?,
            postconditions: self.specifications(&method.postconditions)?,
            body: method.body.as_ref().map(|body| self.block(body)).transpose()?,
        })
    }

    /// A function with its contract and body.
    fn function(&mut self, function: &Function) -> Result<Function, Self::Error> {
        Ok(Function {
            name: self.definition(&function.name)?,
            formals: self.bindings(&function.formals)?,
            result: self.ty(&function.result)?,
            preconditions: self.specifications(&function.preconditions)?,
            postconditions: self.specifications(&function.postconditions)?,
            body: self.optional(function.body.as_ref())?,
        })
    }

    /// A predicate with its body.
    fn predicate(&mut self, predicate: &Predicate) -> Result<Predicate, Self::Error> {
        Ok(Predicate {
            name: self.definition(&predicate.name)?,
            formals: self.bindings(&predicate.formals)?,
            body: self.optional(predicate.body.as_ref())?,
        })
    }

    /// A domain with its functions and axioms.
    fn domain(&mut self, domain: &Domain) -> Result<Domain, Self::Error> {
        let name = self.definition(&domain.name)?;
        let parameters = match &domain.parameters {
            Some(names) => Some(names.iter().map(|name| self.definition(name)).collect::<Result<_, _>>()?),
            None => None,
        };
        let functions = domain.functions.iter().map(|function| self.domain_function(function));
        let functions = functions.collect::<Result<_, _>>()?;
        let axioms = domain.axioms.iter().map(|axiom| {
            Ok(Axiom {
                annotations: axiom.annotations.clone(),
                name: axiom.name.as_ref().map(|name| self.definition(name)).transpose()?,
                body: self.expression(&axiom.body)?,
                span: self.span(axiom.span),
            })
        });
        let axioms = axioms.collect::<Result<_, _>>()?;
        Ok(Domain { name, parameters, interpretations: domain.interpretations.clone(), functions, axioms })
    }

    /// A function of a domain.
    fn domain_function(&mut self, function: &DomainFunction) -> Result<DomainFunction, Self::Error> {
        let name = self.definition(&function.name)?;
        let formals = function.formals.iter().map(|(name, ty)| {
            Ok((name.as_ref().map(|name| self.definition(name)).transpose()?, self.ty(ty)?))
        });
        let formals = formals.collect::<Result<_, _>>()?;
        Ok(DomainFunction {
            annotations: function.annotations.clone(),
            unique: function.unique,
            name,
            formals,
            result: self.ty(&function.result)?,
            interpretation: function.interpretation.clone(),
            span: self.span(function.span),
        })
    }
}
