//! One suite for every registry, over the public surface only.
//!
//! Each body is written once, for any [`Kind`](common::Kind); [`on_every_registry`](common::on_every_registry) makes one
//! test of it per registry, so that a failure names the registry. Modules `kNN_…` are named after the classes of public
//! bug reports that they keep out; where a test stems from one report, its repository is named.
//!
//! Time decides nothing here, except that a [watchdog](common::watchdog) turns a deadlock into a failure.

#![allow(unreachable_pub, reason = "nobody compiles against a test")]

mod common;

mod k01_counter_wrap;
mod k02_live_list;
mod k03_position;
mod k04_no_op;
mod k06_aliasing;
mod k08_only_next_advances;
mod k10_eligible;
mod k12_duplicates;
mod k13_identity;
mod k14_tokens;
mod k15_publication;
mod k18_nobody;
mod k22_first_pick;
mod k25_state;
mod k26_exact_shares;
mod k28_changes_inside;
mod k28_reentrancy;
mod k29_panics;
mod k30_held_snapshots;
mod k31_reclamation;
mod k32_soundness;
mod k33_thread_exit;
mod k34_readers_never_drop;
mod k36_lines;

mod bad_input;
mod random_operations;
mod surface;
