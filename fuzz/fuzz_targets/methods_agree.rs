#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gambol_fuzz::hold("methods_agree", bytes));
