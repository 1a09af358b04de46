import JournalStore

/// What a list had to leave out because the file is damaged.
struct Unreadable: Hashable, Sendable {
    /// How many entries, or steps without one, could not be read.
    var entries = 0
    /// How many entries were read whose outcome could not be.
    private(set) var outcomes = 0
    /// The stream and the step of the first of those.
    private var firstOutcome: StepPlace?
    /// How many entries are not those that were committed, or follow a gap.
    var breaks = 0
    /// The first of those.
    var firstBreak: JournalError?
    /// How many other rows could not be read.
    private var rows = 0
    /// The error of the first of those.
    private var firstRow: JournalError?

    private struct StepPlace: Hashable, Sendable {
        var stream: String
        var step: Int
    }

    /// Notes a step whose outcome cannot be read.
    mutating func addOutcome(of stream: String, at step: Int) {
        firstOutcome = firstOutcome ?? StepPlace(stream: stream, step: step)
        outcomes += 1
    }

    /// Notes a row that cannot be read.
    mutating func addRow(_ error: JournalError) {
        firstRow = firstRow ?? error
        rows += 1
    }

    /// What was left out; nil if everything was read.
    func error(_ file: String?) -> JournalError? {
        var sentences: [String] = []
        if entries > 0 {
            sentences.append("\(Quantity.counted(entries, "place", "places")) in the list of entries cannot be read.")
        }
        if let firstBreak {
            let stream = SafeText.escape(firstBreak.stream ?? "")
            let first =
                if let step = firstBreak.step {
                    breaks == 1
                        ? "Step \(step) of the stream '\(stream)' is not as it was written."
                        : "\(Quantity.grouped(breaks)) entries are not as they were written. "
                            + "The first is step \(step) of the stream '\(stream)'."
                } else {
                    "\(Quantity.counted(breaks, "entry", "entries")) cannot be checked, the first in the stream '\(stream)'."
                }
            sentences += [first, firstBreak.message + (firstBreak.message.hasSuffix(".") ? "" : ".")]
        }
        if let firstRow {
            let stream = firstRow.stream.map { "of the stream '\(SafeText.escape($0))'" } ?? "of an unknown stream"
            let place = [firstRow.step.map { "at step \($0)" }, stream].compactMap(\.self).joined(separator: " ")
            sentences += [
                rows == 1
                    ? "One that belongs here cannot be listed, \(place)."
                    : "\(Quantity.grouped(rows)) that belong here cannot be listed, the first \(place).",
                firstRow.message,
            ]
        }
        if let firstOutcome {
            let first = "step \(firstOutcome.step) of the stream '\(SafeText.escape(firstOutcome.stream))'"
            sentences.append(
                outcomes == 1
                    ? "The outcome of \(first) cannot be read."
                    : "The outcomes of \(Quantity.grouped(outcomes)) steps cannot be read. The first is \(first).")
        }
        guard !sentences.isEmpty else { return nil }
        let damage = ["The database is damaged."] + sentences + ["Everything else was listed."]
        return JournalError(
            .corrupt, damage.joined(separator: " "), advice: JournalError.adviceToVerify, file: file)
    }
}

extension JournalError {
    /// Whether a part of the file cannot be read, and others perhaps can.
    var isDamage: Bool { code == .corrupt }
}

extension JournalReader {
    /// The outcomes of steps; nil for one that cannot be read.
    func outcomes(of entries: [Entry], _ unreadable: inout Unreadable) throws(JournalError) -> [StepOutcome?] {
        do throws(JournalError) { return try outcomes(of: entries) } catch {
            guard error.isDamage else { throw error }
        }
        var found: [StepOutcome?] = []
        for entry in entries {
            do throws(JournalError) { found += try outcomes(of: [entry]) } catch {
                guard error.isDamage else { throw error }
                unreadable.addOutcome(of: entry.stream, at: entry.step)
                found.append(nil)
            }
        }
        return found
    }

    /// The first effects of a step, without those that cannot be read.
    func effectRuns(in stream: String, step: Int, limit: Int, _ unreadable: inout Unreadable) throws -> [EffectRun] {
        do throws(JournalError) { return try effectRuns(in: stream, step: step, limit: limit) } catch {
            guard error.isDamage else { throw error }
        }
        var found: [EffectRun] = []
        try forEachEffect(of: stream, damaged: { if $0.step == step { unreadable.addRow($0) } }) { page in
            found += page.lazy.map(\.run).filter { $0.step == step }
        }
        return Array(found.prefix(limit))
    }
}
