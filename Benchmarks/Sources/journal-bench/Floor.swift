internal import CFloor
import JournalStore

/// The floor: the same rows, written with plain C and SQLite.
struct Floor: ~Copyable {
    private let handle: OpaquePointer?

    /// Creates a database with the library's schema and this many streams, which take turns.
    init(making path: String, schema: String, durability: Durability, streams: Int = 1) throws(BenchError) {
        var handle: OpaquePointer?
        let code = cfloor_make(path, schema, durability == .full, Int64(streams), &handle)
        self.handle = handle
        try check(code)
    }

    /// Opens the file of a journal, to scan it.
    init(opening path: String) throws(BenchError) {
        var handle: OpaquePointer?
        let code = cfloor_open(path, &handle)
        self.handle = handle
        try check(code)
    }

    deinit {
        cfloor_close(handle)
    }

    func append(_ payloads: Payloads, transactions: Int, of entries: Int) throws(BenchError) {
        try check(payloads.withC { cfloor_append(handle, &$0, Int64(transactions), Int64(entries)) })
    }

    /// Reads all entries, and returns their number.
    func scan() throws(BenchError) -> Int {
        var entries: Int64 = 0
        var bytes: Int64 = 0
        try check(cfloor_scan(handle, &entries, &bytes))
        return Int(entries)
    }

    static var sqliteVersion: String { String(cString: cfloor_sqlite_version()) }

    private func check(_ code: Int32) throws(BenchError) {
        guard code != 0 else { return }
        let message = String(cString: cfloor_message(handle))
        throw BenchError(message: "The floor failed: \(message) (SQLite's code \(code)).")
    }
}
