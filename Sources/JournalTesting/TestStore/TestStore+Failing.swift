import JournalStore

extension TestStore {
    func fail(_ message: String, at site: CallSite) {
        hasFailed = true
        report(TestStoreFailure(message, at: site))
    }

    /// Fails with each new notice of the library.
    func failNotices(at site: CallSite) {
        for notice in recorder.takeNotices() {
            fail("The library reports a problem: \(notice.kind): \(notice.error.withoutFile)", at: site)
        }
    }

    /// Waits until effects have done all that they can do now, and fails if they go on and on, or with what the library
    /// has noticed.
    ///
    /// - Returns: whether they have.
    @discardableResult
    func quiet(at site: CallSite) async -> Bool {
        defer { failNotices(at: site) }
        if isRestless { return false }
        if Task.isCancelled { return failCancelled(at: site) }
        let start = ContinuousClock.now
        let workLimit = stillness.executor.timeAtWork + Self.workLimit
        repeat {
            let isStill = await stillness.wait(
                on: clock, atMost: max(timeLimit, Self.slice), changes: 5 * Self.actionLimit)
            if isStill { return true }
            // Nothing waits in a task that is cancelled.
            if Task.isCancelled { return failCancelled(at: site) }
        } while stillness.executor.timeAtWork < workLimit
            && ContinuousClock.now - start < blockLimit && recorder.steps.read { $0.count } < Self.actionLimit
        isRestless = true
        fail(atWork(for: ContinuousClock.now - start), at: site)
        return false
    }

    private func failCancelled(at site: CallSite) -> Bool {
        isRestless = true
        fail("The test's task was cancelled, for example by its time limit: nothing is waited for any more.", at: site)
        return false
    }

    private static var slice: Duration { .milliseconds(100) }
    /// How long the effects may run; time in which other threads had the processors does not count.
    private static var workLimit: Duration { .seconds(10) }
    private static var actionLimit: Int { 1_000 }

    private func atWork(for time: Duration) -> String {
        let seconds = time.components.seconds
        var lines = ["Effects are still at work after \(seconds == 0 ? "\(time)" : "\(seconds) seconds")."]
        lines += stillness.activity.read { $0.bodies.inOrder }.prefix(5).map(\.lineInTest)
        let steps = recorder.steps.read { $0 }
        if let last = steps.last {
            let limit = steps.count < Self.actionLimit ? "" : ", and at most \(Self.actionLimit) may wait"
            lines.append("\(steps.count) actions not received\(limit); the newest: \(last.lineInTest)")
        }
        return lines.joined(separator: "\n  ")
    }
}

extension Collection<Stillness.Body> {
    /// In the order of their steps.
    var inOrder: [Stillness.Body] { sorted { ($0.step, $0.ordinal) < ($1.step, $1.ordinal) } }
}

extension Stillness.Body {
    /// The effect as a failure lists it.
    var lineInTest: String { "'\(name)' of step \(step): running" }
}

extension JournalError {
    /// The error without the name of the temporary file, unless it tells which disk is full.
    var withoutFile: JournalError {
        var error = self
        if code != .diskFull { error.file = nil }
        return error
    }
}
