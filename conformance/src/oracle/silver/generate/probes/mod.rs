//! Short programs about one rule each, that make one claim which is nearly true.
//!
//! A long program says much, and a verifier that gets one rule wrong usually stumbles over something else that is said. Here
//! everything but the last claim is harmless, and the claims are what one would believe if the rule were a little
//! different: a share instead of all of it, now instead of then, at least instead of more than, twice instead of once.

mod permissions;
mod values;

use testing::Random;

/// Slots to be filled one after the other, each by one of its texts; several lines are separated by `;`.
type Slots = &'static [&'static [&'static str]];

struct Probe {
    declarations: Slots,
    contract: Slots,
    body: Slots,
    claims: &'static [&'static str],
}

const AMOUNTS: &[&str] = &["write", "write", "1/2", "1/2", "1/4", "3/4", "1/3", "p", "wildcard"];

const WANDS: &[&str] = &[
    "acc(x.f) --* acc(y.f)",
    "acc(x.f, 1/2) --* acc(y.f, 1/2)",
    "acc(x.f) --* acc(x.f)",
    "true --* acc(x.f)",
    "true --* acc(x.f, 1/2)",
    "acc(x.f, 1/2) --* acc(x.g)",
    "acc(x.f) && x.f > 0 --* acc(x.f) && x.f >= 0",
];

const GET: &[&str] =
    &["acc(x.f)", "acc(x.f, 1/2)", "acc(x.f, 1/4)", "acc(x.f) && acc(y.f)", "acc(x.f, AMOUNT)"];

/// A short program with one claim that may be false.
pub(super) fn program(random: &mut Random) -> String {
    let probes = if random.chance(1, 2) { permissions::PROBES } else { values::PROBES };
    let Some(probe) = random.pick(probes) else { return String::new() };
    let mut text = String::from("field f: Int\nfield g: Int\n");
    for slot in probe.declarations {
        text += &format!("{}\n", filled(random, probe, slot));
    }
    text += "method m(x: Ref, y: Ref, o: Ref, i: Int, b: Bool, p: Perm, s: Set[Ref], q: Seq[Ref]) returns (v: Int, w: Int)\n";
    let bounds = random.word(&[
        "none <= p && p <= write",
        "none <= p && p <= write",
        "none < p && p < write",
        "p == 1/2",
    ]);
    text += &format!("  requires {bounds}\n");
    for slot in probe.contract {
        let clause = filled(random, probe, slot);
        text += &format!("  requires {clause}\n");
    }
    let claim = filled(random, probe, probe.claims);
    let is_local = ["z", "k", "q2", "s2", "n", "c", "b2", "old"].iter().any(|name| has_word(&claim, name));
    let in_postcondition = !is_local && !claim.contains("perm(") && random.chance(1, 8);
    if in_postcondition {
        text += "  ensures true\n";
        if let Some(permission) =
            ["acc(x.f)", "acc(x.f, 1/2)"].iter().find(|it| text.contains(**it) && claim.contains(".f"))
        {
            text += &format!("  ensures {permission}\n");
        }
        text += &format!("  ensures {claim}\n");
    }
    text += "{\n  var z: Ref := o\n  var k: Int := 0\n  var b2: Bool := b\n";
    for (name, declared) in
        [("q2", "Seq[Ref] := q"), ("s2", "Set[Ref] := s"), ("n", "Multiset[Int]"), ("c", "Map[Int, Int]")]
    {
        if probe.claims.iter().any(|claim| has_word(claim, name)) {
            text += &format!("  var {name}: {declared}\n");
        }
    }
    let wand = random.word(WANDS);
    for slot in probe.body {
        let step = filled(random, probe, slot).replace("WAND", wand);
        for line in step.split(';') {
            text += &format!("  {line}\n");
        }
    }
    if !in_postcondition {
        let word = random.word(&["assert", "assert", "assert", "exhale"]);
        text += &format!("  {word} {claim}\n");
    }
    text + "}\n"
}

fn filled(random: &mut Random, probe: &Probe, slot: &[&'static str]) -> String {
    let mut text = random.word(slot).to_string();
    while text.contains("AMOUNT") {
        text = text.replacen("AMOUNT", random.word(AMOUNTS), 1);
    }
    if text.contains("CLAIM") {
        text = text.replacen("CLAIM", random.word(probe.claims), 1);
    }
    text.replacen("BODY", random.word(&["v := v + 1", "x.f := k", "v := x.f", "w := 1", "x.f := x.f + 1"]), 1)
}

fn has_word(text: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !is_word(c)).any(|part| part == word)
}
