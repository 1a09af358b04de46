/// A journal of state machines in one file: the only way to write one.
///
/// Opening takes the one-writer lock; it is held until ``close()``, until the last reference is gone, or until the process
/// ends, however it ends. Everything can be used from any thread or task.
///
/// ```swift
/// let journal = try Journal(path: "shop.db")
/// let stream = try await journal.openStream("cart-42", machine: "cart")
/// let appended = try await stream.append(#"{"pay":{}}"#)
/// ```
public final class Journal: Sendable {
    let writer: Writer
    let options: Options
    /// How to end the stores that are open.
    let stores = Lock<[StreamID: @Sendable () async -> Void]>([:])
    /// Who takes in what machines send to each other.
    let switchboard: Switchboard
    /// The streams of stores that were released and are not done yet.
    let leaving = Watched<[ByteName: Int]>([:])

    /// Reads the journal, also while it is written.
    public let reader: JournalReader

    /// The file, as an absolute path without links; nil for a journal in memory.
    public var file: String? { writer.file }

    /// Opens a journal for writing, and makes it where there is none.
    ///
    /// - Throws: ``JournalError``: the path cannot be used, the file is no journal or a newer one, another process writes
    ///   it, acknowledged entries are missing. The file is untouched then.
    public convenience init(path: String) throws(JournalError) {
        try self.init(path: path, options: Options())
    }

    /// Opens a journal for writing with options, and makes it where there is none.
    ///
    /// - Throws: ``JournalError`` as ``init(path:)``.
    public init(path: String, options: Options) throws(JournalError) {
        self.options = options
        writer = Writer(try Opening(options: options).file(path), options: options)
        switchboard = Switchboard(writer)
        reader = JournalReader(writer: writer, options: options)
    }

    private init(inMemory options: Options) throws(JournalError) {
        self.options = options
        writer = Writer(try Opening(options: options).inMemory(), options: options)
        switchboard = Switchboard(writer)
        reader = JournalReader(writer: writer, options: options)
    }

    /// A journal that lives in memory and ends with the process: for tests and previews. Everything else is the same.
    ///
    /// - Throws: ``JournalError`` where there is no memory.
    public static func inMemory(options: Options = Options()) throws(JournalError) -> Journal {
        try Journal(inMemory: options)
    }

    deinit {
        writer.arrivals.end()
    }

    /// Opens a stream, and makes it where there is none.
    ///
    /// - Parameters:
    ///   - name: the stream's own name.
    ///   - machine: the name of the machine it belongs to, for ever.
    /// - Throws: ``JournalError``: the stream is open already, or belongs to another machine.
    public func openStream(_ name: String, machine: String) async throws(JournalError) -> JournalStream {
        guard !name.isEmpty, !machine.isEmpty else {
            throw JournalError(
                .badArgument, "A stream and its machine need a name.", advice: "Give both one.", file: file)
        }
        let (info, settled) = try await writer.alone { state throws(JournalError) in
            try state.openStream(name, machine: machine)
        }
        let marks = try reader.snapshotMarks(of: name)
        return JournalStream(journal: self, info: info, settled: settled, lastSnapshot: marks.last?.step ?? 0)
    }

    /// Commits a batch. Returns once it is committed as durably as the options say.
    package func commit(_ batch: Batch) async throws(JournalError) -> [Appended] {
        try await writer.commit(batch)
    }

    /// Hands a batch in and returns. The answer comes on the thread that commits, in the order of commits; it must not wait.
    package func handIn(
        _ batch: Batch, completion: @escaping @Sendable (Result<[Appended], JournalError>) -> Void
    ) {
        writer.submit(Writer.Told(batch, completion))
    }

    /// Commits what was handed in before, copies the WAL into the database, and gives the lock back. Afterwards every call
    /// says that the journal is closed. Stores that are open are closed first. Running effects stay recorded as running.
    ///
    /// - Throws: ``JournalError`` where the disk failed, or had failed before.
    public func close() async throws(JournalError) {
        let open = stores.withLock { stores in
            defer { stores = [:] }
            return stores
        }
        for close in open.values { await close() }
        writer.arrivals.end()
        try await writer.alone { state throws(JournalError) in try state.close() }
    }
}
