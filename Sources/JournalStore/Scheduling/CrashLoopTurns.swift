/// Which streams of a journal watch effects that a crash loop has held back. If the process ends, each of them suspects
/// its own effects. So a stream whose next suspicion can park an effect watches while no other stream does.
struct CrashLoopTurns: Sendable {
    private var watching: Set<StreamID> = []
    private var alone: StreamID?
    /// The streams that wait until they can watch alone. Meanwhile no other stream begins to watch.
    private var waiting: Set<StreamID> = []

    /// Ends a stream's turn, and begins the next one if it may.
    ///
    /// - Returns: whether it has begun. If not, the stream asks again.
    mutating func begin(_ stream: StreamID, alone isAlone: Bool) -> Bool {
        end(stream)
        guard isAlone else {
            if alone != nil || !waiting.isEmpty { return false }
            watching.insert(stream)
            return true
        }
        guard alone == nil, watching.isEmpty else {
            waiting.insert(stream)
            return false
        }
        alone = stream
        return true
    }

    /// The stream watches nothing any more, and waits for no turn.
    mutating func end(_ stream: StreamID) {
        watching.remove(stream)
        waiting.remove(stream)
        if alone == stream { alone = nil }
    }
}
