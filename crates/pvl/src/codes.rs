//! The codes of errors and warnings about a text.
//!
//! Where VerCors has a code for an error, it is the same here, because its users and its test suite know it.

/// The text is not PVL.
pub const PARSE: &str = "parseError";
/// The construct is PVL, but not supported.
pub const UNSUPPORTED: &str = "unsupported";
pub const ADDRESS: &str = "wrongAddrOf";
/// Nothing says between which bounds the variable of a sum runs.
pub const SUM_BOUNDS: &str = "sumBounds";
/// The text looks like the language of VerCors 1.x.
pub const DIALECT: &str = "dialect";
/// The text can be read but probably does not mean what it seems to.
pub const SUSPICIOUS: &str = "suspicious";

/// Nothing of this name is known here.
pub const NO_SUCH_NAME: &str = "noSuchName";
/// A name is declared twice in one place.
pub const DUPLICATE_NAME: &str = "duplicateName";
/// An expression has another type than its context needs.
pub const TYPE: &str = "resolutionError:type";
/// A call has the wrong number of arguments, or arguments that fit no declaration.
pub const ARGUMENTS: &str = "arguments";
/// No constructor takes these arguments.
pub const NO_CONSTRUCTOR: &str = "noSuchConstructor";
/// A `given` parameter gets no value at a call.
pub const MISSING_GIVEN: &str = "missingGiven";
/// `this` in a place without an object.
pub const NO_THIS: &str = "wrongThisPosition";
/// `this` in the precondition of a constructor.
pub const THIS_IN_CONSTRUCTOR_PRECONDITION: &str = "resolutionError:thisInConsPre";
/// `\result` outside of a postcondition.
pub const RESULT: &str = "resolutionError:resultOutsidePostcondition";
/// `\old` where there is no earlier state.
pub const OLD: &str = "oldOutsideScope";
/// A permission to, or an assignment of, something that is not on the heap.
pub const NOT_A_LOCATION: &str = "notALocation";
/// A permission to a final field, which needs none.
pub const FINAL_PERMISSION: &str = "resolutionError:finalPerm";
/// A final field is assigned outside of its constructor, or more than once.
pub const FINAL_ASSIGNMENT: &str = "finalAssignment";
/// A variable of an enclosing thread is assigned in a par block.
pub const OUT_OF_WRITE_SCOPE: &str = "resolutionError:outOfWriteScope";
/// The same in a loop with an iteration contract.
pub const LOOP_VARIABLE: &str = "writeParVar";
/// A method is called where nothing may change, or the current thread is used where there is none.
pub const THREAD_SCOPE: &str = "curThreadScope";
/// A pure method has a body that cannot be a function.
pub const NOT_PURE: &str = "notPure";
/// Something that can only be evaluated in specifications is used by the program.
pub const GHOST: &str = "ghostInProgram";
/// Ghost code waits, or something of it flows into what the program does.
pub const GHOST_INFLUENCE: &str = "ghostInfluence";
/// The relations of a calculation lead into different directions.
pub const CALCULATION: &str = "mixedCalculation";
/// `reveal` or `hide` of a function that proofs cannot know less, or more, of.
pub const NOT_OPAQUE: &str = "notOpaque";
/// `by` or `calc` about permissions.
pub const PROOF_OF_RESOURCE: &str = "proofOfResource";
/// `fold`, `unfold` or `unfolding` of something that is not a predicate.
pub const NOT_A_PREDICATE: &str = "wrongFoldExpr";
/// `fold`, `unfold` or `unfolding` of a predicate without a body.
pub const ABSTRACT_FOLD: &str = "abstractFoldExpr";
/// A predicate or function that is `inline` and contains itself.
pub const CYCLIC_INLINE: &str = "cyclicInline";
/// A predicate or function that is `inline` and has no body.
pub const ABSTRACT_INLINE: &str = "abstractInlined";
/// `inline` bodies that grow too large.
pub const INLINE_SIZE: &str = "inlineSize";
/// A generic declaration that uses itself at ever larger types.
pub const ENDLESS_TYPES: &str = "endlessTypes";
/// `fork`, `join`, `idle` or `running` of an object without `run`.
pub const NO_RUN: &str = "runnableMethodMissing";
/// `read` where an exact amount is needed.
pub const WILDCARD: &str = "wildcard";
/// `*` as an index outside of a location.
pub const ANY_INDEX: &str = "any";
/// `AutoValue` together with other permissions.
pub const COMBINED_AUTO_VALUE: &str = "combinedAutoValue";
/// `AutoValue` outside of a contract.
pub const AUTO_VALUE: &str = "invalidAutoValue";
/// A clause of a contract where it has no meaning.
pub const CLAUSE: &str = "misplacedClause";
/// A modifier where it has no meaning.
pub const MODIFIER: &str = "misplacedModifier";
/// `send` and `recv` that do not belong together.
pub const SEND: &str = "wrongSendRecv";
/// A type is used as a value, or has the wrong number of arguments.
pub const TYPE_ARGUMENTS: &str = "typeArgs";
/// A lemma does what a proof cannot do.
pub const LEMMA: &str = "lemma";
/// Ghost code without a measure that shows its end.
pub const MISSING_MEASURE: &str = "missingMeasure";
/// An integer division where a fraction was probably meant.
pub const ZERO_FRACTION: &str = "zeroFraction";
/// An invariant is opened although a statement around has opened it.
pub const NESTED_ATOMIC: &str = "nestedAtomic";
/// A jump out of a block that must be ended, or into one.
pub const JUMP: &str = "jump";
/// `return` or `goto` out of an action block.
pub const ACTION_LEFT: &str = "actionLeft";
/// What to do about that.
pub(crate) const ACTION_ENDS: &str =
    "an action is one step of its model, and what it ensures is checked at its end: let it end instead";
/// A lock is taken and not given back.
pub const KEPT_LOCK: &str = "keptLock";
/// An amount that is held, in what is read at several places.
pub const HELD_AMOUNT: &str = "permScope";
/// A process calls itself before it has done anything, and nothing says that it ends.
pub const UNGUARDED: &str = "unguardedProcess";
/// The body of a process reads a field of its model.
pub const PROCESS_FIELD: &str = "fieldInProcess";
/// A contract speaks about a field that is neither modified nor accessible.
pub const FRAME: &str = "fieldNotInFrame";
/// What a process calls changes or reads a field that the process does not say it changes or reads.
pub const CALLEE_FRAME: &str = "frameTooSmall";
/// The variable of `\par` has no range, or a condition.
pub const PROCESS_RANGE: &str = "processRange";
/// The contract of a process is about no run.
pub const EMPTY_CONTRACT: &str = "emptyContract";
/// What is checked of a model is not said, or is no process of a model.
pub const PROCESS_OPTION: &str = "processOption";
/// A range of values that is given beside a model cannot be read or does not fit.
pub const RANGE_OPTION: &str = "rangeOption";
/// A condition or formula that is given beside a model cannot be read or does not fit.
pub const FORMULA_OPTION: &str = "formulaOption";
/// A history, which is recorded and not followed.
pub const HISTORY: &str = "history";
/// A trigger that cannot trigger anything.
pub const TRIGGER: &str = "trigger";
