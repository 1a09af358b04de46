import Synchronization

/// The newest outputs of effects. Each listener reads them from its own place on, so a slow one costs no memory of its
/// own.
struct OutputLog: Sendable {
    /// How many outputs are kept.
    static let capacity = 1024

    fileprivate struct Kept {
        /// Output i is at index i modulo the capacity.
        var values: [any Sendable] = []
        /// How many outputs there were.
        var count = 0
        /// Outputs are kept while something may read them.
        var readers: Int
        var isOver = false
    }

    private let kept: Watched<Kept>

    /// A log that keeps outputs from the start on.
    init() { kept = Watched(Kept(readers: 1)) }

    fileprivate init(_ kept: Watched<Kept>) { self.kept = kept }

    /// Whether something reads the outputs.
    fileprivate var isRead: Bool { kept.read { $0.readers > 0 } }

    /// Keeps an output. Does nothing if there is no reader, or if the log has ended.
    func append(_ value: any Sendable) {
        guard kept.read({ $0.readers > 0 && !$0.isOver }) else { return }
        // What a value of the app does at its end must not meet the lock.
        var oldest: (any Sendable)?
        kept.change { kept in
            if kept.values.count < Self.capacity {
                kept.values.append(value)
            } else {
                oldest = kept.values[kept.count % Self.capacity]
                kept.values[kept.count % Self.capacity] = value
            }
            kept.count += 1
        }
        withExtendedLifetime(oldest) {}
    }

    /// No more outputs come.
    func end() {
        kept.change { $0.isOver = true }
    }

    /// Keeps the outputs from now on.
    ///
    /// - Returns: the index of the next output.
    func addReader() -> Int {
        kept.change { kept in
            kept.readers += 1
            return kept.count
        }
    }

    func removeReader() {
        let unread: [any Sendable] = kept.change { kept in
            kept.readers -= 1
            guard kept.readers == 0 else { return [] }
            defer { (kept.values, kept.count) = ([], 0) }
            return kept.values
        }
        withExtendedLifetime(unread) {}
    }

    /// Waits for the first output of a type from an index on.
    ///
    /// - Parameter index: becomes the index of the output after it.
    /// - Returns: nil if the log ends, or the task is cancelled, before there is one.
    func next<Output: Sendable>(_ type: Output.Type, from index: inout Int) async -> Output? {
        var place = index
        let found: (Output, Int)?? = await kept.wait { kept in
            place = max(place, kept.count - kept.values.count)
            while place < kept.count {
                if let output = kept.values[place % Self.capacity] as? Output { return .some((output, place)) }
                place += 1
            }
            return kept.isOver ? .some(nil) : nil
        }
        guard let (output, place) = found ?? nil else { return nil }
        index = place + 1
        return output
    }
}

/// An output log that is made when somebody asks for it: most stores need none.
struct LazyOutputLog: ~Copyable, Sendable {
    private let kept = AtomicLazyReference<Watched<OutputLog.Kept>>()

    /// The log, which exists from now on.
    var log: OutputLog { OutputLog(kept.storeIfNil(Watched(OutputLog.Kept(readers: 0)))) }

    /// Whether something reads the outputs.
    var isRead: Bool { kept.load().map { OutputLog($0).isRead } ?? false }

    /// Keeps an output, if there is a reader.
    func append(_ value: any Sendable) {
        if let kept = kept.load() { OutputLog(kept).append(value) }
    }

    /// No more outputs come.
    func end() { log.end() }
}
