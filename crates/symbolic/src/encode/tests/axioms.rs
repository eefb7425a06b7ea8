//! Axioms of domains: which instances there are, and how their formulas read.

use expect_test::{Expect, expect};

use super::text::lines;
use super::{encoder, program};

/// The axioms of the program's domains, without those of snapshots and theories.
fn check(text: &str, expected: Expect) {
    let program = program(text);
    let mut encoder = encoder(&program);
    let axioms = encoder.take_domain_axioms();
    expected.assert_eq(&lines(&encoder.terms, &axioms));
}

#[test]
fn axioms_are_instantiated_for_each_type_in_use() {
    check(
        "domain List[T] {
            function nil(): List[T]
            function cons(head: T, tail: List[T]): List[T]
            function head(l: List[T]): T
            function length(l: List[T]): Int
            axiom head_of_cons { forall x: T, l: List[T] :: {cons(x, l)} head(cons(x, l)) == x }
            axiom length_of_nil { length((nil(): List[T])) == 0 }
            axiom { forall x: T, l: List[T] :: length(cons(x, l)) == length(l) + 1 }
        }
        method m(a: List[Int], b: List[List[Ref]]) {}",
        expect![[r#"
            (forall [List<Int>.head_of_cons] x#0:Int l#1:List<Int> {(cons[Int] x#0 l#1)} (Equal x#0 (head[Int] (cons[Int] x#0 l#1))))
            (Equal (length[Int] nil[Int]) 0)
            (forall [List<Int>.axiom2] x#2:Int l#3:List<Int> {(length[Int] (cons[Int] x#2 l#3))} (Equal (length[Int] (cons[Int] x#2 l#3)) (Add (length[Int] l#3) 1)))
            (forall [List<List<Ref>>.head_of_cons] x#4:List<Ref> l#5:List<List<Ref>> {(cons[List<Ref>] x#4 l#5)} (Equal x#4 (head[List<Ref>] (cons[List<Ref>] x#4 l#5))))
            (Equal 0 (length[List<Ref>] nil[List<Ref>]))
            (forall [List<List<Ref>>.axiom2] x#6:List<Ref> l#7:List<List<Ref>> {(length[List<Ref>] (cons[List<Ref>] x#6 l#7))} (Equal (length[List<Ref>] (cons[List<Ref>] x#6 l#7)) (Add (length[List<Ref>] l#7) 1)))
            (forall [List<Ref>.head_of_cons] x#8:$Ref l#9:List<Ref> {(cons[Ref] x#8 l#9)} (Equal x#8 (head[Ref] (cons[Ref] x#8 l#9))))
            (Equal 0 (length[Ref] nil[Ref]))
            (forall [List<Ref>.axiom2] x#10:$Ref l#11:List<Ref> {(length[Ref] (cons[Ref] x#10 l#11))} (Equal (length[Ref] (cons[Ref] x#10 l#11)) (Add (length[Ref] l#11) 1)))
        "#]],
    );
}

#[test]
fn unused_generic_domains_have_no_instances_and_others_one() {
    check(
        "domain G[T] { function g(x: T): Int axiom { forall x: T :: g(x) > 0 } }
         domain H { axiom only_integers { forall i: Int :: i * i >= 0 } }",
        expect![[r#"
            (forall [H<>.only_integers] i#0:Int (LessEqual 0 (Multiply i#0 i#0)))
        "#]],
    );
}

#[test]
fn growing_types_are_instantiated_once_more_than_the_program_has_them() {
    check(
        "domain Box[T] {
            function wrap(x: T): Box[T]
            function id(b: Box[T]): Box[T]
            axiom grow { forall b: Box[T] :: {wrap(b)} id(wrap(b)) == wrap(b) }
        }
        method m(a: Box[Int]) {}",
        expect![[r#"
            (forall [Box<Int>.grow] b#0:Box<Int> {(wrap[Box<Int>] b#0)} (Equal (wrap[Box<Int>] b#0) (id[Box<Int>] (wrap[Box<Int>] b#0))))
        "#]],
    );
}

#[test]
fn an_axiom_about_another_domain_is_instantiated_for_its_functions() {
    check(
        "domain P[A, B] { function pair(a: A, b: B): P[A, B] function fst(p: P[A, B]): A }
         domain Laws[X] { axiom law { forall x: X, y: X :: fst(pair(x, y)) == x } }
         method m() { assert fst(pair(true, false)) }",
        expect![[r#"
            (forall [Laws<Bool>.law] x#0:Bool y#1:Bool {(fst[Bool,Bool] (pair[Bool,Bool] x#0 y#1))} (Equal x#0 (fst[Bool,Bool] (pair[Bool,Bool] x#0 y#1))))
        "#]],
    );
}

#[test]
fn unique_constants_have_different_numbers() {
    check(
        "domain Color { unique function red(): Color unique function green(): Color function blue(): Color }
         domain Codes[T] { unique function zero(): Int unique function code(): Codes[T] }
         method m(a: Codes[Int], b: Codes[Bool]) {}",
        expect![[r#"
            (Equal ($unique.tag<Int> zero[]) 134576130186077)
            (Equal ($unique.tag<Codes<Bool>> code[Bool]) 469569104684993972497501)
            (Equal ($unique.tag<Codes<Int>> code[Int]) 1834254315175875081309)
            (Equal ($unique.tag<Color<>> red[]) 491327347549)
            (Equal ($unique.tag<Color<>> green[]) 29117702420192093)
        "#]],
    );
}

#[test]
fn parameters_that_a_function_does_not_mention_do_not_tell_its_instances_apart() {
    check(
        "domain D[T] { function f(i: Int): Int function g(x: T): Int axiom { forall i: Int :: f(i) > 0 }
                       axiom { forall x: T :: g(x) == f(g(x)) } }
         method m(a: D[Int], b: D[Bool]) {}",
        expect![[r#"
            (forall [D<Bool>.axiom0] i#0:Int {(f[] i#0)} (Less 0 (f[] i#0)))
            (forall [D<Bool>.axiom1] x#1:Bool {(f[] (g[Bool] x#1))} (Equal (g[Bool] x#1) (f[] (g[Bool] x#1))))
            (forall [D<Int>.axiom1] x#2:Int {(f[] (g[Int] x#2))} (Equal (g[Int] x#2) (f[] (g[Int] x#2))))
        "#]],
    );
}

#[test]
fn interpreted_domains_are_sorts_and_functions_of_the_solver() {
    check(
        r##"domain BV interpretation (SMTLIB: "(_ BitVec 32)", Boogie: "bv32") {
             function to_bv(i: Int): BV interpretation "(_ int2bv 32)"
             function add(a: BV, b: BV): BV interpretation "bvadd"
             function zero(): BV interpretation "#x00000000"
             function other(a: BV): Int
             axiom { forall a: BV :: {other(a)} other(add(a, zero())) == other(a) }
             axiom { add(to_bv(1), to_bv(2)) == to_bv(3) }
         }
         domain F interpretation (SMTLIB: "(_ FloatingPoint 8 24)") {
             function plus(a: F, b: F): F interpretation "fp.add RNE"
             axiom { forall a: F, b: F :: plus(a, b) == plus(b, a) }
         }"##,
        expect![[r#"
            (forall [BV<>.axiom0] a#0:(_ BitVec 32) {(other[] a#0)} (Equal (other[] (bvadd a#0 #x00000000)) (other[] a#0)))
            (Equal (bvadd ((_ int2bv 32) 1) ((_ int2bv 32) 2)) ((_ int2bv 32) 3))
            (forall [F<>.axiom0] a#1:(_ FloatingPoint 8 24) b#2:(_ FloatingPoint 8 24) (Equal (fp.add RNE a#1 b#2) (fp.add RNE b#2 a#1)))
        "#]],
    );
}

#[test]
fn formulas_keep_their_meaning() {
    check(
        "domain D {
            function f(i: Int): Int
            function p(x: Ref, q: Perm): Bool
            axiom lets { forall i: Int :: {f(i)} let j == (f(i)) in j > i && (j == 0 ? i < 3 : i / 2 == j % 2) }
            axiom permissions { forall x: Ref, q: Perm :: p(x, q) <==> x != null && q <= write && 2 * q > 1/3 }
            axiom nested { forall i: Int :: {f(i)} exists k: Int :: {f(k)} f(k) == f(i) && k != i }
            axiom constant { !(f(0) == -1) }
         }",
        expect![[r#"
            (forall [D<>.lets] i#0:Int {(f[] i#0)} (And (Less i#0 (f[] i#0)) (IfThenElse (Equal (f[] i#0) 0) (Less i#0 3) (Equal (IntDivide i#0 2) (IntModulo (f[] i#0) 2)))))
            (forall [D<>.permissions] x#1:$Ref q#2:Real {(p[] x#1 q#2)} (Equal (p[] x#1 q#2) (And (Not (Equal x#1 $Ref.null)) (LessEqual q#2 1r) (Less 1/3r (Multiply 2r q#2)))))
            (forall [D<>.nested] i#3:Int {(f[] i#3)} (exists [D<>.nested] k#4:Int {(f[] k#4)} (And (Equal (f[] k#4) (f[] i#3)) (Not (Equal i#3 k#4)))))
            (Not (Equal (f[] 0) -1))
        "#]],
    );
}

#[test]
fn collections_are_terms_of_their_theories() {
    check(
        "domain D {
            function f(s: Seq[Int]): Set[Int]
            axiom { forall s: Seq[Int], i: Int :: {f(s), s[i]} 0 <= i && i < |s| ==> s[i] in f(s) }
            axiom { f(Seq(1, 2)) == Set(1, 2) && f(Seq[Int]()) == Set[Int]() }
            axiom { forall m: Map[Int, Bool], k: Int :: {m[k]} k in m ==> domain(m[k := true]) == domain(m) }
         }",
        expect![[r#"
            (forall [D<>.axiom0] s#0:Seq<Int> i#1:Int {(f[] s#0) (Seq_index<Int> s#0 i#1)} (Implies (And (LessEqual 0 i#1) (Less i#1 (Seq_length<Int> s#0))) (Set_contains<Int> (f[] s#0) (Seq_index<Int> s#0 i#1))))
            (And (Set_equal<Int> (f[] (Seq_append<Int> (Seq_singleton<Int> 1) (Seq_singleton<Int> 2))) (Set_add<Int> (Set_singleton<Int> 1) 2)) (Set_equal<Int> Set_empty<Int> (f[] Seq_empty<Int>)))
            (forall [D<>.axiom2] m#2:Map<Int,Bool> k#3:Int {(Map_lookup<Int,Bool> m#2 k#3)} (Implies (Set_contains<Int> (Map_domain<Int,Bool> m#2) k#3) (Set_equal<Int> (Map_domain<Int,Bool> m#2) (Map_domain<Int,Bool> (Map_update<Int,Bool> m#2 k#3 true)))))
        "#]],
    );
}

#[test]
fn triggers_are_inferred_where_none_can_be_matched() {
    check(
        "domain D {
            function f(i: Int): Int
            function g(i: Int, j: Int): Int
            axiom application { forall i: Int :: f(i) > i }
            axiom both { forall i: Int, j: Int :: f(i) == f(j) ==> i == j }
            axiom interpreted_argument { forall i: Int :: g(2 * i, i) > 0 }
            axiom weighted { @weight(\"5\") forall i: Int :: {f(f(i))} f(i) != 7 }
         }",
        expect![[r#"
            (forall [D<>.application] i#0:Int {(f[] i#0)} (Less i#0 (f[] i#0)))
            (forall [D<>.both] i#1:Int j#2:Int {(f[] i#1) (f[] j#2)} (Implies (Equal (f[] i#1) (f[] j#2)) (Equal i#1 j#2)))
            (forall [D<>.interpreted_argument] i#3:Int fresh#4:Int {(g[] fresh#4 i#3)} (Less 0 (g[] (Multiply 2 i#3) i#3)))
            (forall [D<>.weighted] i#5:Int {(f[] (f[] i#5))} weight 5 (Not (Equal (f[] i#5) 7)))
        "#]],
    );
}

#[test]
fn functions_of_the_program_get_the_unit_snapshot() {
    check(
        "function twice(i: Int): Int { 2 * i }
         domain D { function f(i: Int): Int axiom { forall i: Int :: {f(i)} f(i) == twice(i) } }",
        expect![[r#"
            (forall [D<>.axiom0] i#0:Int {(f[] i#0)} (Equal (f[] i#0) (fun.twice i#0)))
        "#]],
    );
}
