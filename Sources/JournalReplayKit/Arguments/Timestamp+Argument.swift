import JournalStore

extension Timestamp {
    /// The examples in the help and in errors.
    static let examples = "a time such as 2025-12-31, 2025-12-31T23:59Z or 10m (ten minutes ago)"

    /// A time as people give it to a command: a date, a time of day, or a span before now.
    init?(argument text: String, now: Timestamp = .now()) {
        if let time = Timestamp(iso: text) {
            self = time
        } else if let span = Span(text), let time = span.before(now) {
            self = time
        } else {
            return nil
        }
    }
}
