//! What recorded benchmarks say.
//!
//! - [`record`] measures a run, and [`run`] reads it; [`verify`] runs the verification, and [`verification`] reads it.
//! - [`quantity`] is what a run measured once in each round; [`bootstrap`] gives it an interval.
//! - [`claims`] are statements about quantities; [`compare`] finds what changed between two runs.
//! - [`page`] is the report: [`decision`], [`tables`], [`plots`] and [`verification`] are its parts, [`markdown`],
//!   [`text`], [`chart`], [`axis`] and [`palette`] its means. [`html`] is the same page in one file.
//! - [`generate`] writes it all, or tells how it differs from what is there.

pub mod axis;
pub mod bootstrap;
pub mod chart;
pub mod claims;
pub mod compare;
pub mod decision;
pub mod generate;
pub mod html;
pub mod markdown;
pub mod page;
pub mod palette;
pub mod plots;
pub mod quantity;
pub mod record;
pub mod run;
pub mod tables;
pub mod text;
pub mod verification;
pub mod verify;
