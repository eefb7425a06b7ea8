//! How much longer a run will take, from how long its members took before.

use std::time::Duration;

/// A member in the middle of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberWork {
    /// In an earlier run, if there was one and the member is the same.
    pub expected: Option<Duration>,
    pub state: WorkState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkState {
    Waiting,
    /// For how long.
    Running(Duration),
    Finished,
}

/// The time left for so many workers; nothing where too little is known.
///
/// Members that are new or were changed are expected to take as long as the others do on average. Zero means that the
/// run takes longer than it did before.
pub fn time_left(members: &[MemberWork], workers: usize) -> Option<Duration> {
    let known: Vec<Duration> = members.iter().filter_map(|member| member.expected).collect();
    if known.is_empty() || known.len() * 2 < members.len() {
        return None;
    }
    let mean = known.iter().sum::<Duration>() / u32::try_from(known.len()).unwrap_or(u32::MAX);
    let left = |member: &MemberWork| {
        let expected = member.expected.unwrap_or(mean);
        match member.state {
            WorkState::Waiting => expected,
            WorkState::Running(time) => expected.saturating_sub(time),
            WorkState::Finished => Duration::ZERO,
        }
    };
    let total: Duration = members.iter().map(left).sum();
    let longest = members.iter().map(left).max().unwrap_or_default();
    let workers = u32::try_from(workers.max(1)).unwrap_or(u32::MAX);
    Some(longest.max(total / workers))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn work(expected: Option<u32>, state: WorkState) -> MemberWork {
        MemberWork { expected: expected.map(|seconds| seconds * SECOND), state }
    }

    #[test]
    fn what_is_left_is_what_waits_and_the_rest_of_what_runs() {
        let members = [
            work(Some(5), WorkState::Finished),
            work(Some(4), WorkState::Running(SECOND)),
            work(Some(6), WorkState::Waiting),
        ];
        assert_eq!(time_left(&members, 1), Some(9 * SECOND));
        // Two workers cannot share one member.
        assert_eq!(time_left(&members, 2), Some(6 * SECOND));
    }

    #[test]
    fn a_member_that_is_new_takes_as_long_as_others() {
        let members = [
            work(Some(2), WorkState::Finished),
            work(Some(4), WorkState::Finished),
            work(None, WorkState::Waiting),
        ];
        assert_eq!(time_left(&members, 1), Some(3 * SECOND));
    }

    #[test]
    fn too_little_is_no_ground_for_an_estimate() {
        assert_eq!(time_left(&[], 1), None);
        assert_eq!(time_left(&[work(None, WorkState::Waiting)], 1), None);
        let mostly_new = [
            work(Some(2), WorkState::Waiting),
            work(None, WorkState::Waiting),
            work(None, WorkState::Waiting),
        ];
        assert_eq!(time_left(&mostly_new, 1), None);
    }

    #[test]
    fn nothing_is_left_of_what_takes_longer_than_before() {
        assert_eq!(time_left(&[work(Some(2), WorkState::Running(5 * SECOND))], 2), Some(Duration::ZERO));
    }
}
