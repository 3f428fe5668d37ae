//! Numbers as people like to read them.

/// With a comma after each group of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn groups_have_three_digits() {
        let texts = [0, 12, 123, 1234, 123456, 1234567].map(grouped);
        assert_eq!(texts, ["0", "12", "123", "1,234", "123,456", "1,234,567"]);
    }
}
