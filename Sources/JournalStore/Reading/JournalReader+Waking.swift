/// A stream of a machine, and when it needs a store.
struct WakingStream: Sendable {
    let name: String
    let plan: WakePlan
}

/// Where a visit of the streams goes on.
struct WakingPlace: Sendable {
    /// The last stream of the pages that were read.
    var last: StreamID?
    /// Whether it was reported that rows are not in order.
    var isDisordered = false
}

extension JournalReader {
    /// Visits the streams of a machine that need a store now or later, oldest first, with one page in memory at a time.
    ///
    /// - Parameters:
    ///   - place: where it begins. After an error it is where a later visit goes on, without the pages that were read.
    ///   - pageSize: how many streams are read at a time.
    ///   - goesOn: whether to read on; called before each page.
    ///   - damaged: called for each row of a stream that cannot be read, and once if rows are not in order;
    ///     those are left out. A stream whose records are damaged needs a store now, because its opening says what is
    ///     wrong.
    /// - Throws: ``JournalError`` if the journal cannot be read.
    func forEachWakingStream(
        of machine: String, from place: inout WakingPlace, hasInitialEffect: Bool, pageSize: Int = 500,
        goesOn: () -> Bool, damaged: (JournalError) -> Void, _ visit: ([WakingStream]) async -> Void
    ) async throws(JournalError) {
        let doing = "looking for live effects"
        while goesOn() {
            let (waking, damage, disorder, next) = try read(doing) {
                [last = place.last] database throws(DatabaseError) in
                let page = try database.soundStreams(after: last, limit: pageSize)
                var waking: [WakingStream] = []
                for stream in page.streams where stream.machine.hasSameBytes(as: machine) {
                    var plan = WakePlan.now
                    do throws(DatabaseError) {
                        let runs = try database.allLiveRuns(of: stream)
                        plan = WakePlan(stream, runs, hasInitialEffect: hasInitialEffect)
                    } catch  where error.isDamagedRow {}
                    if plan != .never { waking.append(WakingStream(name: stream.name, plan: plan)) }
                }
                return (waking, page.damage, page.disorder, page.last)
            }
            for error in damage { damaged(JournalError(error, file: file, while: doing)) }
            // SQLite can find the same rows again after each page.
            if let disorder, !place.isDisordered {
                place.isDisordered = true
                damaged(JournalError(disorder, file: file, while: doing))
            }
            guard let next else { return }
            place.last = next
            if !waking.isEmpty { await visit(waking) }
        }
    }
}
