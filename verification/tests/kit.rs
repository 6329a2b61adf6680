//! The example of the documentation of [`snapring_verification::kit`], mended.

#[path = "kit/right.rs"]
#[allow(unreachable_pub, reason = "it is an example of a library")]
mod right;

snapring_verification::verify! { mine: right::Mine::<P>::new }
