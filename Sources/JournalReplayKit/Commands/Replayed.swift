import JournalStore

/// The result of replaying a stream, in one or more processes.
struct Replayed {
    var stream: String
    /// nil if the replay did not finish.
    var report: ReplayReport?
    var processes: Int
    var error: JournalError?

    var json: JSON {
        func member(_ key: String, _ value: JSON) -> JSON.Member { JSON.Member(key: key, value: value) }
        return .object([
            member("stream", .text(stream)), member("faithful", report.map { .bool($0.isFaithful) } ?? .null),
            member("version", .number(report?.version)), member("firstStep", .number(report?.firstStep)),
            member("lastStep", .number(report?.lastStep)), member("snapshots", .number(report?.snapshots)),
            member("records", .number(report?.records)), member("processes", .number(processes)),
            member("unreadableSnapshots", .list((report?.unreadableSnapshots ?? []).map { .number($0) })),
            member("ofOlderCode", .list((report?.ofOlderCode ?? []).map(Replayed.json))),
            member("divergence", report?.divergence.map(Replayed.json) ?? .null),
            member("error", .text(error?.description)),
        ])
    }

    private static func json(_ divergence: Divergence) -> JSON {
        .object([
            .init(key: "kind", value: .text(divergence.kind.rawValue)),
            .init(key: "step", value: .number(divergence.step)),
            .init(key: "lastGood", value: .number(divergence.lastGood)),
            .init(key: "action", value: .text(divergence.action)),
            .init(key: "changes", value: .changes(divergence.changes)),
        ])
    }

    func write(to output: Output) throws {
        let name = "'\(SafeText.escape(stream))'"
        guard let report else {
            return try output.line(
                output.style.problem("Replay failed") + ": \(name). "
                    + SafeText.escape(error?.description ?? ""))
        }
        let steps = Quantity.counted(report.lastStep - report.firstStep, "step", "steps")
        let snapshots = Quantity.counted(report.snapshots, "snapshot", "snapshots")
        let records = Quantity.counted(report.records, "record", "records")
        let verdict = report.isFaithful ? "Faithful" : output.style.problem("Not faithful")
        try output.line(
            "\(verdict): \(name), \(steps) replayed in \(Quantity.counted(processes, "process", "processes")), "
                + "\(snapshots) and \(records) compared.")
        if let divergence = report.divergence {
            for text in divergence.description.split(separator: "\n") {
                try output.line("  " + SafeText.escape(String(text)))
            }
        }
        if let first = report.ofOlderCode.first {
            let count = Quantity.counted(report.ofOlderCode.count, "difference", "differences")
            try output.line(
                "  \(count) from what older code did, which a base replaces now or from the next opening on; the first "
                    + "at step \(first.step).")
        }
        if !report.unreadableSnapshots.isEmpty {
            let steps = report.unreadableSnapshots.map(String.init).joined(separator: ", ")
            try output.line("  This version cannot read the snapshot of step \(steps).")
        }
    }
}
