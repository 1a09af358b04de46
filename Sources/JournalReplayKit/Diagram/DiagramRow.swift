import JournalStore

/// An edge of a diagram of what happened.
struct DiagramRow {
    enum Status: String {
        case taken
        /// The reducer rejected the action.
        case refused
        /// It is in the table, and no step took it.
        case never
        /// A step took it, and it is not in the table.
        case unlisted
    }

    var from: String
    var to: String
    var action: String
    var status: Status
    var count: TransitionTally.Count?

    static let keys: [Key<DiagramRow>] = [
        Key("from", "the node before the step") { .text($0.from) },
        Key("to", "the node after the step") { .text($0.to) },
        Key("action", "the name of the action, or the input and guards of a table's arrow that no step took") {
            .text($0.action)
        },
        Key("status", "taken, refused, and with --over also never or unlisted") { .text($0.status.rawValue) },
        Key("count", "the number of steps") { .number($0.count?.steps ?? 0) },
        Key("first", "when the first of them was committed") { .text($0.count?.first.description) },
        Key("last", "when the last of them was committed") { .text($0.count?.last.description) },
        Key(
            "meanWait",
            "how long the stream had been in the node before, on average, in seconds; null if that is not known"
        ) {
            $0.count?.meanWait.map { .number(String($0 / 1_000_000)) } ?? .null
        },
    ]

    /// The edges of a journal, laid over those of a table if there is one.
    static func rows(_ tally: TransitionTally, over table: TableArrows?) -> [DiagramRow] {
        var rows = tally.edges.map { edge in
            let isListed = table.map { $0.arrows.contains { $0.covers(edge) } } ?? true
            return DiagramRow(
                from: edge.from, to: edge.to, action: edge.action,
                status: edge.isRefused ? .refused : isListed ? .taken : .unlisted, count: tally.counts[edge])
        }
        for arrow in table?.arrows ?? [] {
            let isTaken = tally.edges.contains { !$0.isRefused && arrow.covers($0) }
            if !isTaken {
                let (from, to) = (arrow.from.joined(separator: ", "), arrow.to.joined(separator: ", "))
                rows.append(DiagramRow(from: from, to: to, action: arrow.label, status: .never))
            }
        }
        return rows
    }

    /// `pay ×40, after 5.2 s`; `pay ×40` if no wait is known; `ship, never`
    var label: String {
        guard let count else { return "\(action), never" }
        let what = [.taken: "", .refused: " refused", .unlisted: " (not in the table)"][status] ?? ""
        let wait = count.meanWait.map { ", after \(DiagramRow.duration($0))" } ?? ""
        return "\(action)\(what) ×\(Quantity.grouped(count.steps))\(wait)"
    }

    /// `350 µs`, `5.2 s`, `3.1 h`
    private static func duration(_ microseconds: Double) -> String {
        let units: [(String, Double)] = [
            ("µs", 1), ("ms", 1e3), ("s", 1e6), ("min", 60e6), ("h", 3600e6), ("days", 86_400e6),
        ]
        let (name, size) = units.last { microseconds >= $0.1 } ?? units[0]
        let tenths = (microseconds / size * 10).rounded() / 10
        return (tenths == tenths.rounded() ? String(Int(tenths)) : String(tenths)) + " " + name
    }

    var emphasis: DiagramEmphasis {
        switch status {
        case .taken: .plain
        case .never: .faint
        case .refused, .unlisted: .strong
        }
    }
}
