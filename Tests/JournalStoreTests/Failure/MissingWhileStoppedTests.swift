import CFaultVFS
import CJournalSQLite
import Foundation
import Testing
import TortureKit

@testable import JournalStore

/// A journal stopped at an I/O error, and its files are away when it is opened the next time.
@Suite struct `A stopped journal whose files are moved away and back` {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    private func sidecar(_ body: (Sidecar) -> Void) async throws {
        while true {
            // A process that another test spawns has a copy of the lock for a moment.
            if let sidecar = try? Sidecar(besides: path) { return body(sidecar) }
            await Task.yield()
        }
    }

    private func move(_ names: [String], from: String, to target: String) throws {
        for name in names where FileManager.default.fileExists(atPath: from + name) {
            try FileManager.default.moveItem(atPath: from + name, toPath: target + name)
        }
    }

    /// Between two renames there is no file of that name: a backup that is put there then would hide the copy.
    @Test func `a reader that finds no file, because a copy is about to replace it, says so`() async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        try await sidecar { $0.mark = .copyReady }
        try move([""], from: path, to: folder.path("away"))
        let error = await journalError { try JournalReader(path: path) }
        #expect(error?.code == .inputOutput)
        #expect(error?.advice.hasPrefix("Nothing is lost. Leave all files beside it as they are") == true)
    }

    @Test(arguments: [Sidecar.Mark.stopped, .copyReady])
    func `is replaced by a copy when they are back`(_ mark: Sidecar.Mark) async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        let parts = ["", "-wal", "-shm", "-salvage"]
        if mark == .copyReady {
            // A rescue was interrupted when it had made the copy.
            try await JournalReader(path: path).backup(to: folder.path("copy.db"))
            try FileManager.default.moveItem(atPath: folder.path("copy.db"), toPath: path + "-salvage")
        }
        try await sidecar { $0.mark = mark }
        try move(parts, from: path, to: folder.path("away"))
        for _ in 1...2 {
            let error = await journalError { try Journal(path: path) }
            #expect(error?.code == .acknowledgedEntriesLost)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        try await sidecar { #expect($0.mark == mark) }
        try move(parts, from: folder.path("away"), to: path)

        let notices = Box<[Notice.Kind]>([])
        let again = try openJournal(path) { options in
            options.report = { notice in notices.change { $0.append(notice.kind) } }
        }
        #expect(notices.value == [.copiedAfterFailure])
        #expect(try again.reader.entries(in: "a").map(\.action) == ["1"])
        #expect(FileManager.default.fileExists(atPath: path + "-damaged"))
        try await again.close()
    }

    /// A copy without what was acknowledged must not replace the file: the WAL that has it would not fit any more.
    @Test func `is not replaced while its WAL is away`() async throws {
        let first = try openJournal(path) { $0.checkpointPages = 1 }
        try await first.openStream("a", machine: "m").append("1")
        try await first.close()
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("2")
        // A close copies the WAL into the file: as a kill leaves them.
        for name in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + name, toPath: folder.path("away" + name))
        }
        try await journal.close()
        try await sidecar { $0.mark = .stopped }
        for name in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + name) }
        try move([""], from: folder.path("away"), to: path)
        for _ in 1...2 {
            let error = await journalError { try Journal(path: path) }
            #expect(error?.code == .acknowledgedEntriesLost)
            try await sidecar { #expect($0.mark == .stopped) }
            #expect(!FileManager.default.fileExists(atPath: path + "-damaged"))
            #expect(!FileManager.default.fileExists(atPath: path + "-salvage"))
        }
        for name in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + name) }
        try move(["-wal"], from: folder.path("away"), to: path)
        let again = try Journal(path: path)
        #expect(try again.reader.entries(in: "a").map(\.action) == ["1", "2"])
        #expect(FileManager.default.fileExists(atPath: path + "-damaged"))
        try await again.close()
    }

    @Test(arguments: ["", "-salvage"])
    func `keeps its mark, and all files, if one of them cannot be looked up`(_ part: String) async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        try await JournalReader(path: path).backup(to: folder.path("copy.db"))
        try FileManager.default.moveItem(atPath: folder.path("copy.db"), toPath: path + "-salvage")
        try await sidecar { $0.mark = .copyReady }
        try move([part], from: path, to: folder.path("away"))
        // The system cannot say what is there: as on a disk that fails.
        try FileManager.default.createSymbolicLink(atPath: path + part, withDestinationPath: path + part)
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .cannotOpen)
        try await sidecar { #expect($0.mark == .copyReady) }
        try FileManager.default.removeItem(atPath: path + part)
        try move([part], from: folder.path("away"), to: path)
        let again = try Journal(path: path)
        #expect(try again.reader.entries(in: "a").map(\.action) == ["1"])
        try await again.close()
    }

    @Test func `begins anew if the loss is accepted`() async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        try await sidecar { $0.mark = .copyReady }
        try move(["", "-wal", "-shm"], from: path, to: folder.path("away"))
        let notices = Box<[Notice.Kind]>([])
        let again = try openJournal(path) { options in
            options.lostEntries = .accept
            options.report = { notice in notices.change { $0.append(notice.kind) } }
        }
        #expect(!notices.value.contains(.copiedAfterFailure))
        #expect(try again.reader.streams().isEmpty)
        try await again.close()
        try await sidecar { #expect($0.mark == .clean) }
    }
}
