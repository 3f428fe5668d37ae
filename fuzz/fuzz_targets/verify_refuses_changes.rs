#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gambol_fuzz::hold("verify_refuses_changes", bytes));
