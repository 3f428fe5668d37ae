#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gambol_fuzz::hold("engines_agree", bytes));
