import JournalStore

extension Watched {
    /// Waits until `answer` returns a value, but not longer than the limit in real time.
    ///
    /// - Returns: that value; nil if there was none in that time, or the task was cancelled.
    func wait<Answer: Sendable>(atMost limit: Duration, for answer: (Value) -> Answer?) async -> Answer? {
        let isOver = Watched<Bool>(false)
        let timer = Task.detached { [self] in
            try? await Task.sleep(for: min(limit, .longestWait))
            isOver.change { $0 = true }
            // Wakes the waiting task, which finds that the time is over.
            change { _ in }
        }
        defer { timer.cancel() }
        return await wait { value -> Answer?? in
            if let found = answer(value) { return .some(found) }
            return isOver.read { $0 } ? .some(nil) : nil
        } ?? nil
    }
}
