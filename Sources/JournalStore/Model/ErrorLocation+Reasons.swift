// Errors with one meaning that several parts find.

extension ErrorLocation {
    /// The error of a call of middleware that needs a stream which a store is opening or closing.
    func mustNotWait() -> JournalError {
        error(
            .streamOpen, "A store is opening or closing the stream, and may wait for this middleware.",
            advice: "Act on it in a task that outlives the call of the middleware.")
    }

    var unknownStream: JournalError {
        error(.unknownStream, "There is no such stream.", advice: "`journal-replay streams` lists the existing ones.")
    }

    /// The action is in the journal, but this store did not reduce it.
    func unreduced(_ message: String) -> JournalError {
        error(.outcomeUnknown, message, advice: "Open the stream again: the opening reduces it.")
    }

    /// There is no such step: the stream is shorter.
    func endsBefore(_ last: Int, advice: String) -> JournalError {
        error(
            .noSuchStep, last == 0 ? "The stream has no step yet." : "The stream ends at step \(last).", advice: advice)
    }

    /// The stream is one of a host.
    func hosted(_ machine: String) -> JournalError {
        error(
            .streamOpen, "The machine '\(machine)' has a host, which alone opens its streams.",
            advice: "Use the host: its `store(for:)` returns the store of a stream.")
    }

    /// There is no record of an effect.
    func noEffect(_ key: RunKey) -> JournalError {
        at(key.step).error(
            .noSuchStep, "There is no effect \(key), or it was pruned.",
            advice:
                "`journal-replay effects \(fileWord) --stream=\(ShellWord.quoted(stream)) --all` lists what is "
                + "recorded."
        )
    }

    /// A pruning would remove what shows that something was damaged or lost.
    func removesDamage(_ damage: String) -> JournalError {
        error(
            .corrupt, "What pruning would remove is not sound, so nothing was removed: \(damage).",
            advice:
                "Restore a backup. `journal-replay prune --accept-damage` removes it all the same; then nothing tells of the damage."
        )
    }

    /// A snapshot that is only a cache is damaged.
    var damagedCache: JournalError {
        error(
            .corrupt, "The snapshot was damaged or changed by hand.",
            advice:
                "It only saves time: `journal-replay snapshot \(fileWord) --stream=\(ShellWord.quoted(stream)) "
                + "--drop=\(step ?? 0) --yes` removes it.")
    }

    /// An effect waits for a decision.
    func waiting(_ run: EffectRun) -> JournalError {
        let status = run.status == .parked ? EffectRun.Status.parked : .asked
        let reason =
            status == .parked
            ? "was started when the process ended, several times in a row, so it is not started again"
            : "waits for a decision: its restart policy asks whether it runs again, another journal from which this one was "
                + "copied has it too, or it cannot be told apart from another effect of its step"
        return at(run.step).error(
            .notInThatState, "The effect '\(run.name)' (\(run.key)) \(reason).",
            advice:
                "`journal-replay effects \(fileWord) --status \(status)` lists all of them, also those of other streams. "
                + "`release` starts one, `cancel` ends it.")
    }

    /// Checks that a stream belongs to a machine.
    ///
    /// - Parameter owner: the machine of the stream.
    /// - Throws: ``JournalError`` if that is another one.
    func check(_ machine: String, isMachineOfStream owner: String, advice: String) throws(JournalError) {
        guard !machine.hasSameBytes(as: owner) else { return }
        throw error(
            .otherMachine, "The stream belongs to the machine '\(owner)', not to '\(machine)'.", advice: advice)
    }

    /// What else to do about an error that a live effect causes.
    func adviceToCancel(_ run: EffectRun) -> String {
        " Or cancel it: `journal-replay cancel \(fileWord) \(run.key) --stream=\(ShellWord.quoted(stream))`."
    }

    /// The code returns no effect for a record, or has no handler for its value.
    func orphan(_ run: EffectRun, advice: String = "Open it with the code that does.") -> JournalError {
        at(run.step).error(
            .otherEffects,
            run.describedType.map { type in
                "The code has no handler for the value of the effect '\(run.name)', whose stored type is '\(type)': the type "
                    + "was renamed or moved to another module, or its handler is missing."
            } ?? "The code does not return the effect '\(run.name)' of this step any more.", advice: advice)
    }
}

extension JournalError {
    static let adviceForMissingEntry = "Run `journal-replay verify` to find out what else is missing."
    /// A snapshot that is only a cache is damaged.
    package static func damagedCache(_ file: String?, stream: String, step: Int) -> JournalError {
        ErrorLocation(file: file, stream: stream, step: step).damagedCache
    }

    static let adviceForDamage = "Run `journal-replay verify` to find all damage, and restore a backup."
}
