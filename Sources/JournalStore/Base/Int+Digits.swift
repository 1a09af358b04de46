extension Int {
    /// A number as it is written: digits, without a sign and without a zero before them.
    package init?(digits text: some StringProtocol) {
        guard let value = Int(text), value >= 0, String(value) == text else { return nil }
        self = value
    }
}
