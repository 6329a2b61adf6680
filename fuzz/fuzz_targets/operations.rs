#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| snapring_fuzz_targets::operations(data));
