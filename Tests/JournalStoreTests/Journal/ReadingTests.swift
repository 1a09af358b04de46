import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Reading a journal` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    @Test func `pages go forwards and backwards from any step`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        let other = try await journal.openStream("b", machine: "m")
        for number in 1...10 {
            try await stream.append("\(number)")
            try await other.append("x")
        }
        let reader = journal.reader
        #expect(try reader.entries(in: "a", limit: 3).map(\.step) == [1, 2, 3])
        #expect(try reader.entries(in: "a", from: 4, limit: 3).map(\.step) == [4, 5, 6])
        #expect(try reader.entries(in: "a", from: 9, limit: 3).map(\.step) == [9, 10])
        #expect(try reader.entries(in: "a", from: 11, limit: 3).isEmpty)
        #expect(try reader.entries(in: "a", limit: 3, direction: .backwards).map(\.step) == [10, 9, 8])
        #expect(try reader.entries(in: "a", from: 2, limit: 3, direction: .backwards).map(\.step) == [2, 1])
        #expect(try reader.entries(after: 17, limit: 10).map(\.stream) == ["b", "a", "b"])
        #expect(try reader.entries(before: 4, limit: 2).map(\.position) == [3, 2])
        #expect(try reader.lastPosition() == 20)
        #expect(try reader.streams().map(\.name) == ["a", "b"])
        #expect(await journalError { try reader.entries(in: "c") }?.code == .unknownStream)
    }

    @Test func `a page of large actions ends early, and the next one goes on after it`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        for _ in 1...5 { try await stream.append(String(repeating: "x", count: 600_000)) }
        let reader = journal.reader
        #expect(try reader.page(after: 0, limit: 100).map(\.position) == [1, 2])
        #expect(try reader.page(before: 6, limit: 100).map(\.position) == [5, 4])
        #expect(try reader.page(in: "a", from: 3, limit: 100).map(\.step) == [3, 4])
        #expect(try reader.page(in: "a", from: 3, limit: 100, .backwards).map(\.step) == [3, 2])
        // The caller of this one has set the limit.
        #expect(try reader.entries(after: 0, limit: 100).count == 5)
        var steps: [Int] = []
        for try await entry in reader.follow(after: 0) {
            steps.append(entry.step)
            if entry.step == 5 { break }
        }
        #expect(steps == [1, 2, 3, 4, 5])
    }

    /// Those of an earlier process were not announced in this one, so it must not wait for an announcement.
    @Test func `following yields large actions of an earlier process without a new entry`() async throws {
        var journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        for _ in 1...5 { try await stream.append(String(repeating: "x", count: 600_000)) }
        try await journal.close()
        journal = try Journal(path: path)
        var steps: [Int] = []
        for try await entry in journal.reader.follow(after: 0) {
            steps.append(entry.step)
            if entry.step == 5 { break }
        }
        #expect(steps == [1, 2, 3, 4, 5])
        try await journal.close()
    }

    /// The search reads 100,000 positions at a time.
    @Test(arguments: [2, 100_000, 100_001, 200_000, 200_001, 250_000])
    func `the first and the last entry of a time are found at any position`(_ position: Int) async throws {
        let now = Box(Timestamp(microseconds: 1_000_000))
        let journal = try openJournal(path) { $0.wallClock = { now.value } }
        let stream = try await journal.openStream("a", machine: "m")
        for time in [2, 4, 6] {
            now.change { $0 = Timestamp(microseconds: Int64(time) * 1_000_000) }
            try await stream.append("\(time)")
        }
        try await journal.close()
        try Shell(path)(
            """
            UPDATE entry SET position = 300001 WHERE step = 3;
            UPDATE entry SET position = \(position) WHERE step = 2
            """)
        let reader = try JournalReader(path: path)
        func place(_ time: Int64) -> Timestamp { Timestamp(microseconds: time * 1_000_000) }
        #expect(
            try [1, 3, 5, 7].map { try reader.firstPlace(in: nil, from: 1, atOrAfter: place($0)) }
                == [1, position, 300_001, 300_002])
        #expect(
            try [1, 3, 5, 7].map { try reader.lastPlace(in: nil, atOrBefore: place($0)) }
                == [0, 1, position, 300_001])
    }

    @Test func `a text is read back byte for byte`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a\u{1}b", machine: "m")
        let actions = ["", "\u{0}", "a\u{0}b", "🎭", "e\u{301}", "\"'`;--", String(repeating: "x", count: 100_000)]
        try await stream.append(contentsOf: actions)
        let read = try journal.reader.entries(in: "a\u{1}b").map(\.action)
        #expect(read.map { Array($0.utf8) } == actions.map { Array($0.utf8) })
        #expect(try await journal.verify().isSound)
    }

    @Test func `following yields the old entries and then the new ones, in the process that writes`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        for number in 1...600 { try await stream.append("\(number)") }
        let old = Signal()
        let seen = Task {
            var actions: [String] = []
            for try await entry in journal.reader.follow(after: 0) {
                actions.append(entry.action)
                if actions.count == 600 { old.send() }
            }
            return actions
        }
        for number in 601...700 { try await stream.append("\(number)") }
        // A second follower waits until the last entry can be seen.
        var new: [String] = []
        for try await entry in journal.reader.follow(after: 600) {
            new.append(entry.action)
            if entry.action == "700" { break }
        }
        #expect(new == (601...700).map { "\($0)" })
        await old.wait()
        try await journal.close()
        // The close ended the first follower, which may have seen fewer entries.
        let actions = try await seen.value
        #expect(actions.count >= 600)
        #expect(actions == (1...700).prefix(actions.count).map { "\($0)" })
    }

    @Test func `a follower that waits is woken by the next entry`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        let seen = Signal()
        let following = Task {
            var actions: [String] = []
            for try await entry in journal.reader.follow(after: 0) {
                actions.append(entry.action)
                seen.send()
            }
            return actions
        }
        for number in 2...20 {
            // It has seen all entries, so it waits or is about to wait.
            await seen.wait()
            try await stream.append("\(number)")
        }
        await seen.wait()
        try await journal.close()
        #expect(try await following.value == (1...20).map { "\($0)" })
    }

    @Test func `following from another process sees each new entry once`() async throws {
        let child = try Child(Child.program("journal-torture"), ["append", path, "normal", "40"])
        #expect(child.line() != nil)
        let reader = try JournalReader(path: path)
        var positions: [Int] = []
        for try await entry in reader.follow(after: 0, interval: .milliseconds(1)) {
            positions.append(entry.position)
            if positions.count == 8 * 40 { break }
        }
        #expect(positions == Array(1...8 * 40))
        _ = child.remainingLines()
        child.wait()
    }

    @Test func `a follower that is cancelled ends`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        let first = Signal()
        let task = Task {
            var count = 0
            for try await _ in journal.reader.follow(after: 0) {
                count += 1
                first.send()
            }
            return count
        }
        await first.wait()
        task.cancel()
        #expect(try await task.value == 1)
    }

    @Test func `a reader reads a closed journal and one whose writer was killed`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        try await journal.close()
        #expect(try JournalReader(path: path).entries(in: "a").count == 1)

        let child = try Child(Child.program("journal-torture"), ["append", path, "full"])
        for _ in 0..<20 { #expect(child.line() != nil) }
        child.kill()
        child.wait()
        #expect(try JournalReader(path: path).entries(after: 0, limit: 1_000).count >= 21)
    }

    @Test func `a reader changes no file and leaves no file`() async throws {
        do {
            let journal = try Journal(path: path)
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("1")
        }
        func contents() throws -> [String: Data] {
            // The -shm is an index in memory that all connections keep.
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix("-shm") }.reduce(
                into: [:]) {
                    $0[$1] = try bytes(folder.path($1))
                }
        }
        let before = try contents()
        do {
            let reader = try JournalReader(path: path)
            _ = try reader.verify()
            _ = try reader.statistics()
            _ = try reader.entries(in: "a")
        }
        #expect(try contents() == before)
    }

    @Test func `a journal in a read-only folder can be read, closed or not`() async throws {
        for isClosed in [true, false] {
            let folder = try TemporaryFolder()
            let path = folder.path("a.db")
            do {
                let journal = try Journal(path: path)
                let stream = try await journal.openStream("a", machine: "m")
                try await stream.append("1")
                if isClosed { try await journal.close() }
            }
            let text = try await readAsNobody(path, folder)
            #expect(text == "1 entries")
        }
    }

    @Test func `a journal without its -shm is read by its owner, and another user gets advice`() async throws {
        do {
            let journal = try Journal(path: path)
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("1")
        }
        try FileManager.default.removeItem(atPath: path + "-shm")
        if isRoot {
            let said = try #require(try await readAsNobody(path, folder))
            #expect(said.contains("Open it once with its app"))
            #expect(said.contains("[cannot-open"))
            #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
        }
        #expect(try JournalReader(path: path).entries(in: "a").count == 1)
    }

    @Test func `a file that the sqlite3 shell closed last can be read, backed up and verified`() async throws {
        do {
            let journal = try Journal(path: path)
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("1")
        }
        try Shell(path)("SELECT * FROM journal")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.db", "a.db-lock"])
        let reader = try JournalReader(path: path)
        #expect(try reader.entries(in: "a").count == 1)
        #expect(try reader.verify().isSound)
        try await reader.backup(to: folder.path("b.db"))
        #expect(try JournalReader(path: folder.path("b.db")).entries(in: "a").count == 1)
        if isRoot { #expect(try await readAsNobody(path, folder) == "1 entries") }
    }

    /// Gives the file a time at which nothing can have been written since.
    private func makeOld() throws {
        let time = Date(timeIntervalSinceNow: -60)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
    }

    @Test func `a reader that keeps its connection to a closed file sees what an app has written since`() async throws {
        func append(_ action: String) async throws {
            do {
                let journal = try Journal(path: path)
                let stream = try await journal.openStream("a", machine: "m")
                try await stream.append(action)
            }
            // Leaves the database file alone.
            try Shell(path)("SELECT count(*) FROM entry")
        }
        try await append("1")
        try makeOld()
        let reader = try JournalReader(path: path)
        for count in 2...4 {
            #expect(try reader.entries(in: "a").count == count - 1)
            #expect(try reader.stream("a").headStep == count - 1)
            try await append("\(count)")
            if count.isMultiple(of: 2) { try makeOld() }
        }
        #expect(try reader.entries(in: "a").map(\.action) == ["1", "2", "3", "4"])
        // Another file with that name, of the same length and time.
        try makeOld()
        #expect(try reader.entries(in: "a").count == 4)
        let other = folder.path("other.db")
        try FileManager.default.copyItem(atPath: path, toPath: other)
        try Shell(other)("UPDATE entry SET action = '5' WHERE step = 4")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["a.db", "a.db-lock", "other.db"])
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: other, toPath: path)
        try makeOld()
        let actions = try reader.entries(in: "a").map(\.action)
        #expect(actions == ["1", "2", "3", "5"])
    }

    @Test func `a read of a closed file begins anew if an app opens the file meanwhile`() async throws {
        do {
            let journal = try Journal(path: path)
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("1")
            try await journal.close()
        }
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let reader = try JournalReader(path: path)
        let calls = Box(0)
        let last = try reader.read("reading") { [path] database throws(DatabaseError) in
            calls.change { $0 += 1 }
            if calls.value == 1 {
                let journal = try? Journal(path: path)
                withExtendedLifetime(journal) {}
            }
            return try database.lastPosition()
        }
        #expect(last == 1)
        #expect(calls.value == 2)
    }

    @Test func `a reader reads the file that has replaced the one it read before`() async throws {
        let other = folder.path("other.db")
        for (file, action) in [(path, "old"), (other, "new")] {
            let journal = try Journal(path: file)
            try await journal.openStream("a", machine: "m").append(action)
            try await journal.close()
        }
        let reader = try JournalReader(path: path)
        #expect(try reader.entries(in: "a").map(\.action) == ["old"])
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: path + suffix)
            try FileManager.default.moveItem(atPath: other + suffix, toPath: path + suffix)
        }
        #expect(try reader.entries(in: "a").map(\.action) == ["new"])
    }

    @Test func `a reader that was opened first does not prevent writing`() async throws {
        for isClosed in [true, false] {
            do {
                let journal = try Journal(path: path)
                let stream = try await journal.openStream("a", machine: "m")
                try await stream.append("1")
                if isClosed { try await journal.close() }
            }
            let reader = try JournalReader(path: path)
            let before = try reader.entries(in: "a").count
            let journal = try Journal(path: path)
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("2")
            #expect(try reader.entries(in: "a").count == before + 1)
            try await journal.close()
        }
    }

    @Test func `an opening for writing detects a missing WAL`() async throws {
        do {
            let journal = try Journal(path: path)
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("1")
        }
        try FileManager.default.removeItem(atPath: path + "-wal")
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .acknowledgedEntriesLost)
        #expect(error?.message.contains("1 acknowledged entry is missing") == true)
    }

    @Test func `another user's reader does not lock the app out`() async throws {
        do {
            let journal = try Journal(path: path)
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("1")
            try await journal.close()
        }
        _ = try await readAsNobody(path, folder)
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        #expect(try await stream.append("2").step == 2)
    }

    /// Reads in another process, as a user who cannot write there. Only root can switch the user; others read
    /// as themselves in a read-only folder.
    private func readAsNobody(_ path: String, _ folder: TemporaryFolder) async throws -> String? {
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
        let child = try Child(Child.program("journal-torture"), ["count", path] + (isRoot ? ["nobody"] : []))
        defer { child.wait() }
        return child.line()
    }
}
