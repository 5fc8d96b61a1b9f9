//! Axes: where the ticks are and what they say.

use kurabe_analysis::format::significant;

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
#[derive(Clone, Debug)]
pub struct Axis {
    pub scale: Scale,
    pub low: f64,
    pub high: f64,
    /// Positions of the ticks.
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
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| high / step <= 4.5);
        let step = step.unwrap_or(high);
        let count = (high / step).floor() as usize;
        Axis { scale: Scale::Linear, low: 0.0, high: high * 1.02, ticks: (0..=count).map(|n| n as f64 * step).collect() }
    }

    /// Powers of ten; positions are logarithms.
    pub fn log(low: f64, high: f64) -> Axis {
        let (low, high) = (low.log10() - 0.08, high.log10() + 0.05);
        let first = low.floor();
        let mut ticks: Vec<f64> = (0..=(high - first).floor() as usize).map(|n| first + n as f64).collect();
        ticks.retain(|tick| *tick >= low);
        if ticks.len() < 2 {
            return Axis { scale: Scale::Log, low: first, high: high.ceil(), ticks: vec![first, high.ceil()] };
        }
        let every = ticks.len().div_ceil(6);
        Axis { scale: Scale::Log, low, high, ticks: ticks.into_iter().step_by(every).collect() }
    }

    /// The position of a value; what lies outside moves to the edge.
    pub fn at(&self, value: f64) -> f64 {
        let position = match self.scale {
            Scale::Linear => value,
            Scale::Log if value > 0.0 => value.log10(),
            Scale::Log => self.low,
        };
        position.clamp(self.low, self.high)
    }

    /// The value at a position.
    pub fn value(&self, position: f64) -> f64 {
        match self.scale {
            Scale::Linear => position,
            Scale::Log => 10f64.powf(position),
        }
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
        let log = Axis::log(3.0, 40_000.0);
        assert_eq!(log.ticks, [1.0, 2.0, 3.0, 4.0]);
        assert!(log.ticks.iter().all(|tick| (log.low..=log.high).contains(tick)));
    }

    #[test]
    fn rates_on_an_axis_are_short() {
        assert_eq!([short_rate(0.0), short_rate(10_000.0), short_rate(2_500_000.0)], ["0", "10 k", "2.5 M"]);
    }
}
