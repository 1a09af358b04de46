import CJournalSQLite
import Foundation
import JournalStore
import TortureKit

/// Opens a journal at a path.
func openJournal(_ path: String, _ change: (inout Journal.Options) -> Void = { _ in }) throws -> Journal {
    var options = Journal.Options()
    change(&options)
    return try Journal(path: path, options: options)
}

/// For tests that count or block the calls of a reducer.
let reducingOnce: Journal.Options = {
    var options = Journal.Options()
    options.reducesTwice = false
    return options
}()

/// A set that encodes itself in its own order, which differs from process to process: `JSONCodec` sorts plain sets.
struct LooseSet: Codable, Hashable, Sendable {
    var members: Set<String>

    init(_ members: Set<String>) { self.members = members }

    init(from decoder: any Decoder) throws {
        members = Set(try [String](from: decoder))
    }

    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for member in members { try list.encode(member) }
    }
}

/// The error that a call throws.
func journalError<Value>(_ body: () async throws -> Value) async -> JournalError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? JournalError
    }
}

/// Runs a body on its own thread, as a caller that cannot await.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// Collects from many threads.
final class Box<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value { lock.withLock { stored } }

    func change<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&stored) } }
}

/// Waits until something was signalled a number of times.
final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send() { continuation.yield() }

    func wait(times: Int = 1) async {
        var iterator = stream.makeAsyncIterator()
        for _ in 0..<times { await iterator.next() }
    }
}

/// Plain SQLite, as another program uses it.
final class Shell {
    private var handle: OpaquePointer?

    private let path: String

    init(_ path: String, readOnly: Bool = false) throws {
        self.path = path
        let flags = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else { throw Failure(text: message) }
        // Apple's SQLite otherwise refuses to change the schema by hand.
        _ = csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
        // A journal may be committing.
        sqlite3_busy_timeout(handle, 10_000)
    }

    deinit { sqlite3_close_v2(handle) }

    struct Failure: Error { var text: String }

    private var message: String { handle.map { String(cString: sqlite3_errmsg($0)) } ?? "" }

    /// Changes rows, and makes their digests right again: as if the library had written them.
    func change(_ sql: String, withEntries: Bool = false) throws {
        try self(sql)
        try RowDigests.renew(at: path, withEntries: withEntries)
    }

    /// Each row as the `sqlite3` shell prints it.
    @discardableResult
    func callAsFunction(_ sql: String) throws -> [String] {
        final class Rows { var lines: [String] = [] }
        let rows = Rows()
        let code = sqlite3_exec(
            handle, sql,
            { context, count, values, _ in
                guard let context, let values else { return 0 }
                let columns = (0..<Int(count)).map { index in values[index].map { String(cString: $0) } ?? "" }
                Unmanaged<Rows>.fromOpaque(context).takeUnretainedValue().lines.append(
                    columns.joined(separator: "|"))
                return 0
            }, Unmanaged.passUnretained(rows).toOpaque(), nil)
        guard code == SQLITE_OK else { throw Failure(text: message) }
        return rows.lines
    }
}

/// The bytes of a file.
func bytes(_ path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
}

/// Changes bytes of a file in place.
func damage(_ path: String, at offset: Int, _ change: (inout UInt8) -> Void) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    defer { try? file.close() }
    try file.seek(toOffset: UInt64(offset))
    guard var byte = try file.read(upToCount: 1)?.first else { return }
    change(&byte)
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: Data([byte]))
}

let isRoot = getuid() == 0

/// Whether this process can mount a file system. In most containers even root cannot.
let canMount: Bool = {
    guard isRoot, let folder = try? TemporaryFolder() else { return false }
    let commands = "mount -t tmpfs -o size=64k tmpfs '\(folder.path)' && umount '\(folder.path)'"
    let status = try? Child("/bin/sh", ["-c", commands], keepsErrors: true).wait()
    withExtendedLifetime(folder) {}
    return status == 0
}()

/// The part of ``Appended`` that tests compare.
struct Placed: Equatable {
    var step: Int
    var position: Int?
    var isRepeat: Bool
}

extension Appended {
    var placed: Placed { Placed(step: step, position: position, isRepeat: isRepeat) }
}
