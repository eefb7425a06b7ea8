//! Objects, fields, arrays and resources: what stands for locations, for permission to them, and for what is kept in them.

pub(crate) mod addresses;
pub(crate) mod all_fields;
pub(crate) mod arrays;
pub(crate) mod auto_values;
pub(crate) mod classes;
pub(crate) mod finals;
pub(crate) mod permissions;
pub(crate) mod predicates;
pub(crate) mod refutations;
pub(crate) mod resource_values;
pub(crate) mod strides;
pub(crate) mod wands;
