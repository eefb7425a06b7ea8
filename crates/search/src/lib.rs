//! Emptiness checks on products, and the counterexamples they find.
//!
//! A search is written against the [`Product`] interface and sees numbered states, marked edges and faults;
//! each search is a file of its own. [`choose()`] says which one fits a question, [`run()`] runs it, and what
//! comes back is an [`Outcome`]. A search that meets a limit answers *unknown*, never *holds*.
#![forbid(unsafe_code)]

mod changes;
mod choose;
mod cndfs;
mod control;
mod endless;
mod faults;
mod kept;
mod lasso;
mod levels;
mod limits;
mod lossy_reach;
mod lowe;
mod model_product;
pub mod naive;
mod ndfs;
mod order;
mod outcome;
mod pair;
mod path;
mod pause;
mod pndfs;
pub mod product;
mod reach_bfs;
mod reach_dfs;
pub mod reduction;
mod renault;
mod set_based_scc;
mod shared_search;
mod shortest;
mod stack;
mod steal;
mod swarm;
mod team;
mod terminal;
mod ufscc;
mod weak_dfs;
mod work;

pub use changes::Changes;
pub use choose::{Algorithm, Choice, Question, Strength, choose, run, run_shared};
pub use control::Control;
pub use faults::{ACCEPTING_SINK, FaultPolicy, Violation};
pub use kept::{Checkpoint, Frozen, Keeper, Kept, Stage};
pub use limits::{HEAD_START, SETTLING_STEPS};
pub use lossy_reach::{Lost, Reached, Vectors, lossy_reach};
pub use model_product::{
    Acceptance, INVALID_END_STATE, ModelProduct, ProductOptions, Valueless, accepting_sinks, fault_kind,
};
pub use ndfs::ndfs;
pub use outcome::Outcome;
pub use path::{Counterexample, Lasso, Path, Step};
pub use product::{Edge, Expansion, Fault, FaultClass, FaultKind, Halt, Marks, Product, Shared, StateId};
pub use reach_bfs::reach_bfs;
pub use reach_dfs::{ReachOptions, reach_dfs};
pub use set_based_scc::set_based_scc;
pub use shortest::shortest_lasso;
pub use terminal::{extend_to_lasso, terminal_bfs, terminal_dfs};
pub use weak_dfs::weak_dfs;
