/// The one connection of a journal in memory.
protocol SharedConnection: Sendable {
    /// Reads through the connection, alone with it.
    func reading<Value: Sendable>(
        _ body: @Sendable (JournalDatabase) throws(DatabaseError) -> Value
    ) throws(JournalError) -> Value
}

/// Reads a journal: at any time, from any process, while an app writes it.
///
/// It sees committed entries only, is never refused because of a writer, and keeps a read transaction open no longer
/// than it takes to read a page. Records of effects appear some ten milliseconds after their steps, or with
/// ``Store/flush()``. Methods that are not `async` block their thread while they read. It never changes the database or the WAL. If a WAL has no `-shm`, a reader of the
/// file's owner makes one; a reader of another user gets an error.
public final class JournalReader: Sendable {
    private enum Source: Sendable {
        case file(ReaderPool)
        /// Reads that follow each other closely share a connection and a transaction.
        case pinned(PinnedConnection)
        /// A journal in memory has one connection; readers and the writer use it in turn.
        case memory(any SharedConnection)
    }

    private let source: Source
    /// Announces new entries, if this is the process that writes.
    private let arrivals: Arrivals?

    /// The file, as an absolute path without symbolic links; nil for a journal in memory.
    public var file: String? {
        switch source {
        case .file(let pool): pool.file
        case .pinned(let connection): connection.file
        case .memory: nil
        }
    }

    /// Opens a journal for reading. The file must exist.
    ///
    /// - Throws: ``JournalError`` if it is missing, is no journal, was made by a newer version, or may not be read; or
    ///   if it is empty, and a WAL is there that may hold its entries.
    public convenience init(path: String) throws(JournalError) {
        try self.init(path: path, vfs: nil)
    }

    package init(path: String, vfs: String?) throws(JournalError) {
        let file = try JournalPath.resolve(path, mayBeMissing: false)
        try JournalPath.checkIsNoPart(file)
        // SQLite deletes such a WAL even through a connection that only reads.
        try JournalPath.checkWALHasItsDatabase(file)
        try JournalPath.checkIsOurs(file, vfs: vfs)
        source = .file(ReaderPool(file: file, vfs: vfs, isWrittenHere: false))
        arrivals = nil
        // The check of the path saw the database file alone, which can be older than its WAL.
        let found = try read("reading the schema") { database throws(DatabaseError) in
            try Migrator().find(in: database.connection)
        }
        if found.isEmpty {
            throw JournalError(
                .notAJournal, "There is no journal in this file yet.",
                advice: "If it should hold one, it was truncated or replaced: restore a backup. "
                    + "Otherwise open it for writing once: that makes the journal.", file: file)
        }
        _ = try Migrator.pending(for: found, writing: false, file: file)
        try refuseSecondPath(file)
    }

    /// Refuses a file that is mounted alone at a second path. Its WAL is at the first one, and what is here is old.
    private func refuseSecondPath(_ file: String) throws(JournalError) {
        do throws(JournalError) {
            let writer = try read("reading the last writer") { database throws(DatabaseError) in
                try database.writer()
            }
            guard let error = writer.flatMap({ RenamedJournal.error($0.path, now: file) }) else { return }
            if error.code == .severalNames { throw error }
        } catch  where error.code == .corrupt {
            // What is damaged can be read as far as possible. The verification reports it.
        }
    }

    /// A reader in the process that writes.
    ///
    /// - Parameter connection: the connection of a journal in memory.
    init(file: String?, vfs: String?, arrivals: Arrivals, connection: any SharedConnection) {
        source = file.map { .file(ReaderPool(file: $0, vfs: vfs, isWrittenHere: true)) } ?? .memory(connection)
        self.arrivals = arrivals
    }

    private init(_ source: Source, _ arrivals: Arrivals?) {
        (self.source, self.arrivals) = (source, arrivals)
    }

    /// A reader for many short reads that follow each other: they share a connection and transactions, until
    /// ``unpin()``.
    func pinned() -> JournalReader {
        guard case .file(let pool) = source else { return self }
        return JournalReader(.pinned(PinnedConnection(pool)), arrivals)
    }

    /// Ends the shared transaction. A later read begins another one.
    func unpin() {
        if case .pinned(let connection) = source { connection.release() }
    }

    /// Ends the shared transactions of all readers that were made with ``pinned()``, and closes the connections that no
    /// read uses.
    func release() {
        guard case .file(let pool) = source else { return }
        pool.releasePins()
        pool.closeIdle()
    }

    /// Runs the body in one read transaction.
    func read<Value: Sendable>(
        _ doing: String, stream: String? = nil, step: Int? = nil,
        _ body: @Sendable (JournalDatabase) throws(DatabaseError) -> Value
    ) throws(JournalError) -> Value {
        switch source {
        case .memory(let connection):
            return try connection.reading(body)
        case .file(let pool):
            return try pool.borrow { database throws(JournalError) in
                try JournalError.at(pool.file, doing, stream: stream, step: step) { () throws(DatabaseError) in
                    try database.read { () throws(DatabaseError) in try body(database) }
                }
            }
        case .pinned(let connection):
            return try connection.read { database throws(JournalError) in
                try JournalError.at(connection.file, doing, stream: stream, step: step) {
                    () throws(DatabaseError) in try body(database)
                }
            }
        }
    }

    /// Runs the body in one read transaction, with the ID of a stream that must exist.
    func read<Value: Sendable>(
        _ doing: String, of name: String, step: Int? = nil,
        _ body: @Sendable (JournalDatabase, StreamID) throws(DatabaseError) -> Value
    ) throws(JournalError) -> Value {
        let found: Value? = try read(doing, stream: name, step: step) { database throws(DatabaseError) in
            guard let id = try database.stream(named: name)?.id else { return nil }
            return try body(database, id)
        }
        guard let found else { throw unknownStream(name) }
        return found
    }

    /// Copies the whole journal into a new file.
    func copy(to path: String) throws(JournalError) {
        guard case .file(let pool) = source else {
            throw JournalError(.badArgument, "A journal in memory is copied by its writer: use Journal.backup(to:).")
        }
        try pool.copy { connection throws(JournalError) in
            try JournalError.at(pool.file, "copying to \(path)") { () throws(DatabaseError) in
                try Copy.make(of: connection, at: path)
            }
        }
    }

    /// The version of the schema that this library writes.
    public static var schemaVersion: Int { Migration.all.last?.number ?? 0 }

    /// Runs the body in one long read transaction, which is not repeated.
    ///
    /// - Throws: what the body throws, or ``JournalError``.
    func readOnce<Value>(_ doing: String, _ body: (JournalDatabase) throws -> Value) throws -> Value {
        guard case .file(let pool) = source else {
            throw JournalError(
                .badArgument, "A journal in memory allows no long read.", advice: "Make a backup and read that.")
        }
        return try pool.once { database in
            var failure: (any Error)?
            do throws(DatabaseError) {
                return try database.read { () throws(DatabaseError) in
                    do { return try body(database) } catch {
                        if let error = error as? DatabaseError { throw error }
                        failure = error
                        throw .interrupted
                    }
                }
            } catch {
                throw failure ?? JournalError(error, file: pool.file, while: doing)
            }
        }
    }

    // MARK: Streams

    /// All streams, in the order of their creation.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read.
    public func streams() throws(JournalError) -> [StreamInfo] {
        var all: [StreamInfo] = []
        while true {
            let page = try streams(after: all.last)
            all += page
            if page.isEmpty { return all }
        }
    }

    /// The same without those whose rows are damaged.
    ///
    /// - Parameter damaged: gets the error of each of those.
    package func streams(damaged: (JournalError) -> Void) throws(JournalError) -> [StreamInfo] {
        let doing = "reading the streams"
        var (all, last): ([StreamInfo], StreamID?) = ([], nil)
        repeat {
            let page = try read(doing) { [last] database throws(DatabaseError) in
                let page = try database.soundStreams(after: last, limit: 1_000)
                if let disorder = page.disorder { throw disorder }
                return page
            }
            all += page.streams
            for error in page.damage + [page.seeds].compactMap(\.self) {
                damaged(JournalError(error, file: file, while: doing))
            }
            last = page.last
        } while last != nil
        return all
    }

    /// One page of the streams that were created after one; empty after the last.
    package func streams(after stream: StreamInfo?) throws(JournalError) -> [StreamInfo] {
        try read("reading the streams") { [id = stream?.id] database throws(DatabaseError) in
            try database.streams(after: id, limit: 1_000)
        }
    }

    /// One stream.
    ///
    /// - Throws: ``JournalError`` with ``JournalError/Code/unknownStream`` if there is no stream of that name.
    public func stream(_ name: String) throws(JournalError) -> StreamInfo {
        let found = try read("reading the stream", stream: name) { database throws(DatabaseError) in
            try database.stream(named: name)
        }
        guard let found else { throw unknownStream(name) }
        return found
    }

    func location(_ stream: String, _ step: Int? = nil) -> ErrorLocation {
        ErrorLocation(file: file, stream: stream, step: step)
    }

    func unknownStream(_ name: String) -> JournalError { location(name).unknownStream }

    // MARK: Following

    /// All entries after a position, and then each new one as it is committed, without gaps or duplicates.
    ///
    /// Entries that were pruned before the sequence has come to them are missing, without an error: then the next entry has
    /// a greater position than the one after the last.
    ///
    /// In the process that writes, a new entry arrives at once; in another process within `interval`, which is a
    /// millisecond at least. The sequence ends when the journal is closed or the task is cancelled. In another process it
    /// throws an error once the journal was moved or deleted, or another file has its name.
    ///
    /// An entry does not say whether the reducer rejects its action, or never gets it: ``Store/transitions(from:)``
    /// does.
    public func follow(after position: Int = 0, interval: Duration = .milliseconds(50)) -> EntrySequence {
        let file = hearsOfCommits ? nil : WatchedFile(self)
        return EntrySequence(reader: self, position: position, interval: interval, file: file, goesOn: { true })
    }

    /// The same in a process that does not write.
    ///
    /// - Parameters:
    ///   - file: the file as it was before the caller read entries.
    ///   - goesOn: asked each time before the wait for a new entry; if it returns false, the sequence ends.
    package func follow(
        after position: Int, of file: WatchedFile?, while goesOn: @escaping @Sendable () -> Bool
    ) -> EntrySequence {
        EntrySequence(
            reader: self, position: position, interval: .milliseconds(50), file: file, goesOn: goesOn)
    }

    /// Whether this is the process that writes, in which each commit is announced.
    var hearsOfCommits: Bool { arrivals != nil }

    /// Waits until there may be an entry after a position; false if the journal is closed or the task is cancelled.
    func wait(after position: Int, interval: Duration) async -> Bool {
        guard let arrivals else {
            // Commits are not announced to other processes, so poll.
            let pause = min(max(interval, .milliseconds(1)), .longestWait)
            return (try? await Task.sleep(for: pause)) != nil
        }
        return await arrivals.wait(after: position)
    }
}
