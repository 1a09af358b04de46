import CFaultVFS
import CJournalSQLite
import CSimulator
import Foundation
import JournalStore
import JournalTesting
import TortureKit

/// One scripted life with openings, a rescue, a backup and a close, in which each system call fails once. A power cut
/// follows that drops what is not synced. No acknowledged entry may be lost without a refusal.
final class Sweep: @unchecked Sendable {
    // `@unchecked`: all jobs run on one thread.

    /// What fails, and with which error.
    struct Fault {
        var kind: calls_kind
        var error: Int32
        var name: String
    }

    static let faults = [
        Fault(kind: CALLS_OPEN, error: EIO, name: "open"),
        Fault(kind: CALLS_OPEN, error: EMFILE, name: "open (no files)"),
        Fault(kind: CALLS_FSYNC, error: EIO, name: "fsync"),
        Fault(kind: CALLS_FSYNC, error: ENOSPC, name: "fsync (full)"),
        Fault(kind: CALLS_WRITE, error: EIO, name: "write"),
        Fault(kind: CALLS_WRITE, error: ENOSPC, name: "write (full)"),
        Fault(kind: CALLS_SHORT_WRITE, error: 0, name: "short write"),
        Fault(kind: CALLS_FTRUNCATE, error: EIO, name: "ftruncate"),
        Fault(kind: CALLS_MMAP, error: ENOMEM, name: "mmap"),
        Fault(kind: CALLS_FCNTL, error: EIO, name: "fcntl"), Fault(kind: CALLS_RENAME, error: EIO, name: "rename"),
        Fault(kind: CALLS_UNLINK, error: EIO, name: "unlink"), Fault(kind: CALLS_MSYNC, error: EIO, name: "msync"),
    ]

    private let folder: String
    private let vfs = FaultVFS()
    private let clock = ManualClock()
    private var path: String { folder + "/life.db" }
    /// Whether nothing fails by order; then all that must be synced is.
    private var isUndisturbed = false
    /// The numbers whose dispatch returned.
    private var told: [Int] = []
    private(set) var problems: [String] = []
    /// The copies that were made and checked.
    private(set) var copies: [String] = []
    /// The code with which the opening after the power cut refused the journal.
    private(set) var refusal: JournalError.Code?

    init(folder: String) { self.folder = folder }

    /// Lives, and makes the nth call of a kind fail; none with 0.
    ///
    /// - Returns: whether there was such a call.
    func run(_ fault: Fault, nth: UInt64, seed: UInt64) throws -> Bool {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        calls_watch(folder, fault.kind, nth, fault.error)
        isUndisturbed = nth == 0
        wait { await self.live() }
        if calls_moved_early(path) {
            problems.append("the journal was moved before the names of the rescue's other files were synced")
        }
        let hasFailed = calls_count(fault.kind) >= nth
        calls_end()
        guard vfs.loseUnsynced(seed: seed) else {
            problems.append("the files after the power cut could not be made")
            return hasFailed
        }
        wait { await self.check() }
        return hasFailed
    }

    private func wait(_ body: @escaping @Sendable () async -> Void) {
        nonisolated(unsafe) var isDone = false
        Task.detached {
            await body()
            isDone = true
        }
        while !isDone {
            if Jobs.shared.count > 0 {
                Jobs.shared.run(0)
            } else if let wake = clock.nextWake {
                clock.move(by: wake)
            } else {
                problems.append("nothing can go on")
                break
            }
        }
        // What the store still does by itself.
        for _ in 0..<1_000 where Jobs.shared.count > 0 { Jobs.shared.run(0) }
        Jobs.shared.drop()
    }

    private var options: Journal.Options {
        var options = Journal.Options()
        // The socket is served by threads that the simulator does not control.
        options.acceptsOperators = false
        options.vfs = vfs.name
        options.wallClock = clock.wallClock
        options.sleep = { [clock] in try await clock.sleep(for: $0) }
        options.snapshots = SnapshotPolicy(everySteps: 2)
        options.checkpointPages = 20
        // Waiting for a lock would never end: the clock of the process does not move.
        options.busyTimeout = .zero
        return options
    }

    private static let machine = Machine<Int, [Int], Void>("sweep", initialState: []) { action, state, _ in
        state.append(action)
        return action % 3 == 0 ? .run("effect") { -action } : .none
    }

    /// The script. After an error the app closes the journal and goes on with the next part.
    private func live() async {
        for part in 0..<5 {
            var journal: Journal?
            do {
                let opened = try Journal(path: path, options: options)
                journal = opened
                if part == 3 { checkIsSynced("life.db") }
                let store = try await opened.open(Sweep.machine, stream: "a", clock: clock)
                for number in 1...4 {
                    // A sync that fails makes the next opening a rescue.
                    if part == 2, number == 4 { vfs.fail(FAULT_SYNC, suffix: "-wal", code: SQLITE_IOERR) }
                    try await dispatch(part * 10 + number, store)
                }
                if part == 1 {
                    try await opened.backup(to: folder + "/backup.db")
                    if calls_is_unsynced(folder + "/backup.db") { problems.append("the backup is not synced") }
                    checkBackup()
                    if isUndisturbed { try await makeCopies(of: opened) }
                }
                if part == 3 { _ = try await opened.prune("a", before: 5) }
                try await store.close()
            } catch {}
            try? await journal?.close()
        }
    }

    /// All ways to make a new file.
    private func makeCopies(of journal: Journal) async throws {
        try await journal.backup(to: folder + "/detached.db", detached: true)
        checkIsSynced("detached.db")
        try await journal.reader.fork("a", at: 2, to: folder + "/fork.db")
        checkIsSynced("fork.db")
        try journal.reader.export(to: folder + "/export.jsonl")
        checkIsSynced("export.jsonl")
        try await Journal.importing(folder + "/export.jsonl", to: folder + "/import.db")
        checkIsSynced("import.db")
        damageSnapshots()
        for (name, isDetached) in [("mended.db", false), ("mended-detached.db", true)] {
            try await journal.backup(to: folder + "/" + name, detached: isDetached)
            checkIsSynced(name)
        }
        copies = ["detached.db", "fork.db", "export.jsonl", "import.db", "mended.db", "mended-detached.db"]
    }

    /// A file and its name survive a power loss. In a life in which a call fails, it may be the one that syncs them.
    private func checkIsSynced(_ name: String) {
        guard isUndisturbed else { return }
        if calls_is_unsynced(folder + "/" + name) { problems.append("\(name) is not synced") }
        if calls_is_unsynced(folder) { problems.append("the name of \(name) is not synced") }
    }

    /// A copy leaves out the snapshots that are damaged.
    private func damageSnapshots() {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, vfs.name) == SQLITE_OK,
            sqlite3_exec(database, "UPDATE snapshot SET state = '[]'", nil, nil, nil) == SQLITE_OK,
            sqlite3_changes(database) > 0
        else { return problems.append("no snapshot could be damaged") }
    }

    private func dispatch(_ number: Int, _ store: Store<Int, [Int]>) async throws {
        try await store.dispatch(number)
        told.append(number)
    }

    private func checkBackup() {
        do {
            let reader = try JournalReader(path: folder + "/backup.db")
            let actions = try reader.entries(in: "a", limit: .max).compactMap { Int($0.action) }
            let missing = told.filter { !actions.contains($0) }
            if !missing.isEmpty { problems.append("the backup lacks \(missing)") }
            if try !reader.verify().isSound { problems.append("the backup is not sound") }
        } catch {
            // The fault can hit the check too; the copy was verified before it got its name.
        }
    }

    /// After the power cut.
    private func check() async {
        let journal: Journal
        let store: Store<Int, [Int]>
        do throws(JournalError) {
            journal = try Journal(path: path, options: options)
            store = try await journal.open(Sweep.machine, stream: "a", clock: clock)
            let state = store.state
            let missing = told.filter { !state.contains($0) }
            if !missing.isEmpty { problems.append("acknowledged and lost: \(missing)") }
            let report = try journal.reader.verify()
            if !report.isSound { problems.append("not sound: \(report.problems)") }
        } catch {
            refusal = error.code
            return
        }
        do throws(JournalError) {
            try await store.dispatch(1_000)
            try await journal.close()
        } catch {
            problems.append("the journal that was opened cannot be written: \(error)")
        }
    }
}
