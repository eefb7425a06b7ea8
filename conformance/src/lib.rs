//! What a run over a public test suite needs: its annotations, the judgement by them, and the things under test.
#![forbid(unsafe_code)]

pub mod annotations;
pub mod findings;
pub mod isolate;
pub mod judge;
pub mod mutation;
pub mod oracle;
mod pvl_argued;
pub mod pvl_cases;
pub mod pvl_export;
pub mod pvl_judge;
pub mod pvl_verify;
pub mod roundtrip;
pub mod run;
pub mod solver;
mod stronger;
pub mod suite;
pub mod tiers;
pub mod verify;
pub mod work;
