//! A plot with lines, each with its name at its end.

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::axis::Axis;
use crate::palette::Style;

/// A plot.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// Where and how it was measured, in a smaller script.
    pub note: String,
    /// From left to right.
    pub x: Axis,
    /// From the bottom to the top.
    pub y: Axis,
    /// From here to the right, the background is grey, with this text.
    pub shade: Option<(f64, String)>,
    /// What is drawn.
    pub lines: Vec<Line>,
}

/// A line of a plot.
#[derive(Clone, Debug)]
pub struct Line {
    /// What stands at its end.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Whether each point has a mark.
    pub marks: bool,
    /// How it is drawn.
    pub style: Style,
}

const SIZE: (i32, i32) = (900, 486);
const LEFT: i32 = 76;
const RIGHT: i32 = 208;
const TOP: i32 = 78;
const BOTTOM: i32 = 58;
const LINE_HEIGHT: i32 = 15;

/// How wide the lines of the plot are, and no others.
const THICK: u32 = 2;

const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(226, 226, 226);
const SHADE: RGBColor = RGBColor(244, 244, 244);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

impl Chart {
    /// The picture, as the text of an SVG file.
    ///
    /// # Errors
    ///
    /// If it cannot be drawn.
    pub fn svg(&self) -> Result<String> {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, (SIZE.0 as u32, SIZE.1 as u32)).into_drawing_area();
        self.draw(&area).and_then(|()| area.present()).map_err(|error| anyhow!("{}: {error}", self.title))?;
        drop(area);
        let mut svg = self.dashed(&svg);
        let title = format!("<title>{}</title>", escaped(&self.title));
        let end = svg.find("\">\n").map_or(0, |at| at + 2);
        svg.insert_str(end, &title);
        Ok(svg)
    }

    fn draw(&self, area: &Area<'_>) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        let (left, right, top, bottom) = (LEFT, SIZE.0 - RIGHT, TOP, SIZE.1 - BOTTOM);
        area.fill(&WHITE)?;
        area.draw(&text(&self.title, (left, 24), 18, INK, HPos::Left))?;
        area.draw(&text(&self.note, (left, 45), 13, RGBColor(100, 100, 100), HPos::Left))?;
        if let Some((from, why)) = &self.shade {
            let from = self.at((*from, 0.0)).0.clamp(left, right);
            area.draw(&Rectangle::new([(from, top), (right, bottom)], SHADE.filled()))?;
            area.draw(&text(why, (right, top - 10), 12, RGBColor(120, 120, 120), HPos::Right))?;
        }
        for (value, label) in &self.y.ticks {
            let y = bottom - (self.y.place(*value) * f64::from(bottom - top)) as i32;
            area.draw(&PathElement::new([(left, y), (right, y)], GRID))?;
            area.draw(&text(label, (left - 8, y), 13, INK, HPos::Right))?;
        }
        for (value, label) in &self.x.ticks {
            let x = self.at((*value, 0.0)).0;
            area.draw(&PathElement::new([(x, top), (x, bottom)], GRID))?;
            area.draw(&text(label, (x, bottom + 15), 13, INK, HPos::Center))?;
        }
        area.draw(&PathElement::new([(left, top), (left, bottom), (right, bottom)], INK))?;
        area.draw(&text(&self.x.label, ((left + right) / 2, bottom + 39), 13, INK, HPos::Center))?;
        let sideways = ("sans-serif", 13).into_font().transform(FontTransform::Rotate270).color(&INK);
        let sideways = sideways.pos(Pos::new(HPos::Center, VPos::Center));
        area.draw(&Text::new(self.y.label.clone(), (18, (top + bottom) / 2), sideways))?;
        self.draw_lines(area)?;
        self.draw_names(area)
    }

    fn draw_lines(&self, area: &Area<'_>) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        for line in &self.lines {
            let points: Vec<_> = line.points.iter().map(|point| self.at(*point)).collect();
            let style = line.style.colour.stroke_width(THICK);
            area.draw(&PathElement::new(points.clone(), style))?;
            if line.marks {
                for point in points {
                    area.draw(&Circle::new(point, 3, line.style.colour.filled()))?;
                }
            }
        }
        Ok(())
    }

    /// plotters draws a dash as a line of its own, some hundred for each line. SVG has a word for it.
    fn dashed(&self, svg: &str) -> String {
        let width = format!("stroke-width=\"{THICK}\"");
        let mut parts = svg.split(&width);
        let mut text = parts.next().unwrap_or_default().to_owned();
        for (line, part) in self.lines.iter().zip(parts) {
            text += &width;
            if let Some((dash, gap)) = line.style.dash {
                text += &format!(" stroke-dasharray=\"{dash} {gap}\"");
            }
            text += part;
        }
        text
    }

    /// At the ends of the lines, as near as names can be without covering each other.
    fn draw_names(&self, area: &Area<'_>) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        let right = SIZE.0 - RIGHT;
        let mut ends: Vec<_> =
            self.lines.iter().filter_map(|line| Some((self.at(*line.points.last()?), line))).collect();
        ends.sort_by_key(|((_, y), _)| *y);
        let wanted: Vec<_> = ends.iter().map(|((_, y), _)| *y).collect();
        for ((end, line), y) in ends.iter().zip(apart(&wanted, TOP, SIZE.1 - BOTTOM + 20)) {
            let colour = line.style.colour;
            area.draw(&PathElement::new([(end.0 + 5, end.1), (right + 16, y)], colour.mix(0.5)))?;
            area.draw(&text(&line.name, (right + 20, y), 13, colour, HPos::Left))?;
        }
        Ok(())
    }

    fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        let (width, height) = (f64::from(SIZE.0 - LEFT - RIGHT), f64::from(SIZE.1 - TOP - BOTTOM));
        let (x, y) = (self.x.place(x).clamp(0.0, 1.0), self.y.place(y).clamp(0.0, 1.0));
        (LEFT + (x * width).round() as i32, SIZE.1 - BOTTOM - (y * height).round() as i32)
    }
}

fn text(text: &str, at: (i32, i32), size: i32, colour: RGBColor, side: HPos) -> Text<'static, (i32, i32), String> {
    let style = ("sans-serif", size).into_font().color(&colour).pos(Pos::new(side, VPos::Center));
    Text::new(text.to_owned(), at, style)
}

/// Heights at least a line apart, near the wanted ones, which are sorted; between top and bottom, if they fit.
fn apart(wanted: &[i32], top: i32, bottom: i32) -> Vec<i32> {
    let mut heights = wanted.to_vec();
    let mut free = top;
    for height in &mut heights {
        *height = (*height).max(free);
        free = *height + LINE_HEIGHT;
    }
    let mut free = bottom;
    for height in heights.iter_mut().rev() {
        *height = (*height).min(free);
        free = *height - LINE_HEIGHT;
    }
    heights
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_cover_each_other() {
        let heights = apart(&[10, 12, 300, 395, 398], 0, 400);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= LINE_HEIGHT), "{heights:?}");
        assert_eq!(heights[2], 300, "who has room stays");
        assert!(heights[0] >= 0 && heights[4] <= 400, "{heights:?}");
    }

    #[test]
    fn a_picture_has_its_names_and_units() {
        let chart = Chart {
            title: "a < b".into(),
            note: "somewhere".into(),
            x: Axis::of_counts("threads", &[1, 2]),
            y: Axis::log("ns", [1.0, 10.0].into_iter()),
            shade: None,
            lines: vec![Line {
                name: "mutex".into(),
                points: vec![(1.0, 1.0), (2.0, 10.0)],
                marks: true,
                style: crate::palette::style("floor"),
            }],
        };
        let svg = chart.svg().unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("<title>a &lt; b</title>"), "{svg}");
        assert_eq!(svg.matches("stroke-dasharray").count(), 1);
        assert!(svg.ends_with("</svg>\n"), "{svg}");
        assert!(svg.contains("mutex") && svg.contains("threads") && svg.contains("ns"));
        assert_eq!(svg, chart.svg().unwrap());
    }
}
