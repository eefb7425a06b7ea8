//! The files that `import <…>` finds: well-founded orders for `decreases`, `contains` for ADTs, and the type of
//! predicate instances. Names of domains and functions are those that Viper programs rely on.

const FILES: &[(&str, &str)] = &[
    ("adt/contains.vpr", include_str!("standard/adt/contains.vpr")),
    ("adt/derives.vpr", include_str!("standard/adt/derives.vpr")),
    ("decreases/all.vpr", include_str!("standard/decreases/all.vpr")),
    ("decreases/bool.vpr", include_str!("standard/decreases/bool.vpr")),
    ("decreases/declaration.vpr", include_str!("standard/decreases/declaration.vpr")),
    ("decreases/int.vpr", include_str!("standard/decreases/int.vpr")),
    ("decreases/multiset.vpr", include_str!("standard/decreases/multiset.vpr")),
    ("decreases/perm.vpr", include_str!("standard/decreases/perm.vpr")),
    ("decreases/predicate_instance.vpr", include_str!("standard/decreases/predicate_instance.vpr")),
    (
        "decreases/predicate_instance_nested.vpr",
        include_str!("standard/decreases/predicate_instance_nested.vpr"),
    ),
    ("decreases/rational.vpr", include_str!("standard/decreases/rational.vpr")),
    ("decreases/ref.vpr", include_str!("standard/decreases/ref.vpr")),
    ("decreases/seq.vpr", include_str!("standard/decreases/seq.vpr")),
    ("decreases/set.vpr", include_str!("standard/decreases/set.vpr")),
    ("predicateinstance/pi.vpr", include_str!("standard/predicateinstance/pi.vpr")),
];

/// The text of a standard file.
pub(super) fn find(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
}
