// The row of a stream says which entry is its newest, and up to which step outcomes are recorded. If the other rows do
// not fit it, one of them is missing, or the row of the stream is an older one.

/// What is wrong with the end of a stream's entries.
private enum StreamEndProblem: Sendable {
    /// The newest entry is missing.
    case missing
    /// It is another one than the row names.
    case other
    /// There is an entry after it.
    case more

    /// - Parameter end: the entry of the stream's newest step, and one after it; without those that are not there.
    init?(_ end: [Entry], _ stream: StreamInfo) {
        if let newest = end.first, newest.step == stream.headStep {
            if newest.digest != stream.headDigest {
                self = .other
            } else if end.count > 1 {
                self = .more
            } else {
                return nil
            }
        } else if stream.headStep > stream.prunedStep {
            self = .missing
        } else if !end.isEmpty {
            self = .more
        } else if stream.headStep == 0, stream.headDigest != stream.birth.digest {
            // The first entry would be chained to another digest than that of an empty stream.
            self = .other
        } else {
            return nil
        }
    }
}

extension JournalReader {
    /// The newest entry of a stream; nil if there is none, or if it was pruned.
    ///
    /// - Throws: ``JournalError``; with ``JournalError/Code/corrupt`` if the entries do not end with the one that the
    ///   stream's row names.
    package func newestEntry(of stream: StreamInfo) throws(JournalError) -> Entry? {
        let (newest, problem, last) = try read("reading entries", stream: stream.name, step: stream.headStep) {
            database throws(DatabaseError) -> (Entry?, StreamEndProblem?, Int) in
            func end(of stream: StreamInfo) throws(DatabaseError) -> [Entry] {
                try database.entries(of: stream.id, from: stream.headStep, limit: 2, backwards: false)
            }
            let found = try end(of: stream)
            let newest = found.first { $0.step == stream.headStep }
            guard let problem = StreamEndProblem(found, stream) else { return (newest, nil, stream.headStep) }
            // An app can have appended or pruned since the row was read. In one transaction they fit each other.
            guard let now = try database.stream(stream.id) else { return (nil, problem, stream.headStep) }
            return (newest, StreamEndProblem(try end(of: now), now), now.headStep)
        }
        if let problem { throw location(stream.name, last).error(problem) }
        return newest
    }

    /// Throws if the outcome of a step is recorded that is not settled: both are written in one transaction.
    func checkUnsettledSteps(of stream: StreamInfo) throws(JournalError) {
        guard stream.settledStep < stream.headStep else { return }
        let step = try read("reading the outcomes", stream: stream.name) { database throws(DatabaseError) in
            try database.firstOutcome(of: stream.id, after: stream.settledStep)
        }
        guard let step else { return }
        throw location(stream.name, step).error(
            .corrupt, "The outcome of this step is recorded, but the row of the stream is older than that.",
            advice: JournalError.adviceForDamage)
    }
}

extension ErrorLocation {
    /// The entry of a step is missing that the stream has had.
    var missingEntry: JournalError {
        error(
            .corrupt, "The entry is missing: the row of the stream says that there is one.",
            advice: JournalError.adviceForDamage)
    }

    fileprivate func error(_ problem: StreamEndProblem) -> JournalError {
        switch problem {
        case .missing: missingEntry
        case .other:
            error(
                .corrupt,
                "The newest entry is not the one that the row of the stream names: one of the two is damaged.",
                advice: JournalError.adviceForDamage)
        case .more:
            error(
                .corrupt, "An entry follows this step, which is the newest one as the row of the stream says.",
                advice: JournalError.adviceForDamage)
        }
    }
}
