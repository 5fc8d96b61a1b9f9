//! Axes: where the ticks are and what they say.

use kurabe_messages::format::significant;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// Above this ratio of the largest to the smallest value an axis is logarithmic.
const LOG_FROM: f64 = 20.0;

/// How values become positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From zero.
    Linear,
    /// By powers of ten.
    Log,
}

/// An axis that holds all of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub scale: Scale,
    pub low: f64,
    pub high: f64,
    /// Values of the ticks.
    pub ticks: Vec<f64>,
}

impl Axis {
    /// The axis for values above zero: linear from zero, or logarithmic where they spread widely.
    pub fn for_values(values: &[f64]) -> Axis {
        let low = values.iter().copied().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        if low.is_finite() && high / low > LOG_FROM { Axis::log(low, high) } else { Axis::linear(high) }
    }

    /// Zero to `high`, with about four ticks at round numbers.
    pub fn linear(high: f64) -> Axis {
        let high = if high > 0.0 { high } else { 1.0 };
        let power = 10f64.powf((high / 4.0).log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0].into_iter().map(|factor| factor * power).find(|step| high / step <= 4.5);
        let step = step.unwrap_or(10.0 * power);
        let ticks = (0..=(high / step).floor() as usize).map(|n| n as f64 * step).collect();
        Axis { scale: Scale::Linear, low: 0.0, high: high * 1.02, ticks }
    }

    /// By powers of ten; both ends must be above zero. Ticks are at powers of ten, at most six of them; where fewer than two
    /// lie inside, at 1, 2 and 5 times those.
    pub fn log(low: f64, high: f64) -> Axis {
        let powers = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
        let inside: Vec<f64> = powers.map(|power| 10f64.powi(power)).filter(|at| (low..=high).contains(at)).collect();
        if inside.len() < 2 {
            return Axis::short_log(low, high);
        }
        let every = inside.len().div_ceil(6);
        let ticks = inside.into_iter().step_by(every).collect();
        Axis { scale: Scale::Log, low: low / 1.2, high: high * 1.1, ticks }
    }

    /// From the nearest of 1, 2 and 5 times a power of ten below `low` to the nearest above `high`, with ticks at all of them.
    fn short_log(low: f64, high: f64) -> Axis {
        let powers = (low.log10().floor() as i32 - 1)..=(high.log10().ceil() as i32 + 1);
        let round: Vec<f64> =
            powers.flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * 10f64.powi(power))).collect();
        let first = round.iter().rposition(|at| *at <= low).unwrap_or(0);
        let last = round.iter().position(|at| *at > high).unwrap_or(round.len() - 1);
        Axis { scale: Scale::Log, low: round[first], high: round[last], ticks: round[first..=last].to_vec() }
    }

    /// By powers, with ticks at these values, which are above zero; where they are many, at some of them.
    pub fn from_values(values: Vec<f64>) -> Axis {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        if !low.is_finite() || low <= 0.0 {
            return Axis::linear(high);
        }
        let every = values.len().div_ceil(7).max(1);
        let ticks = values.into_iter().step_by(every).collect();
        Axis { scale: Scale::Log, low: low / 1.2, high: (high * 1.1).max(low * 1.5), ticks }
    }

    /// So many places at one distance, with a tick at each: 1, 2, 3…
    pub fn places(count: usize) -> Axis {
        let ticks = (1..=count).map(|place| place as f64).collect();
        Axis { scale: Scale::Linear, low: 0.8, high: count as f64 + 0.2, ticks }
    }

    /// A logarithmic axis around 1 for ratios, with ticks at 1, 2 and 5 where powers of ten are too far apart.
    pub fn ratios(low: f64, high: f64) -> Axis {
        let (low, high) = (low / 1.1, high * 1.1);
        let decades = (high / low).log10();
        let factors: &[f64] = if decades > 3.0 {
            &[1.0]
        } else if decades > 1.0 {
            &[1.0, 2.0, 5.0]
        } else {
            &[0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0]
        };
        let powers = (low.log10().floor() as i32 - 1)..=(high.log10().ceil() as i32);
        let mut ticks: Vec<f64> = if decades > 1.0 {
            powers.flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power))).collect()
        } else {
            factors.to_vec()
        };
        ticks.retain(|tick| (low..=high).contains(tick));
        let every = ticks.len().div_ceil(7).max(1);
        let one = ticks.iter().position(|tick| (tick - 1.0).abs() < 1e-9).unwrap_or(0);
        let ticks =
            ticks.iter().enumerate().filter(|(at, _)| at % every == one % every).map(|(_, tick)| *tick).collect();
        Axis { scale: Scale::Log, low, high, ticks }
    }

    /// From 0 to 1 for the values on the axis; what lies outside moves to the edge.
    fn share(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (self.share(*value) * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.low..self.high
    }
}

/// A rate on an axis: `250`, `10 k`, `2.5 M`.
pub fn short_rate(value: f64) -> String {
    let (divisor, sign) = match value {
        v if v >= 999_500_000.0 => (1e9, " G"),
        v if v >= 999_500.0 => (1e6, " M"),
        v if v >= 999.5 => (1e3, " k"),
        _ => (1.0, ""),
    };
    let figure = significant(value / divisor, 3);
    let figure = if figure.contains('.') { figure.trim_end_matches('0').trim_end_matches('.') } else { &figure };
    format!("{figure}{sign}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_logarithmic_only_above_a_ratio_of_twenty() {
        assert_eq!(Axis::for_values(&[1.0, 20.0]).scale, Scale::Linear);
        assert_eq!(Axis::for_values(&[1.0, 21.0]).scale, Scale::Log);
        assert_eq!(Axis::for_values(&[]).scale, Scale::Linear);
    }

    #[test]
    fn ticks_are_round_and_lie_on_the_axis() {
        assert_eq!(Axis::linear(430.0).ticks, [0.0, 100.0, 200.0, 300.0, 400.0]);
        assert_eq!(Axis::log(3.0, 40_000.0).ticks, [10.0, 100.0, 1_000.0, 10_000.0]);
        let narrow = Axis::log(300.0, 800.0);
        assert_eq!((narrow.low, narrow.high, narrow.ticks), (200.0, 1_000.0, vec![200.0, 500.0, 1_000.0]));
        assert_eq!(Axis::log(4_500.0, 25_000.0).ticks, [2e3, 5e3, 1e4, 2e4, 5e4]);
        assert_eq!(Axis::log(7.0, 7.0).ticks, [5.0, 10.0]);
    }

    #[test]
    fn an_axis_of_ratios_has_a_tick_at_one() {
        for (low, high) in [(0.8, 1.25), (0.5, 2.0), (0.03, 7.0), (1e-4, 1e3)] {
            let axis = Axis::ratios(low, high);
            assert!(axis.ticks.iter().any(|tick| (tick - 1.0).abs() < 1e-9), "{axis:?}");
            assert!((2..=8).contains(&axis.ticks.len()), "{axis:?}");
        }
    }

    #[test]
    fn values_map_to_where_their_scale_puts_them() {
        assert_eq!(Axis::log(1.0, 1_000.0).map(&10_000.0, (0, 300)), 300);
        let axis = Axis { scale: Scale::Log, low: 1.0, high: 1_000.0, ticks: Vec::new() };
        assert_eq!([1.0, 10.0, 100.0, 1_000.0].map(|value| axis.map(&value, (300, 0))), [300, 200, 100, 0]);
    }

    #[test]
    fn rates_on_an_axis_are_short() {
        assert_eq!([short_rate(0.0), short_rate(10_000.0), short_rate(2_500_000.0)], ["0", "10 k", "2.5 M"]);
    }
}
