public import JournalStore

extension TestStore {
    /// Closes the journal without cancelling effects, and opens it again, as after the end of the process: the restart
    /// policies of unfinished effects are applied. What the opening found is in ``recovery``.
    ///
    /// It fails if a replay does not give the recorded states, outcomes and effects, because a restart needs them.
    ///
    /// - Parameter options: how the machine is opened again; by default as the test store was.
    public func restart(
        options: OpenOptions? = nil,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        await quiet(at: site)
        do {
            try await closeVerified(at: site)
            (journal, store) = try await open(options ?? self.options)
        } catch {
            fail("The restart failed: \(error)", at: site)
        }
        await quiet(at: site)
    }

    /// Waits for the effects to end, and asserts that all actions were received, that no effect is left, and that a
    /// replay gives the same states and effects. Then it closes the journal: call it at the end of each test.
    public func finish(
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        if exhaustivity == .on {
            let unfinished = await effectsLeft(at: site)
            if let failure = unreceived(before: "The test is not finished") { fail(failure, at: site) }
            if !unfinished.isEmpty {
                let lines = ["Effects have not ended:"] + unfinished + whenNextIsDue
                fail(lines.joined(separator: "\n  "), at: site)
            }
        }
        isFinished = true
        do { try await closeVerified(at: site) } catch { fail("The journal failed: \(error)", at: site) }
        failNotices(at: site)
    }

    /// What to do for effects that wait for a time.
    var whenNextIsDue: [String] {
        clock.nextWake.map { ["The next one is due when the clock is advanced by \($0)."] } ?? []
    }

    private func closeVerified(at site: CallSite) async throws {
        try await closeStore()
        if let divergence = try store.replayer().verify().divergence {
            fail("A replay does not give the same: \(divergence)", at: site)
        }
        try await journal.close()
        stillness.forgetBodies(ofJournal: journal.options.number)
    }

    /// Closes the store, unless a body blocks the thread of all tasks.
    private func closeStore() async throws {
        guard isRestless else { return try await store.close() }
        let isClosed = Watched(false)
        let closing = Task.detached { [store] in
            defer { isClosed.change { $0 = true } }
            try await store.close()
        }
        // In a task of its own, as one that is cancelled does not wait.
        let limit = closeLimit
        let waiting = Task.detached { await isClosed.wait(atMost: limit) { $0 ? true : nil } }
        guard await waiting.value == true else { throw Unclosed() }
        try await closing.value
    }

    private struct Unclosed: Error, CustomStringConvertible {
        var description: String { "It cannot be closed, because the body of an effect blocks its thread." }
    }

    /// Waits until all effects have ended, or only the test could go on, or the time is over.
    private func effectsLeft(at site: CallSite) async -> [String] {
        let end = ContinuousClock.now + timeLimit
        while true {
            // If they go on and on, that is the failure.
            guard await quiet(at: site) else { return [] }
            let activity = stillness.activity.read { $0 }
            let effects = await unfinishedEffects()
            let left = ContinuousClock.now.duration(to: end)
            if effects.isEmpty || activity.bodies.isEmpty || left <= .zero { return effects }
            _ = await stillness.activity.wait(atMost: left) { $0.changes == activity.changes ? nil : true }
        }
    }

    /// The effects that have not ended, a line for each.
    func unfinishedEffects() async -> [String] {
        let runs: [EffectRun]
        do { runs = try await store.allLiveRuns() } catch {
            // The test has closed the store.
            do { runs = try journal.reader.liveRuns(in: store.stream) } catch {
                return ["They cannot be read: \(error)"]
            }
        }
        return runs.map(\.lineInTest)
    }
}

extension EffectRun {
    fileprivate var lineInTest: String {
        let id = effectIDText.map { ", ID \($0)" } ?? ""
        let due = notBefore.map { " until \($0)" } ?? ""
        return "'\(name)' of step \(step)\(id): \(status.rawValue)\(due)"
    }
}
