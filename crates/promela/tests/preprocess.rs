//! What the preprocessor makes of text, token by token, with places in the original.

use expect_test::{Expect, expect};
use promela::syntax::{Options, preprocess};
use source::{Loader, NoFiles, SourceMap, Texts};

fn files(files: &[(&str, &str)]) -> Texts<'static> {
    files.iter().fold(Texts::default(), |texts, (name, text)| texts.with(name, *text))
}

/// The text after preprocessing; a line break stands where SPIN would see one.
fn run(text: &str, loader: &dyn Loader, options: &Options) -> String {
    let mut map = SourceMap::default();
    let file = map.add("folder/model.pml", text);
    let (result, diagnostics) = preprocess(file, loader, options, &mut map);
    let mut output = String::new();
    for token in &result.tokens {
        if token.newline && !output.is_empty() {
            output.push('\n');
        } else if token.spaced && !output.is_empty() {
            output.push(' ');
        }
        output.push_str(&token.kind.spelling());
    }
    for diagnostic in diagnostics {
        output.push_str(&format!("[{}]\n", diagnostic.code));
    }
    output
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&run(text, &NoFiles, &Options::default()));
}

#[test]
fn a_macro_is_not_expanded_inside_itself() {
    check(
        "#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);",
        expect![[r#"
            f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);
            f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);
        "#]],
    );
}

#[test]
fn pasting_and_quoting_take_arguments_as_written() {
    check(
        "#define N 3
#define cat(a, b) a ## b
#define str(a) # a
#define xstr(a) str(a)
cat(N, N) cat(var, 1) cat(, 2) str(N + \"a\\n\") xstr(N + 1) str( a   b )",
        expect![[r#"
            NN var1 2 "N + \"a\\n\"" "3 + 1" "a b"
        "#]],
    );
}

#[test]
fn a_range_needs_no_spaces() {
    check(
        "#define N 3\nselect(i:1..N) x..y 1.5",
        expect![[r#"
        select(i:1..3) x..y 1.5
    "#]],
    );
}

#[test]
fn random_peek_is_no_trigraph() {
    check(
        "q??<x>; q??[x]; q?\\\n?x",
        expect![[r#"
        q??<x>; q??[x]; q??x
    "#]],
    );
}

#[test]
fn comments_and_continuations_are_space() {
    check(
        "a/* b\nc */d // e\nf\\\ng \"/* no */ // no\" '/'",
        expect![[r#"
        a d
        fg "/* no */ // no" '/'
    "#]],
    );
}

#[test]
fn conditional_groups_nest() {
    check(
        "#if 0
#if 1
no
#else
no
#endif
#elif defined(A) || !defined B
yes
#elif 1
no
#else
no 'unbalanced \" text
#endif
#ifdef A
no
#else
yes
#endif",
        expect![[r#"
            yes
            yes
        "#]],
    );
}

#[test]
fn a_call_may_span_lines_and_an_empty_macro_keeps_the_line() {
    check(
        "#define t(a, b) a b\n#define EMPTY\nt(1,\n 2)\nEMPTY x\nt\n(3, 4) t",
        expect![[r#"
        1 2
        x
        3 4 t
    "#]],
    );
}

#[test]
fn variadic_macros_take_the_rest() {
    check(
        "#define v(a, ...) f(a, __VA_ARGS__)\nv(1, 2, (3, 4)) v(1)",
        expect![[r#"
        f(1, 2, (3, 4)) f(1,)
    "#]],
    );
}

#[test]
fn options_define_undefine_and_find_files() {
    let files = files(&[
        ("folder/beside.h", "beside __FILE__\n#include \"again.h\"\n"),
        ("folder/again.h", "again\n"),
        ("lib/found.h", "found\n"),
    ]);
    let options = Options {
        defines: vec![("A".into(), None), ("B".into(), Some("x + 1".into())), ("C".into(), Some("2".into()))],
        undefines: vec!["C".into()],
        includes: vec!["lib/".into()],
    };
    let text = "#include \"beside.h\"\n#include <found.h>\n#include <beside.h>\nA B C __LINE__";
    expect![[r#"
        beside "folder/beside.h"
        again
        found
        1 x + 1 C 4
        [preprocess.include.missing]
    "#]]
    .assert_eq(&run(text, &files, &options));
}

#[test]
fn expanded_tokens_point_at_the_use() {
    let text = "#define p(a) (a == 1)\nx = p(y + 2);";
    let mut map = SourceMap::default();
    let file = map.add("model.pml", text);
    let (result, _) = preprocess(file, &NoFiles, &Options::default(), &mut map);
    let places: Vec<String> = result
        .tokens
        .iter()
        .map(|token| format!("{}|{}", token.kind.spelling(), map.text(token.span)))
        .collect();
    expect![[r#"
        x|x
        =|=
        (|p(y + 2)
        y|y
        +|+
        2|2
        ==|p(y + 2)
        1|p(y + 2)
        )|p(y + 2)
        ;|;
        |"#]]
    .assert_eq(&places.join("\n"));
}
