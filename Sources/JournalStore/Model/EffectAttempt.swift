/// What is recorded of one attempt of a run. A run with a single attempt has no such record: its own says when the
/// attempt started and ended. Of a run with many attempts, the first one and the newest ones are kept.
package struct EffectAttempt: Hashable, Sendable {
    /// How many of the newest attempts of a run are kept, besides the first one.
    static let newest = 1_000

    /// The numbers of the attempts that are not kept of a run with so many; nil if all are.
    static func superfluous(of attempts: Int) -> ClosedRange<Int>? {
        attempts > newest + 1 ? 2...(attempts - newest) : nil
    }

    /// 1 for the first attempt.
    package var number: Int
    package var started: Timestamp?
    /// When it ended without ending the run; nil if it is under way, was cut off, or ended the run.
    package var ended: Timestamp?
    /// What it threw.
    package var error: String?

    package init(number: Int, started: Timestamp? = nil, ended: Timestamp? = nil, error: String? = nil) {
        (self.number, self.started, self.ended, self.error) = (number, started, ended, error)
    }

    /// The same, with what an older record of the attempt says besides. An attempt ends once: a run that is cancelled
    /// while it waits ends later than its newest attempt.
    func merged(over older: EffectAttempt?) -> EffectAttempt {
        guard let older else { return self }
        let hasEnded = older.ended != nil
        return EffectAttempt(
            number: number, started: started ?? older.started, ended: older.ended ?? ended,
            error: hasEnded ? older.error : error ?? older.error)
    }
}

extension EffectRun {
    /// The body starts once more. A second attempt also notes when the first one started.
    mutating func noteAttempt(_ number: Int, at now: Timestamp) {
        guard number > 1 else { return }
        if number == 2 { note(EffectAttempt(number: 1, started: started)) }
        note(EffectAttempt(number: number, started: now))
    }

    /// The newest attempt has ended, and the run has not, or it goes on.
    mutating func noteEnd(error: String?, at now: Timestamp) {
        note(EffectAttempt(number: attempts, started: attempts == 1 ? started : nil, ended: now, error: error))
    }

    private mutating func note(_ attempt: EffectAttempt) {
        if let index = notes.firstIndex(where: { $0.number == attempt.number }) {
            notes[index] = attempt.merged(over: notes[index])
        } else {
            notes.append(attempt)
        }
    }
}

// MARK: - For people

extension EffectAttempt {
    /// How an attempt ended.
    package enum Outcome: Hashable, Sendable, CustomStringConvertible {
        /// By the end of its process.
        case cutOff
        /// It failed or was cancelled, or it is the last one and has the status of the run.
        case status(EffectRun.Status)

        package var description: String {
            switch self {
            case .cutOff: "cut off"
            case .status(let status): status.rawValue
            }
        }
    }

    /// All attempts of a run with their outcomes, oldest first.
    ///
    /// - Parameter records: the records of the run's attempts.
    package static func history(
        of run: EffectRun, _ records: [EffectAttempt]
    ) -> [(attempt: EffectAttempt, outcome: Outcome)] {
        var all = records
        if run.attempts > 0, records.last?.number != run.attempts {
            all.append(EffectAttempt(number: run.attempts, started: run.attempts == 1 ? run.started : nil))
        }
        return all.map { attempt in
            if attempt.ended != nil { return (attempt, .status(attempt.error == nil ? .cancelled : .failed)) }
            let isLast = attempt.number == run.attempts
            guard isLast, run.status.isFinal || run.status == .running else { return (attempt, .cutOff) }
            var last = attempt
            last.ended = run.ended
            last.error = run.status == .failed ? run.error : nil
            return (last, .status(run.status))
        }
    }
}
