extension WriterState {
    /// What was done with the records of sources, on which later batches of their streams build.
    struct EarlierRecords {
        /// The streams whose records could not be written, and why.
        var refused: [StreamID: JournalError] = [:]
        /// The streams whose records were written.
        var written: Set<StreamID> = []

        mutating func note(_ batch: Batch, _ result: Result<ArraySlice<Appended>, JournalError>) {
            switch result {
            case .success: written.formUnion(batch.recordedStreams)
            case .failure(let error): for stream in batch.recordedStreams { refused[stream] = error }
            }
        }
    }

    /// The results of a transaction's batches.
    struct Committed {
        /// The entries of all batches, in order.
        var appended: [Appended] = []
        /// For each batch, the end of its entries in ``appended``.
        var ends: [Int] = []
        /// The errors of batches that could not be stored, by index.
        var failures: [Int: JournalError] = [:]
        /// The error of the whole transaction.
        var failure: JournalError?
        /// The newest position; nil if no entry was added.
        var lastPosition: Int?
        /// Whether there was something to write.
        var isTransaction = false
        /// Whether the transaction has begun: then a batch can be the reason why it failed.
        var hasBegun = false

        subscript(index: Int) -> Result<ArraySlice<Appended>, JournalError> {
            if let failure { return .failure(failure) }
            if !failures.isEmpty, let failure = failures[index] { return .failure(failure) }
            return .success(appended[(index == 0 ? 0 : ends[index - 1])..<ends[index]])
        }

        /// An error that concerns later batches as well.
        var obstacle: JournalError? { failures.values.first { $0.isTransient || $0.isFinal } }

        /// Adds the results of `count` batches that were committed after these.
        mutating func add(_ later: Committed, of count: Int) {
            let (first, before) = (ends.count, appended.count)
            appended += later.appended
            // If the whole transaction has failed, there are none of single batches.
            ends += later.failure == nil ? later.ends.map { $0 + before } : Array(repeating: before, count: count)
            for index in 0..<count where later.failure != nil || !later.failures.isEmpty {
                failures[first + index] = later.failure ?? later.failures[index]
            }
            lastPosition = later.lastPosition ?? lastPosition
        }

        /// Whether each of the first `count` batches was stored.
        func succeeded(upTo count: Int) -> Bool {
            failure == nil && (failures.isEmpty || !failures.keys.contains { $0 < count })
        }
    }
}
