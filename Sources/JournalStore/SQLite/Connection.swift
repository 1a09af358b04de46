internal import CJournalSQLite

/// One handle to one database. Not safe to share: its owner guards each use with a lock.
final class Connection {
    enum Access: Hashable, Sendable {
        /// Reads and writes. Creates the file if it is missing.
        case write
        /// Writes a draft: a new file that is not in use yet and is deleted if anything fails.
        case draft
        /// Reads and runs no checkpoint. Creates the -shm if it is missing, as the file's owner would.
        case read
        /// Reads as a user other than the file's owner: uses an existing -shm and creates none.
        case readAsGuest
        /// Reads only the database file, without its WAL and without locks: to inspect a file that may be no journal.
        case inspect
        case memory
    }

    private let handle: OpaquePointer
    private let forkGeneration = ForkGuard.generation
    /// The number of pages in the WAL after the last commit. The hook writes it through this pointer.
    private let walPages: UnsafeMutablePointer<Int32>
    /// The size of a page in bytes, which a database in WAL mode keeps; the smallest one if it cannot be read.
    private lazy var pageSize = (try? integer("PRAGMA page_size")) ?? 512
    /// The digest of the last row that a statement has written or compared.
    private let rowDigest: UnsafeMutablePointer<Digest>
    /// What the current statement has done, and how much it may do. The progress handler writes it through this pointer.
    let work: UnsafeMutablePointer<WorkLimit>

    /// - Parameter path: must be resolved: SQLite derives the names of its -wal and -shm files from it.
    init(path: String, access: Access, vfs: String? = nil) throws(DatabaseError) {
        var opened: OpaquePointer?
        Platform.clearLastError()
        let code = sqlite3_open_v2(Connection.uri(path, access), &opened, Connection.flags(access), vfs)
        guard code == SQLITE_OK, let opened else {
            let error = opened.map { Connection.error(code, of: $0, during: "opening") }
            // A failed open returns a handle too, which must be closed: https://www.sqlite.org/c3ref/open.html
            sqlite3_close_v2(opened)
            let message = String(cString: sqlite3_errstr(code))
            throw error ?? DatabaseError(code: code, message: message, during: "opening")
        }
        handle = opened
        walPages = .allocate(capacity: 1)
        walPages.initialize(to: 0)
        work = .allocate(capacity: 1)
        work.initialize(to: WorkLimit())
        rowDigest = .allocate(capacity: 1)
        rowDigest.initialize(to: .none)
        RowDigest.register(handle, last: rowDigest)
        try configure(access)
        limitWork()
    }

    deinit {
        // A forked child must not close it:
        // https://www.sqlite.org/howtocorrupt.html#_carrying_an_open_database_connection_across_a_fork_
        guard forkGeneration == ForkGuard.generation else { return }
        // close_v2 closes the handle once its last statement is finalized: https://www.sqlite.org/c3ref/close.html
        sqlite3_close_v2(handle)
        walPages.deallocate()
        work.deinitialize(count: 1)
        work.deallocate()
        rowDigest.deallocate()
    }

    private static func flags(_ access: Access) -> Int32 {
        // NOMUTEX: the owner's lock already serialises all use. https://www.sqlite.org/threadsafe.html
        // PRIVATECACHE: with a shared cache, which a program can make the default, readers and the writer would lock
        // each other's tables. https://www.sqlite.org/sharedcache.html
        let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE
        return switch access {
        case .write, .draft, .memory: common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .read, .readAsGuest, .inspect: common | SQLITE_OPEN_READONLY
        }
    }

    private static func uri(_ path: String, _ access: Access) -> String {
        // ?, # and % are special in a URI: https://www.sqlite.org/uri.html
        var escaped = ""
        for character in path.unicodeScalars {
            switch character {
            case "?": escaped += "%3f"
            case "#": escaped += "%23"
            case "%": escaped += "%25"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return switch access {
        case .write, .draft: "file:\(escaped)"
        case .read: "file:\(escaped)?mode=ro"
        // readonly_shm: another user's reader must not create a -shm that the app cannot open afterwards. It reads a
        // WAL database through the -shm that the writer keeps. https://www.sqlite.org/wal.html#readonly
        // Not for the owner's readers: all connections of a process share one -shm, and a later writer could not write.
        case .readAsGuest: "file:\(escaped)?mode=ro&readonly_shm=1"
        case .inspect: "file:\(escaped)?immutable=1"
        case .memory: ":memory:"
        }
    }

    private func configure(_ access: Access) throws(DatabaseError) {
        // The file may be untrusted: its views and triggers may only call harmless functions, and a damaged cell is an
        // error instead of a read out of bounds. https://www.sqlite.org/security.html
        try execute("PRAGMA trusted_schema = OFF")
        try execute("PRAGMA cell_size_check = ON")
        // An I/O error on a mapped page is a signal and not an error code. https://www.sqlite.org/mmap.html
        try execute("PRAGMA mmap_size = 0")
        // Only the writer checkpoints, and only between its own commits: up to 3.51.2 a checkpoint by one connection
        // while another commits and resets the WAL can corrupt the file. https://www.sqlite.org/wal.html#walresetbug
        // So no checkpoint runs automatically, neither at a commit nor at the last close.
        // A close without a checkpoint leaves the WAL and the -shm in place; without them a reader that may not write
        // in the folder could not open the file.
        sqlite3_wal_autocheckpoint(handle, 0)
        _ = csqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        // SQL cannot overwrite the schema or the file format, or turn the rollback journal off, which only a draft may.
        // Apple's SQLite begins with this setting. https://www.sqlite.org/c3ref/c_dbconfig_defensive.html
        _ = csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, access == .draft ? 0 : 1)

        switch access {
        case .draft:
            // A draft is deleted after a failure, and is synced once when it is complete.
            // https://www.sqlite.org/pragma.html#pragma_journal_mode
            try execute("PRAGMA journal_mode = OFF")
            try execute("PRAGMA synchronous = OFF")
            try execute("PRAGMA locking_mode = EXCLUSIVE")
            // The folder for temporary files can be on another disk, where nobody expects what a journal contains.
            try execute("PRAGMA temp_store = MEMORY")
        case .write, .memory:
            sqlite3_wal_hook(
                handle,
                { pages, _, _, count in
                    pages?.assumingMemoryBound(to: Int32.self).pointee = count
                    return SQLITE_OK
                }, walPages)
        case .read, .readAsGuest, .inspect:
            break
        }
    }

    private func limitWork() {
        work.pointee.path = file
        sqlite3_progress_handler(
            handle, WorkLimit.interval,
            { work in
                guard let work = work?.assumingMemoryBound(to: WorkLimit.self) else { return 1 }
                return work.pointee.mayGoOn() ? 0 : 1
            }, work)
    }

    func setBusyTimeout(milliseconds: Int32) {
        sqlite3_busy_timeout(handle, milliseconds)
    }

    /// Runs SQL and ignores its rows, if any.
    func execute(_ sql: String) throws(DatabaseError) {
        Platform.clearLastError()
        work.pointee.calls = 0
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, during: sql.firstLine) }
    }

    /// - Parameter persistent: whether it is kept for long: SQLite then allocates it outside its lookaside memory.
    func prepare(_ sql: String, persistent: Bool = false) throws(DatabaseError) -> Statement {
        var statement: OpaquePointer?
        let flags = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        Platform.clearLastError()
        let code = sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code, during: sql.firstLine) }
        return Statement(handle: statement, connection: self)
    }

    /// The first column of the first row; nil if there is no row.
    func integer(_ sql: String) throws(DatabaseError) -> Int64? {
        try prepare(sql).first { $0.integer(0) }
    }

    func text(_ sql: String) throws(DatabaseError) -> String? {
        try prepare(sql).first { $0.text(0) }
    }

    /// The version of the schema: the number of the last migration, or 0 before the first.
    /// https://www.sqlite.org/pragma.html#pragma_user_version
    ///
    /// - Parameter prepared: the statement, if the caller has prepared and kept it.
    func userVersion(_ prepared: Statement? = nil) throws(DatabaseError) -> Int {
        let statement: Statement
        if let prepared { statement = prepared } else { statement = try prepare(Query.userVersion.sql) }
        return try statement.first { Int($0.integer(0)) } ?? 0
    }

    /// False after COMMIT or ROLLBACK, and after SQLite has rolled back by itself.
    /// https://www.sqlite.org/c3ref/get_autocommit.html
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    var rowsChanged: Int { Int(sqlite3_changes64(handle)) }

    /// The digest of the row that the last statement has written.
    var lastRowDigest: Digest { rowDigest.pointee }

    /// The number of pages in the WAL at the last commit.
    var pagesInWAL: Int { Int(walPages.pointee) }

    /// Whether a WAL of this size can have all pages that were committed. Another connection that has copied them into
    /// the database file may have truncated it; then the index of the WAL says that it is empty.
    func isWhole(walOfSize size: Int64) -> Bool {
        let pages = walPages.pointee
        if pages == 0 || size >= bytesOfWAL(pages) { return true }
        return pagesInIndex.map { $0 == 0 || size >= bytesOfWAL($0) } ?? true
    }

    /// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
    private func bytesOfWAL(_ pages: Int32) -> Int64 { 32 + Int64(pages) * (24 + pageSize) }

    /// The number of pages in the WAL according to its index, which all connections share.
    /// https://www.sqlite.org/walformat.html#the_wal_index_header
    private var pagesInIndex: Int32? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let methods = file?.pointee.pMethods?.pointee, methods.iVersion >= 2, let map = methods.xShmMap
        else { return nil }
        var index: UnsafeMutableRawPointer?
        guard map(file, 0, 32 * 1024, 0, &index) == SQLITE_OK else { return nil }
        return index?.load(fromByteOffset: 16, as: Int32.self)
    }

    /// Changes with each commit, of any connection, that this connection has seen: up to date inside a transaction.
    /// Nil if SQLite does not return it. https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html
    var changeCount: UInt32? {
        var count: UInt32 = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &count) == SQLITE_OK ? count : nil
    }

    enum Checkpoint {
        /// Copies what it can without waiting.
        case passive
        /// Copies all pages and truncates the WAL file; BUSY if a reader prevents that.
        case truncate
    }

    /// - Returns: whether the whole WAL has been copied into the database file.
    @discardableResult
    func checkpoint(_ kind: Checkpoint) throws(DatabaseError) -> Bool {
        var inLog: Int32 = 0
        var copied: Int32 = 0
        let mode = kind == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
        Platform.clearLastError()
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &inLog, &copied)
        guard code == SQLITE_OK else { throw error(code, during: "checkpoint") }
        if kind == .truncate || inLog == copied { walPages.pointee = 0 }
        return inLog == copied
    }

    /// How many bytes the pages of the database have, also those that are only in the WAL.
    func length() throws(DatabaseError) -> Int64 { (try integer("PRAGMA page_count") ?? 0) * pageSize }

    /// Lets the database file grow to the pages that the database has, and some more if there is much room, so that a
    /// later checkpoint finds it. A complete checkpoint shrinks the file to what it needs.
    ///
    /// https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlsizehint
    func reserveRoom(pages more: Int) {
        guard let file, let now = Platform.file(atPath: file)?.size, let room = Platform.room(forFileAt: file),
            let pages = try? integer("PRAGMA page_count")
        else { return }
        let (needed, wanted) = (pages * pageSize, (pages + Int64(more)) * pageSize)
        // Half of the room stays for others, unless more is needed.
        var size = wanted - now <= room / 2 ? wanted : needed
        guard size > now, size - now <= room else { return }
        var unit = Int32(pageSize)
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_CHUNK_SIZE, &unit)
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_SIZE_HINT, &size)
    }

    /// The path of the database; nil in memory.
    var file: String? {
        sqlite3_db_filename(handle, "main").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    func error(_ code: Int32, during: String) -> DatabaseError {
        // Only the progress handler interrupts.
        if code == SQLITE_INTERRUPT, !work.pointee.isOfUnknownSchema { return .endless }
        return Connection.error(code, of: handle, during: during)
    }

    private static func error(_ code: Int32, of handle: OpaquePointer, during: String) -> DatabaseError {
        // Not sqlite3_system_errno, which knows nothing of a COMMIT that failed and may be that of an earlier error.
        let number = Platform.lastError
        // The handle knows more about its last error, which need not be this one: a bind that fails does not always
        // leave its code there, and the next bind clears it.
        let isLast = sqlite3_extended_errcode(handle) & 0xFF == code & 0xFF
        var error = DatabaseError(
            code: isLast ? sqlite3_extended_errcode(handle) : code,
            message: String(cString: isLast ? sqlite3_errmsg(handle) : sqlite3_errstr(code)), during: during)
        switch error {
        // A read beyond the end of a file is no failure of the system.
        case DatabaseError.shortRead: break
        case SQLITE_IOERR, SQLITE_CANTOPEN: error.system = number
        case SQLITE_CORRUPT where Platform.isFailedRead(number): error = .failedRead(number, during: during)
        default: break
        }
        return error
    }

    /// The version of the library in use, which can differ from that of the header.
    static var libraryVersion: (text: String, number: Int) {
        (String(cString: sqlite3_libversion()), Int(sqlite3_libversion_number()))
    }
}

extension String {
    fileprivate var firstLine: String { String(prefix { $0 != "\n" }) }
}
