import JournalStore

/// A span of time such as `45s`, `10m`, `2h30m`, `3d` or `1w`.
struct Span: Hashable, Sendable {
    static let examples = "a span such as 45s, 10m, 2h30m, 3d or 1w"

    let microseconds: Int64

    private static let seconds: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]

    init?(_ text: String) {
        var total: Int64 = 0
        var digits = ""
        for character in text {
            if character.isASCII, character.isWholeNumber {
                digits.append(character)
                continue
            }
            guard let count = Int64(digits), let unit = Span.seconds[character] else { return nil }
            let (span, isTooLong) = count.multipliedReportingOverflow(by: unit * 1_000_000)
            let (sum, overflow) = total.addingReportingOverflow(span)
            guard !isTooLong, !overflow else { return nil }
            (total, digits) = (sum, "")
        }
        guard digits.isEmpty, !text.isEmpty else { return nil }
        microseconds = total
    }

    /// The time this long before another; nil if no timestamp can express it.
    func before(_ time: Timestamp) -> Timestamp? {
        let (result, overflow) = time.microseconds.subtractingReportingOverflow(microseconds)
        return overflow ? nil : Timestamp(microseconds: result)
    }
}
