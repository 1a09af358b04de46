import JournalStore

/// What a list had to leave out because the file is damaged.
struct Unreadable: Hashable, Sendable {
    /// How many entries, or steps without one, could not be read.
    var entries = 0
    /// How many entries were read whose outcome could not be.
    var outcomes = 0
    /// How many entries are not those that were committed, or follow a gap.
    var breaks = 0
    /// The first of those.
    var firstBreak: JournalError?

    /// What was left out; nil if everything was read.
    func error(_ file: String?) -> JournalError? {
        let first =
            firstBreak.map { error in
                // The message is a sentence; here it is a part of one.
                ", the first at step \(error.step ?? 0) of the stream '\(SafeText.escape(error.stream ?? ""))': "
                    + (error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message)
            } ?? ""
        let parts = [
            entries > 0 ? "\(Quantity.counted(entries, "place", "places")) in the list of entries cannot be read" : nil,
            breaks > 0
                ? "\(Quantity.counted(breaks, "entry", "entries")) \(breaks == 1 ? "is" : "are") not what was written"
                    + first : nil,
            outcomes > 0 ? "the outcomes of \(Quantity.counted(outcomes, "step", "steps")) cannot be read" : nil,
        ].compactMap(\.self)
        guard !parts.isEmpty else { return nil }
        return JournalError(
            .corrupt,
            "The database is damaged: \(parts.joined(separator: ", and ")). Everything that can be read was listed.",
            advice: JournalError.adviceToVerify, file: file)
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
                unreadable.outcomes += 1
                found.append(nil)
            }
        }
        return found
    }
}
