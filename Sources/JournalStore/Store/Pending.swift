/// The outcomes of a stream's steps on their way to the disk: they ride along with whatever is committed next. That a step came to
/// nothing but a new state is noted with the stream's own next entry.
///
/// Of each run and each queue only the newest record is kept, so that what changes often is written once.
final class Pending: Rider {
    /// What is to be written, and how many changes of the scheduler it holds.
    private struct Load {
        var settled: Int?
        var steps: [StepRecord] = []
        var runs: [RunKey: EffectRun] = [:]
        var queues: [String: QueueMemory] = [:]
        /// The inner nil is nothing.
        var caution: String??
        var changes = 0

        var isEmpty: Bool {
            settled == nil && steps.isEmpty && runs.isEmpty && queues.isEmpty && caution == nil
        }

        func batch(_ stream: StreamID) -> Batch {
            var batch = Batch()
            if let settled { batch.settled = [stream: settled] }
            if !steps.isEmpty { batch.steps = steps }
            if !runs.isEmpty { batch.runs = Array(runs.values) }
            if !queues.isEmpty { batch.queues = Array(queues.values) }
            if let caution { batch.cautions = [stream: caution] }
            return batch
        }

        /// Takes back what could not be written; what was added since is newer.
        mutating func putBack(_ older: Load) {
            settled = settled ?? older.settled
            steps = older.steps + steps
            runs.merge(older.runs) { newer, _ in newer }
            queues.merge(older.queues) { newer, _ in newer }
            caution = caution ?? older.caution
            changes = max(changes, older.changes)
        }
    }

    private struct State {
        var load = Load()
        var taken: Load?
        var isWaiting = false
        /// It waits as one that is patient.
        var isPatient = false
        var isOver = false
        /// How many changes are on the disk.
        var written = 0
        var onWritten: (@Sendable (Result<Int, JournalError>) -> Void)?
    }

    private let stream: StreamID
    private let writer: Writer
    private let mark: SettledMark
    private let state = Lock(State())

    init(stream: StreamID, writer: Writer, mark: SettledMark) {
        self.stream = stream
        self.writer = writer
        self.mark = mark
    }

    /// Tells how many changes are on the disk, or what went wrong. What is told must not wait.
    func connect(_ onWritten: @escaping @Sendable (Result<Int, JournalError>) -> Void) {
        state.withLock { $0.onWritten = onWritten }
    }

    /// Up to this step everything is settled, and what there was to be recorded was added before.
    func add(settled step: Int) {
        let mustAsk: RiderDesk.Patience? = state.withLock { state in
            if state.isOver { return nil }
            // Not before what was added before.
            guard state.load.isEmpty, state.taken == nil else {
                state.load.settled = step
                defer { state.isWaiting = true }
                return state.isWaiting ? nil : RiderDesk.Patience.none
            }
            mark.reached = step
            defer { state.isPatient = true }
            return state.isPatient ? nil : .some
        }
        if let mustAsk { writer.takeAlong(self, mustAsk) }
    }

    /// A step is settled, and this is what it came to.
    func add(
        settled: Int?, steps: [StepRecord] = [], runs: [EffectRun] = [], queues: [QueueMemory] = [],
        caution: String?? = nil, changes: Int
    ) {
        let mustAsk = state.withLock { state in
            if state.isOver { return false }
            if let settled { state.load.settled = settled }
            state.load.steps += steps
            for run in runs { state.load.runs[RunKey(step: run.step, ordinal: run.ordinal)] = run }
            for queue in queues { state.load.queues[queue.key] = queue }
            state.load.caution = caution ?? state.load.caution
            state.load.changes = changes
            guard !state.load.isEmpty, !state.isWaiting else { return false }
            state.isWaiting = true
            return true
        }
        if mustAsk { writer.takeAlong(self, .none) }
    }

    /// Nothing more is written: somebody else may have the stream now.
    func end() {
        state.withLock { state in
            state.load = Load()
            state.isOver = true
            state.onWritten = nil
        }
    }

    func take(_ patience: RiderDesk.Patience) -> Batch? {
        state.withLock { state in
            switch patience {
            case .none: state.isWaiting = false
            case .some: state.isPatient = false
            }
            // It may wait as both, and one transaction takes it once.
            if state.isOver || state.taken != nil { return nil }
            // With whatever else there is: nothing was missing behind the mark when it was set.
            if mark.isOwed { state.load.settled = max(state.load.settled ?? 0, mark.reached) }
            guard !state.load.isEmpty else { return nil }
            let load = state.load
            state.taken = load
            state.load = Load()
            return load.batch(stream)
        }
    }

    func isStuck() -> Bool { mark.isStuck() }

    func wasWritten(_ result: Result<Void, JournalError>) {
        var news: Result<Int, JournalError>?
        var mustAsk = false
        var tell: (@Sendable (Result<Int, JournalError>) -> Void)?
        state.withLock { state in
            tell = state.onWritten
            guard let taken = state.taken else { return }
            state.taken = nil
            defer {
                // What was added meanwhile may have found it waiting, though this transaction had taken it already.
                mustAsk = !state.isOver && !state.load.isEmpty && !state.isWaiting
                if mustAsk { state.isWaiting = true }
            }
            switch result {
            case .success:
                // A step that came to nothing but a new state is no news.
                guard taken.changes > state.written else { return }
                state.written = taken.changes
                news = .success(taken.changes)
            case .failure(let error):
                news = .failure(error)
                guard error.isPassing, !state.isOver else { return }
                state.load.putBack(taken)
            }
        }
        if mustAsk { writer.takeAlong(self, .none) }
        if let news { tell?(news) }
    }
}
