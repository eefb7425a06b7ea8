//! Operators on numbers: as the machine has them, where that is what they mean.

use super::function::Maker;
use crate::compiled::translate_expression::is_comparison;
use crate::model::Binary;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

impl Maker<'_> {
    /// `known`: the right side, where it is a constant.
    pub(super) fn binary(
        &mut self,
        operator: Binary,
        left: Value,
        right: Value,
        known: Option<i32>,
    ) -> Value {
        if is_comparison(operator) {
            let condition = self.builder.ins().icmp(condition_code(operator), left, right);
            return self.builder.ins().uextend(types::I32, condition);
        }
        match operator {
            Binary::Add => self.builder.ins().iadd(left, right),
            Binary::Subtract => self.builder.ins().isub(left, right),
            Binary::Multiply => self.builder.ins().imul(left, right),
            Binary::BitAnd => self.builder.ins().band(left, right),
            Binary::BitOr => self.builder.ins().bor(left, right),
            Binary::BitXor => self.builder.ins().bxor(left, right),
            Binary::ShiftLeft => self.builder.ins().ishl(left, right),
            Binary::ShiftRight => self.builder.ins().sshr(left, right),
            Binary::Divide | Binary::Remainder => self.divide(operator, left, right, known),
            _ => self.constant(0),
        }
    }

    /// Gives up on 0; -1 is taken out because the quotient of the least integer does not fit.
    fn divide(&mut self, operator: Binary, left: Value, right: Value, known: Option<i32>) -> Value {
        let is_quotient = operator == Binary::Divide;
        let ordinary = |maker: &mut Self, right: Value| {
            if is_quotient {
                maker.builder.ins().sdiv(left, right)
            } else {
                maker.builder.ins().srem(left, right)
            }
        };
        if known.is_some_and(|value| value != 0 && value != -1) {
            return ordinary(self, right);
        }
        self.require(right);
        let minus_one = self.compare_constant(Binary::Equal, right, -1);
        let one = self.constant(1);
        let divisor = self.builder.ins().select(minus_one, one, right);
        let result = ordinary(self, divisor);
        let special = if is_quotient { self.builder.ins().ineg(left) } else { self.constant(0) };
        self.builder.ins().select(minus_one, special, result)
    }
}

/// How the machine names a comparison.
pub(super) fn condition_code(operator: Binary) -> IntCC {
    match operator {
        Binary::Equal => IntCC::Equal,
        Binary::NotEqual => IntCC::NotEqual,
        Binary::Less => IntCC::SignedLessThan,
        Binary::LessEqual => IntCC::SignedLessThanOrEqual,
        Binary::Greater => IntCC::SignedGreaterThan,
        _ => IntCC::SignedGreaterThanOrEqual,
    }
}
