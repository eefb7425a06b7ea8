//! The few figures that summarise many.

/// The value in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => values[length / 2],
        length => (values[length / 2 - 1] + values[length / 2]) / 2.0,
    }
}

/// The exponent `k` of the `n^k` that fits best: the slope of the logarithms.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    let logarithms: Vec<(f64, f64)> = points
        .iter()
        .filter(|(size, seconds)| *size > 0.0 && *seconds > 0.0)
        .map(|(size, seconds)| (size.ln(), seconds.ln()))
        .collect();
    let count = logarithms.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| logarithms.iter().map(pick).sum::<f64>() / count;
    let (mean_size, mean_seconds) = (mean(|point| point.0), mean(|point| point.1));
    let products: f64 =
        logarithms.iter().map(|(size, seconds)| (size - mean_size) * (seconds - mean_seconds)).sum();
    let squares: f64 = logarithms.iter().map(|(size, _)| (size - mean_size).powi(2)).sum();
    products / squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn a_square_has_the_exponent_two() {
        let points: Vec<(f64, f64)> = [2.0, 4.0, 8.0, 16.0].map(|n| (n, 0.1 * n * n)).to_vec();
        assert!((exponent(&points) - 2.0).abs() < 1e-9);
    }
}
