//! Any text gives a program or diagnostics: no panic, no hang, no exhausted stack.

use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use promela::Options;
use proptest::prelude::*;
use source::{SourceMap, Texts};
use testing::files_below;

/// A model, which may include itself, and a header that exists.
fn texts(text: &str) -> Texts<'static> {
    Texts::default().with("model.pml", text).with("included.h", "byte included;\n")
}

/// Reads a text; a program comes out exactly if no error does. Returns the codes.
fn read(text: &str) -> Vec<&'static str> {
    let start = Instant::now();
    let mut map = SourceMap::default();
    let (program, diagnostics) = promela::load("model.pml", &texts(text), &Options::default(), &mut map);
    assert_eq!(program.is_none(), diagnostics.iter().any(|diagnostic| diagnostic.is_error()));
    for diagnostic in &diagnostics {
        for label in &diagnostic.labels {
            let file = map.file(label.span.file);
            assert!(label.span.start <= label.span.end, "{diagnostic:?}");
            assert!(label.span.end as usize <= file.text.len(), "{diagnostic:?}");
        }
    }
    if let Some(program) = program {
        // What was read can be printed, and formulas about it can be read.
        for id in program.process_ids() {
            for stmt in &program.process(id).body {
                program.show_stmt(id, stmt);
            }
        }
        promela::formula(text.get(..text.len().min(200)).unwrap_or(""), &program, &mut map);
    }
    assert!(start.elapsed() < Duration::from_secs(20), "too slow on {} bytes", text.len());
    diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

fn models() -> &'static [String] {
    static MODELS: OnceLock<Vec<String>> = OnceLock::new();
    MODELS.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
        let paths = files_below(&folder, &["pml"]);
        paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
    })
}

#[derive(Clone, Debug)]
enum Edit {
    Replace(prop::sample::Index, u8),
    Insert(prop::sample::Index, &'static str),
    Delete(prop::sample::Index, u8),
    Repeat(prop::sample::Index, u8),
    Truncate(prop::sample::Index),
    Splice(prop::sample::Index, prop::sample::Index, u8),
}

const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    "->",
    "::",
    "if",
    "fi",
    "do",
    "od",
    "atomic {",
    "d_step {",
    "unless",
    "goto L",
    "L:",
    "break",
    "else",
    "inline f(x) {",
    "f(1)",
    "proctype P() {",
    "init {",
    "typedef T {",
    "mtype = {",
    "chan q",
    "[1] of {",
    "q!",
    "q?",
    "q?[",
    "q??<",
    "eval(",
    "run P(",
    "P@L",
    "P[0]:x",
    "for (x : 1 .. 3) {",
    "select (x : 1 .. 3)",
    "never {",
    "trace {",
    "ltl {",
    "[]",
    "<>",
    " U ",
    "c_code {",
    "#define A A B\n",
    "#if 1\n",
    "#else\n",
    "#endif\n",
    "#include \"model.pml\"\n",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\n",
    "\0",
    "ä",
    "len(",
    "return 1",
    "xr q",
    "2147483648",
    "timeout",
    "provided (",
    "priority 1",
    "byte x",
    "hidden",
    "unsigned u : 3",
    "=",
    "++",
    "--",
    "&&",
    "||",
    "!",
    "~",
    "-",
];

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Edit::Replace(at, byte)),
        (at(), prop::sample::select(PIECES)).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        (at(), 1..20u8).prop_map(|(at, length)| Edit::Delete(at, length)),
        (at(), 1..40u8).prop_map(|(at, length)| Edit::Repeat(at, length)),
        at().prop_map(Edit::Truncate),
        (at(), at(), 1..100u8).prop_map(|(to, from, length)| Edit::Splice(to, from, length)),
    ]
}

fn apply(bytes: &mut Vec<u8>, edit: &Edit) {
    if bytes.is_empty() {
        return;
    }
    let range = |from: usize, length: u8, total: usize| from..(from + usize::from(length)).min(total);
    let length = bytes.len();
    match edit {
        Edit::Replace(at, byte) => bytes[at.index(length)] = *byte,
        Edit::Insert(at, piece) => {
            let at = at.index(length);
            bytes.splice(at..at, piece.bytes());
        }
        Edit::Delete(at, count) => {
            bytes.drain(range(at.index(length), *count, length));
        }
        Edit::Repeat(at, count) => {
            let range = range(at.index(length), *count, length);
            let piece = bytes[range.clone()].to_vec();
            bytes.splice(range.start..range.start, piece);
        }
        Edit::Truncate(at) => bytes.truncate(at.index(length)),
        Edit::Splice(to, from, count) => {
            let piece = bytes[range(from.index(length), *count, length)].to_vec();
            let at = to.index(length);
            bytes.splice(at..at, piece);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_models_give_diagnostics(
        model in any::<prop::sample::Index>(),
        edits in prop::collection::vec(edit(), 1..8),
    ) {
        let mut bytes = models()[model.index(models().len())].clone().into_bytes();
        for edit in &edits {
            apply(&mut bytes, edit);
        }
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_sequence_of_pieces_gives_diagnostics(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60),
    ) {
        read(&pieces.join(" "));
    }

    #[test]
    fn any_text_gives_diagnostics(text in "\\PC{0,200}") {
        read(&text);
    }
}

fn nested(open: &str, close: &str, count: usize) -> String {
    format!("byte x, a[2]; init {{ {}{}{} }}", open.repeat(count), "x = 1", close.repeat(count))
}

#[test]
fn deep_nesting_of_statements_is_an_error() {
    for (open, close) in [
        ("{", "}"),
        ("atomic {", "}"),
        ("if :: ", " fi"),
        ("do :: ", " od"),
        ("L: ", ""),
        ("for (x : 1 .. 2) {", "}"),
        ("{ ", "} unless { skip }"),
    ] {
        assert!(read(&nested(open, close, 100_000)).contains(&"parse.nesting"), "{open}");
        read(&nested(open, close, 120));
    }
}

#[test]
fn deep_nesting_of_expressions_is_an_error() {
    for (open, close) in
        [("(", ")"), ("a[", "]"), ("!(", ")"), ("1 + (", ")"), ("(1 -> 1 : ", ")"), ("run P(", ")")]
    {
        let expression = |count: usize| format!("{}1{}", open.repeat(count), close.repeat(count));
        let text = |count: usize| {
            format!("proctype P(byte k) {{ skip }} byte a[2]; init {{ byte x; x = {} }}", expression(count))
        };
        assert!(read(&text(100_000)).contains(&"parse.nesting"), "{open}");
        read(&text(100));
        let text = |count: usize| format!("byte a[2]; ltl {{ {} }} init {{ skip }}", expression(count));
        read(&text(100_000));
    }
}

#[test]
fn long_chains_are_bounded() {
    for piece in ["1 + ", "1 && ", "! ", "- x - ", "~", "1 == "] {
        let text = |count: usize| format!("init {{ byte x; x = {}1 }}", piece.repeat(count));
        assert_eq!(read(&text(50_000)), ["parse.expression.height"], "{piece}");
        assert_eq!(read(&text(1_500)), [""; 0], "{piece}");
        let text = |count: usize| format!("byte x; ltl {{ {}x }} init {{ skip }}", "x U ".repeat(count));
        assert_eq!(read(&text(1_500)), [""; 0]);
    }
}

#[test]
fn long_models_are_read() {
    let text = format!("byte x; init {{ {} skip }}", "x = 1; ".repeat(100_000));
    assert_eq!(read(&text), [""; 0]);
    let text = format!("byte x; init {{ if {} fi }}", ":: x = 1 ".repeat(50_000));
    assert_eq!(read(&text), [""; 0]);
    let labels: String = (0..3_000).map(|n| format!("L{n}: goto L{}; skip; ", (n * 7) % 3_000)).collect();
    read(&format!("init {{ {labels} skip }}"));
}

#[test]
fn growing_macros_are_stopped() {
    let doubling: String = (0..60).map(|n| format!("#define M{} M{n} M{n}\n", n + 1)).collect();
    assert!(read(&format!("#define M0 skip;\n{doubling}init {{ M60 }}")).contains(&"scan.too.large"));
    let nested: String = (0..60).map(|n| format!("#define F{}(x) F{n}(F{n}(x))\n", n + 1)).collect();
    read(&format!("#define F0(x) x\n{nested}init {{ F60(skip) }}"));
    read(&format!("#define F(x) x\ninit {{ {}skip{} }}", "F(".repeat(50_000), ")".repeat(50_000)));
    read("#define A B\n#define B A\n#define f(x) f(x)\ninit { A; f(f(B)) }");
    read(&"#if 1\n".repeat(50_000));
    read(&format!("#if {}1{}\n#endif\ninit {{ skip }}", "(".repeat(50_000), ")".repeat(50_000)));
}

#[test]
fn including_oneself_is_stopped() {
    assert!(read("#include \"model.pml\"\ninit { skip }").contains(&"preprocess.include.depth"));
    let twice = "#include \"model.pml\"\n#include \"model.pml\"\n";
    read(twice);
}

#[test]
fn growing_inlines_are_stopped() {
    let doubling: String = (0..31).map(|n| format!("inline f{}() {{ f{n}(); f{n}() }}\n", n + 1)).collect();
    assert!(read(&format!("inline f0() {{ skip }}\n{doubling}init {{ f31() }}")).contains(&"scan.too.large"));
    let growing: String = (0..20).map(|n| format!("inline g{}(x) {{ g{n}(x + x) }}\n", n + 1)).collect();
    read(&format!("inline g0(x) {{ x }}\n{growing}init {{ g20(1) }}"));
}

#[test]
fn growing_structures_are_refused() {
    let doubling: String = (0..200).map(|n| format!("typedef T{} {{ T{n} a; T{n} b }}\n", n + 1)).collect();
    let text =
        format!("typedef T0 {{ byte x }}\n{doubling}T200 t; chan q = [1] of {{ T200 }}; init {{ q!t }}");
    assert!(read(&text).contains(&"type.size"));
    let deep: String = (0..5_000).map(|n| format!("typedef T{} {{ T{n} a }}\n", n + 1)).collect();
    assert!(read(&format!("typedef T0 {{ byte x }}\n{deep}T5000 t; init {{ skip }}")).contains(&"type.size"));
}

/// However many warnings there are, a model is read to its end and an error behind them is kept: a part that is not
/// read would be a part that is not checked.
#[test]
fn warnings_hide_no_errors() {
    let lines = |line: &dyn Fn(usize) -> String| (0..300).map(line).collect::<String>();
    let process = |body: &str| format!("active proctype P() {{ {body} }}\n");
    let parameters = format!("inline f({}) {{ skip }}\n", ["a"; 300].join(", "));
    let numbers = lines(&|index| format!("int n{index} = 3000000000;\n"));
    let macros = lines(&|index| format!("#define M {index}\n"));
    let structures = format!("typedef T {{ byte b }};\n{}", lines(&|index| format!("T t{index} = 1;\n")));
    for warnings in [&parameters, &numbers, &macros, &structures] {
        let fine = read(&format!("{warnings}{}", process("skip")));
        assert!(!fine.is_empty() && fine.len() <= 200, "only warnings, and not too many: {fine:?}");
        // A process that is not read would be missed here.
        assert!(!fine.contains(&"process.none"));
        for (rest, code) in [
            (process("undeclared = 1"), "name.undeclared"),
            (process("skip }"), "parse.unexpected"),
            (format!("#error stop\n{}", process("skip")), "preprocess.error"),
        ] {
            let codes = read(&format!("{}{warnings}{rest}", process("skip").replace('P', "Q")));
            assert!(codes.contains(&code), "`{code}` is not among {codes:?}");
        }
    }
}
