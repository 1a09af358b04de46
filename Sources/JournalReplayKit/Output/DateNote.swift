import JournalStore

/// How long ago the dates of a state were, for people. It is not part of the JSON, so it is only shown on a terminal.
enum DateNote {
    /// A line of formatted JSON; if its value is a date, with a remark behind it.
    static func added(to line: String, now: Timestamp = .now()) -> String {
        var end = line[...]
        if end.last == "," { end = end.dropLast() }
        // The shortest date is `"2026-11-20T12:00:00Z"`.
        guard end.last == "\"", end.utf8.count >= 22 else { return line }
        end = end.dropLast()
        guard let quote = end.lastIndex(of: "\"") else { return line }
        let text = end[end.index(after: quote)...]
        guard text.contains("T"), let time = Timestamp(iso: String(text)) else { return line }
        let remark =
            time <= now
            ? "\(Quantity.age(since: time, now: now)) ago" : "in \(Quantity.age(since: now, now: time))"
        return "\(line)  (\(remark))"
    }
}
