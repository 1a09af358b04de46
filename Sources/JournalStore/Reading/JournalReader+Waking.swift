/// A stream of a machine, and when it needs a store.
struct WakingStream: Sendable {
    let name: String
    let plan: WakePlan
}

extension JournalReader {
    /// Visits the streams of a machine that need a store now or later, oldest first, with one page in memory at a time.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read, or a record of a live effect is missing.
    func forEachWakingStream(
        of machine: String, hasInitialEffect: Bool, _ visit: ([WakingStream]) async -> Void
    ) async throws(JournalError) {
        var last: StreamID?
        while true {
            let (waking, next) = try read("looking for live effects") { [last] database throws(DatabaseError) in
                let page = try database.streams(after: last, limit: 500)
                var waking: [WakingStream] = []
                for stream in page where stream.machine == machine {
                    let runs = try database.allLiveRuns(of: stream)
                    let plan = WakePlan(stream, runs, hasInitialEffect: hasInitialEffect)
                    if plan != .never { waking.append(WakingStream(name: stream.name, plan: plan)) }
                }
                return (waking, page.last?.id)
            }
            guard let next else { return }
            last = next
            if !waking.isEmpty { await visit(waking) }
        }
    }
}
