//! Small charts as SVG, to stand in a page.

use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 46.0;
const BOTTOM: f64 = 34.0;
const TOP: f64 = 26.0;

/// A row of values with a name and a colour.
pub(crate) struct Series<'a> {
    pub(crate) name: &'a str,
    pub(crate) colour: &'a str,
    /// One for each place on the axis; missing ones are not drawn.
    pub(crate) values: Vec<Option<f64>>,
}

/// Columns side by side, one group for each place. Values are percentages.
pub(crate) fn columns(places: &[String], series: &[Series<'_>]) -> String {
    let mut svg = begin();
    grid(&mut svg, &[0.0, 25.0, 50.0, 75.0, 100.0]);
    let group = (WIDTH - LEFT) / places.len().max(1) as f64;
    let width = group * 0.76 / series.len().max(1) as f64;
    for (number, place) in places.iter().enumerate() {
        let first = LEFT + group * (number as f64 + 0.12);
        for (row, one) in series.iter().enumerate() {
            if let Some(value) = one.values.get(number).copied().flatten() {
                column(&mut svg, first + width * row as f64, width, value, one.colour);
            }
        }
        text(&mut svg, LEFT + group * (number as f64 + 0.5), HEIGHT - BOTTOM + 16.0, place);
    }
    end(svg, series)
}

/// Lines over equally spaced places. Values are percentages.
pub(crate) fn lines(places: &[String], series: &[Series<'_>]) -> String {
    let mut svg = begin();
    grid(&mut svg, &[0.0, 25.0, 50.0, 75.0, 100.0]);
    let step = (WIDTH - LEFT) / places.len().max(1) as f64;
    let across = |number: usize| LEFT + step * (number as f64 + 0.5);
    for (number, place) in places.iter().enumerate() {
        text(&mut svg, across(number), HEIGHT - BOTTOM + 16.0, place);
    }
    for one in series {
        let points: Vec<(f64, f64)> = one
            .values
            .iter()
            .enumerate()
            .filter_map(|(number, value)| Some((across(number), height_of((*value)?))))
            .collect();
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            r#"<polyline points="{}" fill="none" stroke="{}" stroke-width="2"/>"#,
            path.join(" "),
            one.colour
        );
        for (x, y) in points {
            let _ =
                writeln!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.5" fill="{}"/>"#, one.colour);
        }
    }
    end(svg, series)
}

/// One line per row with two times on a logarithmic scale: what was published and what was measured.
pub(crate) fn times(rows: &[(String, f64, Option<f64>)], colours: [&str; 2]) -> String {
    const ROW: f64 = 19.0;
    const NAMES: f64 = 190.0;
    let height = ROW * rows.len() as f64 + 40.0;
    let across = |seconds: f64| {
        let share = (seconds.max(0.001).log10() + 3.0) / 7.0;
        NAMES + share.clamp(0.0, 1.0) * (WIDTH - NAMES - 20.0)
    };
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">"#
    );
    svg.push('\n');
    for (seconds, name) in [
        (0.001, "1 ms"),
        (0.01, "10 ms"),
        (0.1, "0.1 s"),
        (1.0, "1 s"),
        (10.0, "10 s"),
        (100.0, "100 s"),
        (1_000.0, "1000 s"),
    ] {
        let x = across(seconds);
        let _ = writeln!(
            svg,
            r##"<line x1="{x:.1}" y1="20" x2="{x:.1}" y2="{:.1}" stroke="#ddd"/>"##,
            height - 14.0
        );
        text(&mut svg, x, 14.0, name);
    }
    for (number, (name, published, measured)) in rows.iter().enumerate() {
        let y = 32.0 + ROW * number as f64;
        let _ = writeln!(
            svg,
            r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
            NAMES - 8.0,
            y + 4.0,
            escaped(name)
        );
        let from = across(*published);
        if let Some(measured) = measured {
            let to = across(*measured);
            let _ = writeln!(
                svg,
                r##"<line x1="{to:.1}" y1="{y:.1}" x2="{from:.1}" y2="{y:.1}" stroke="#bbb"/><circle cx="{to:.1}" cy="{y:.1}" r="4.5" fill="{}"/>"##,
                colours[1]
            );
        }
        let _ =
            writeln!(svg, r#"<circle cx="{from:.1}" cy="{y:.1}" r="4.5" fill="{}"/>"#, colours[0]);
    }
    svg.push_str("</svg>\n");
    svg
}

fn begin() -> String {
    format!(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">"#)
        + "\n"
}

fn height_of(value: f64) -> f64 {
    HEIGHT - BOTTOM - value.clamp(0.0, 100.0) / 100.0 * (HEIGHT - BOTTOM - TOP)
}

fn grid(svg: &mut String, values: &[f64]) {
    for &value in values {
        let y = height_of(value);
        let _ = writeln!(
            svg,
            r##"<line x1="{LEFT}" y1="{y:.1}" x2="{WIDTH}" y2="{y:.1}" stroke="#ddd"/><text x="{:.1}" y="{:.1}" text-anchor="end">{value} %</text>"##,
            LEFT - 6.0,
            y + 4.0
        );
    }
}

fn column(svg: &mut String, x: f64, width: f64, value: f64, colour: &str) {
    let y = height_of(value);
    let _ = writeln!(
        svg,
        r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{:.1}" fill="{colour}"><title>{value:.1} %</title></rect>"#,
        height_of(0.0) - y
    );
}

fn text(svg: &mut String, x: f64, y: f64, text: &str) {
    let _ = writeln!(
        svg,
        r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle">{}</text>"#,
        escaped(text)
    );
}

/// What the colours mean.
fn end(mut svg: String, series: &[Series<'_>]) -> String {
    let mut x = LEFT + 4.0;
    for one in series {
        let _ = writeln!(
            svg,
            r#"<rect x="{x:.1}" y="6" width="11" height="11" fill="{}"/><text x="{:.1}" y="16">{}</text>"#,
            one.colour,
            x + 16.0,
            escaped(one.name)
        );
        x += 40.0 + 7.2 * one.name.chars().count() as f64;
    }
    svg.push_str("</svg>\n");
    svg
}

/// Text that may stand in HTML and SVG.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
