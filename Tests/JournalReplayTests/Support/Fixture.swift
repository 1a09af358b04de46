import CJournalSQLite
import Foundation
import JournalStore

/// A temporary folder with journals and other files. It is removed with the last reference.
final class Fixture: Sendable {
    let folder: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("replay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        // Not by Foundation, which leaves the link /var of macOS as it is.
        folder = Platform.resolve(url.path) ?? url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func path(_ name: String) -> String { folder + "/" + name }

    /// Opens a journal whose clock begins at the start of 2025 and advances by a second with each entry.
    func open(_ name: String = "shop.db", _ snapshots: SnapshotPolicy = SnapshotPolicy()) throws -> Journal {
        let clock = Clock()
        var options = Journal.Options()
        options.durability = .normal
        options.snapshots = snapshots
        options.wallClock = { clock.tick() }
        return try Journal(path: path(name), options: options)
    }

    private final class Clock: Sendable {
        private let now = Lock<Int64>(1_735_689_600_000_000)

        func tick() -> Timestamp {
            now.withLock { now in
                defer { now += 1_000_000 }
                return Timestamp(microseconds: now)
            }
        }
    }

    /// A journal with one stream, closed. The nth action is `{"add":{"n":N}}`.
    func counter(entries: Int, _ name: String = "counter.db") async throws -> String {
        let journal = try open(name)
        let stream = try await journal.openStream("counter", machine: "counter")
        try await stream.append(contentsOf: (1...entries).map { #"{"add":{"n":\#($0)}}"# })
        try await journal.close()
        return path(name)
    }

    /// A journal whose newest acknowledged entries are missing: its WAL is damaged.
    func journalWithLostEntries() async throws -> String {
        let path = path("shop.db")
        do {
            // Not closed, so that all entries are in the WAL.
            let journal = try open()
            let stream = try await journal.openStream("cart-42", machine: "cart")
            for number in 1...20 { try await stream.append("\(number)") }
        }
        let wal = try FileHandle(forUpdating: URL(fileURLWithPath: path + "-wal"))
        try wal.seek(toOffset: 60_000)
        try wal.write(contentsOf: Data([0xFF, 0x00, 0xFF]))
        try wal.close()
        return path
    }

    // MARK: Changing the file directly

    /// Changes rows, and makes their digests right again: as if the library had written them.
    func change(_ sql: String, in path: String) throws {
        try execute(sql, in: path)
        try RowDigests.renew(at: path)
    }

    func execute(_ sql: String, in path: String) throws {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open(path, &database) == SQLITE_OK, sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(database)))
        }
    }

    /// Reads the database file without its -wal and -shm files, and does not touch them.
    func number(_ sql: String, in path: String) throws -> Int {
        var database: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(database)
        }
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        guard sqlite3_open_v2("file:\(path)?immutable=1", &database, flags, nil) == SQLITE_OK,
            sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW
        else { throw Failure(message: String(cString: sqlite3_errmsg(database))) }
        return Int(sqlite3_column_int64(statement, 0))
    }

    /// Exchanges the positions of two entries.
    func swapPositions(_ one: Int, _ other: Int, in path: String) throws {
        try execute(
            """
            UPDATE entry SET position = 1000000 WHERE position = \(one);
            UPDATE entry SET position = \(one) WHERE position = \(other);
            UPDATE entry SET position = \(other) WHERE position = 1000000
            """, in: path)
    }

    /// Overwrites the root page of a table or an index.
    func damage(_ table: String, in path: String) throws {
        let page = try number("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", in: path)
        try overwrite(page: page, in: path)
    }

    /// Overwrites the page that contains a text.
    func damage(pageWith text: String, in path: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        guard let place = bytes.firstRange(of: Data(text.utf8)) else { throw Failure(message: "There is no \(text).") }
        try overwrite(page: place.lowerBound / number("PRAGMA page_size", in: path) + 1, in: path)
    }

    /// Gives a row of a small table, whose rows are on one page, another rowid. Both are below 128: one byte.
    ///
    /// https://www.sqlite.org/fileformat2.html#b_tree_pages
    func changeRowid(_ old: UInt8, to new: UInt8, of table: String, in path: String) throws {
        try changeCell(old, to: new, of: table, in: path) { bytes, cell in
            // The length of the row comes first. All its bytes but the last have the highest bit.
            var place = cell
            while bytes[place] >= 0x80 { place += 1 }
            return place + 1
        }
    }

    /// The same for the step of a snapshot of the first stream, but only in the index: its row keeps the step.
    func changeIndexedStep(_ old: UInt8, to new: UInt8, in path: String) throws {
        // After the length and a header of four bytes. The ID 1 of the stream has no byte.
        try changeCell(old, to: new, of: "snapshot_by_step", in: path) { _, cell in cell + 5 }
    }

    /// - Parameter place: returns the place of the byte to change, given all bytes and where a cell begins.
    private func changeCell(
        _ old: UInt8, to new: UInt8, of tree: String, in path: String, _ place: ([UInt8], Int) -> Int
    ) throws {
        let root = try number("SELECT rootpage FROM sqlite_schema WHERE name = '\(tree)'", in: path)
        let start = try (root - 1) * number("PRAGMA page_size", in: path)
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        func value(at place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }
        for cell in 0..<value(at: start + 3) {
            let found = place(bytes, start + value(at: start + 8 + 2 * cell))
            guard bytes[found] == old else { continue }
            bytes[found] = new
            return try Data(bytes).write(to: URL(fileURLWithPath: path))
        }
        throw Failure(message: "There is no \(old).")
    }

    private func overwrite(page: Int, in path: String) throws {
        let size = try number("PRAGMA page_size", in: path)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64((page - 1) * size))
        try file.write(contentsOf: Data(repeating: 0xA5, count: size))
    }

    struct Failure: Error {
        var message: String
    }
}
