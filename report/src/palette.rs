//! A contender looks the same in every plot, and to everybody.
//!
//! The colours are those of Okabe and Ito, which people with any kind of colour vision can tell apart. What this project
//! offers is a solid line, what it is compared with is dashed, and what nobody can beat is dotted and grey. Every line has
//! its name at its end, so no legend has to be looked up.

use plotters::style::RGBColor;

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Its colour, and that of its name.
    pub colour: RGBColor,
    /// Lengths of dashes and gaps, in pixels; `None` is a solid line.
    pub dash: Option<(i32, i32)>,
}

const BLACK: RGBColor = RGBColor(0, 0, 0);
const ORANGE: RGBColor = RGBColor(196, 130, 0);
const SKY: RGBColor = RGBColor(46, 150, 210);
const GREEN: RGBColor = RGBColor(0, 158, 115);
const BLUE: RGBColor = RGBColor(0, 92, 158);
const VERMILLION: RGBColor = RGBColor(213, 94, 0);
const PURPLE: RGBColor = RGBColor(190, 96, 150);
const GREY: RGBColor = RGBColor(120, 120, 120);

/// How the line of this contender is drawn.
pub fn style(contender: &str) -> Style {
    let (colour, dash) = match contender {
        "mutex" => (VERMILLION, None),
        "rwlock" => (ORANGE, None),
        "epoch" => (BLUE, None),
        "plain epoch" => (BLUE, Some((7, 4))),
        "arc-swap" => (SKY, None),
        "plain arc-swap" => (SKY, Some((7, 4))),
        "handle registry" => (GREEN, Some((12, 4))),
        "handle" => (GREEN, None),
        "leased 256" => (PURPLE, None),
        "arc-swap + counter" => (BLACK, Some((7, 4))),
        floor if floor.starts_with("floor") || floor == "nothing" => (GREY, Some((2, 4))),
        _ => (BLACK, Some((4, 4))),
    };
    Style { colour, dash }
}

/// The style of the first, second, … of a few lines that are no contenders.
pub fn distinct(at: usize) -> Style {
    const COLOURS: [RGBColor; 6] = [BLUE, GREEN, VERMILLION, PURPLE, ORANGE, SKY];
    Style { colour: COLOURS[at % COLOURS.len()], dash: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_contenders_of_ours_look_the_same() {
        let ours = ["mutex", "rwlock", "epoch", "arc-swap", "handle registry", "handle", "leased 256"].map(style);
        for (at, one) in ours.iter().enumerate() {
            assert!(!ours[..at].contains(one));
        }
    }
}
