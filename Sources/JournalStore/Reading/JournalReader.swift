/// Reads a journal: at any time, from any process, while an app writes it.
///
/// It sees committed entries only, is never refused because of a writer, never makes or changes a file, and holds no
/// transaction open longer than it takes to read a page.
public final class JournalReader: Sendable {
    private enum Source: Sendable {
        case file(ReaderPool)
        /// A journal in memory has one connection; its readers take turns with the writer.
        case memory(Writer)
    }

    private let source: Source
    /// In the process that writes, new entries announce themselves.
    private let arrivals: Arrivals?

    /// The file, as an absolute path without links; nil for a journal in memory.
    public var file: String? {
        switch source {
        case .file(let pool): pool.file
        case .memory: nil
        }
    }

    /// Opens a journal for reading. The file must exist.
    ///
    /// - Throws: ``JournalError`` where it is missing, no journal, made by a newer version, or may not be read.
    public convenience init(path: String) throws(JournalError) {
        try self.init(path: path, vfs: nil)
    }

    package init(path: String, vfs: String?) throws(JournalError) {
        let file = try JournalPath.resolve(path, mayBeMissing: false)
        try JournalPath.checkIsOurs(file, vfs: vfs)
        source = .file(ReaderPool(file: file, vfs: vfs))
        arrivals = nil
        // What the file says by itself can be older than its WAL.
        let found = try read("reading the schema") { database throws(DatabaseError) in
            try Migrator().find(in: database.connection)
        }
        if found.isEmpty {
            throw JournalError(
                .notAJournal, "There is no journal in this file yet.",
                advice: "It is made when an app opens it for writing.", file: file)
        }
        _ = try Migrator.pending(for: found, file: file)
    }

    init(writer: Writer, options: Journal.Options) {
        source = writer.file.map { .file(ReaderPool(file: $0, vfs: options.vfs)) } ?? .memory(writer)
        arrivals = writer.arrivals
    }

    /// One read transaction.
    func read<Value: Sendable>(
        _ doing: String, stream: String? = nil, step: Int? = nil,
        _ body: @Sendable (JournalDatabase) throws(DatabaseError) -> Value
    ) throws(JournalError) -> Value {
        switch source {
        case .memory(let writer):
            return try writer.reading(body)
        case .file(let pool):
            return try pool.borrow { database throws(JournalError) in
                try JournalError.at(pool.file, doing, stream: stream, step: step) { () throws(DatabaseError) in
                    try database.read { () throws(DatabaseError) in try body(database) }
                }
            }
        }
    }

    /// Copies all there is into a new file.
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

    /// One long read transaction, which is not begun anew.
    ///
    /// - Throws: what the body throws, or ``JournalError``.
    func readOnce<Value>(
        _ doing: String, _ body: (JournalDatabase) throws -> Value
    ) throws -> Value {
        guard case .file(let pool) = source else {
            throw JournalError(
                .badArgument, "A journal in memory cannot be read at length.", advice: "Make a backup and read that.")
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

    /// All streams, in the order they were made.
    public func streams() throws(JournalError) -> [StreamInfo] {
        var all: [StreamInfo] = []
        while true {
            let last = all.last?.id
            let page = try read("reading the streams") { database throws(DatabaseError) in
                try database.streams(after: last, limit: 1_000)
            }
            all += page
            if page.count < 1_000 { return all }
        }
    }

    /// One stream.
    ///
    /// - Throws: ``JournalError`` with ``JournalError/Code/unknownStream`` where there is none of that name.
    public func stream(_ name: String) throws(JournalError) -> StreamInfo {
        let found = try read("reading the stream", stream: name) { database throws(DatabaseError) in
            try database.stream(named: name)
        }
        guard let found else { throw unknownStream(name) }
        return found
    }

    func unknownStream(_ name: String) -> JournalError {
        JournalError(
            .unknownStream, "There is no such stream.", advice: "`journal-replay streams` lists those there are.",
            file: file, stream: name)
    }

    // MARK: Entries

    /// Which way to read.
    public enum Direction: Hashable, Sendable {
        /// From older to newer.
        case forwards
        /// From newer to older.
        case backwards
    }

    /// One page of a stream's entries, beginning with `step`.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - step: where to begin; nil for the first, or read backwards the newest.
    ///   - limit: how many at the most.
    ///   - direction: which way to go from there.
    /// - Returns: the entries in the order they are read; empty behind the last.
    public func entries(
        in name: String, from step: Int? = nil, limit: Int = 100, _ direction: Direction = .forwards
    ) throws(JournalError) -> [Entry] {
        let stream = try stream(name)
        let start = step ?? (direction == .forwards ? 1 : stream.headStep)
        return try read("reading entries", stream: name, step: start) { database throws(DatabaseError) in
            try database.entries(of: stream.id, from: start, limit: max(0, limit), backwards: direction == .backwards)
        }
    }

    /// What a fold needs of the entries of a stream, from a step on.
    func storedSteps(in stream: StreamInfo, from step: Int, limit: Int) throws(JournalError) -> StoredSteps {
        try read("reading entries", stream: stream.name, step: step) { database throws(DatabaseError) in
            try database.storedSteps(of: stream.id, from: step, limit: limit)
        }
    }

    /// The entries that a step led to, in all streams: what its effects sent, and what its machine told others.
    ///
    /// It looks through all entries behind the step.
    public func entries(causedBy step: Int, of name: String, limit: Int) throws(JournalError) -> [Entry] {
        let stream = try stream(name)
        return try read("reading entries", stream: name, step: step) { database throws(DatabaseError) in
            try database.entries(causedBy: step, of: stream.id, limit: max(0, limit))
        }
    }

    /// The last step of a stream that was committed by a moment; 0 where none was.
    ///
    /// A clock can be set back: it is the last of all that say so.
    public func lastStep(of name: String, notAfter time: Timestamp) throws(JournalError) -> Int {
        let stream = try stream(name)
        return try read("looking for a time", stream: name) { database throws(DatabaseError) in
            try database.lastStep(of: stream.id, notAfter: time)
        }
    }

    /// One page of all entries behind a position, of all streams, in the order they were committed.
    public func entries(after position: Int, limit: Int) throws(JournalError) -> [Entry] {
        try read("reading entries") { database throws(DatabaseError) in
            try database.entries(after: position, limit: max(0, limit))
        }
    }

    /// One page of all entries before a position, of all streams, the newest first.
    ///
    /// - Throws: ``JournalError`` where the journal cannot be read.
    public func entries(before position: Int, limit: Int) throws(JournalError) -> [Entry] {
        try read("reading entries") { database throws(DatabaseError) in
            try database.entries(before: position, limit: max(0, limit))
        }
    }

    /// The position of the newest entry of all streams; 0 where there is none.
    ///
    /// - Throws: ``JournalError`` where the journal cannot be read.
    public func lastPosition() throws(JournalError) -> Int {
        try read("reading the last position") { database throws(DatabaseError) in try database.lastPosition() }
    }

    /// All entries behind a position, and then each new one as it is committed, without a gap or a double.
    ///
    /// In the process that writes, a new entry arrives at once; from another one within `interval`. The sequence ends when
    /// the journal is closed, or its task cancelled.
    public func entries(after position: Int = 0, interval: Duration = .milliseconds(50)) -> EntrySequence {
        EntrySequence(reader: self, position: position, interval: interval)
    }

    /// Whether it is in the process that writes, where each commit is told of.
    var hearsOfCommits: Bool { arrivals != nil }

    /// Waits for something behind a position.
    func wait(after position: Int, interval: Duration) async -> Bool {
        guard let arrivals else {
            // Nobody tells another process of a commit, so it looks from time to time.
            return (try? await Task.sleep(for: interval)) != nil
        }
        return await arrivals.wait(after: position)
    }
}
