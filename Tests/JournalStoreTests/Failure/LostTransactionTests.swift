import Foundation
import JournalStore
import JournalTesting
import Testing
import TortureKit

/// The newest transactions of a killed process have no entry: a cancel, the start of an effect, a remembered step.
@Suite struct `Law 11, a transaction without an entry` {
    @Test func `its loss is noticed, whatever it changed`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        var batches: [Batch] = []
        var batch = Batch()
        batch.runs = [EffectRun(stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "charge", status: .running)]
        batches.append(batch)
        batch = Batch()
        batch.remembered = [
            RememberedStep(stream: stream.id, step: 1, ordinal: 0, path: "", name: "reserve", use: 1, result: "true")
        ]
        batches.append(batch)
        batch = Batch()
        batch.queues = [QueueMemory(stream: stream.id, key: "q", policy: "{}", lastStart: nil)]
        batches.append(batch)
        batch = Batch()
        batch.runs = [
            EffectRun(stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "charge", status: .cancelled)
        ]
        batches.append(batch)
        for (index, batch) in batches.enumerated() {
            _ = try await journal.commit(batch)
            let copy = folder.path("copy-\(index).db")
            for suffix in ["", "-wal", "-lock"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
            }
            #expect(try JournalReader(path: copy).verify().isSound)
            let size = try bytes(copy + "-wal").count
            // In the last frame.
            try damage(copy + "-wal", at: size - 100) { $0 ^= 1 }
            #expect(
                try JournalReader(path: copy).verify().problems.contains {
                    $0.message.contains("The newest acknowledged transaction is missing")
                })
            let error = await journalError { try Journal(path: copy) }
            #expect(error?.code == .acknowledgedEntriesLost)
            #expect(error?.file == copy)
            let accepting = try openJournal(copy) { $0.lostEntries = .accept }
            try await accepting.openStream("a", machine: "m").append("2")
            try await accepting.close()
            let again = try Journal(path: copy)
            try await again.close()
        }
        try await journal.close()
    }

    /// Such an act is a transaction of its own, which no batch shares.
    @Test(arguments: ["cancel", "skip", "prune"])
    func `its loss is noticed, also if it acted on a stream that no store has open`(_ act: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: ["1", "2", "3"])
        var batch = Batch()
        batch.runs = [EffectRun(stream: stream.id, step: 3, ordinal: 0, rootStep: 3, name: "charge", status: .asked)]
        batch.settled = [stream.id: 2]
        _ = try await journal.commit(batch)
        try await stream.saveSnapshot("2", at: 2)
        try await stream.close()
        switch act {
        case "cancel": try await journal.cancel(RunKey(step: 3), in: "a")
        case "skip": try await journal.skip(3, in: "a")
        default: #expect(try await journal.prune("a", before: 3).removedEntries == 2)
        }
        try await noticesLoss(folder)
        try await journal.close()
    }

    /// An opening notices that the newest transaction of `a.db` is gone.
    private func noticesLoss(_ folder: TemporaryFolder) async throws {
        let copy = folder.path("copy.db")
        for suffix in ["", "-wal", "-lock"] {
            try FileManager.default.copyItem(atPath: folder.path("a.db") + suffix, toPath: copy + suffix)
        }
        // In the last frame.
        try damage(copy + "-wal", at: try bytes(copy + "-wal").count - 100) { $0 ^= 1 }
        #expect(await journalError { try Journal(path: copy) }?.code == .acknowledgedEntriesLost)
    }

    /// Its number must be larger than all before, also larger than those that only the row of its stream still has.
    @Test func `its loss is noticed, also after the lock file was lost once`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        var journal = try Journal(path: path)
        for name in ["a", "b"] {
            let stream = try await journal.openStream(name, machine: "m")
            for number in 1...9 { try await stream.append("\(number)") }
        }
        try await journal.close()
        try FileManager.default.removeItem(atPath: path + "-lock")
        journal = try openJournal(path) { $0.report = { _ in } }
        let stream = try await journal.openStream("b", machine: "m")
        var batch = Batch()
        batch.runs = [EffectRun(stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "x", status: .running)]
        _ = try await journal.commit(batch)
        try await noticesLoss(folder)
        try await journal.close()
    }

    @Test func `nothing is missed after a checkpoint, a close or a reader`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        for round in 1...3 {
            let journal = try Journal(path: path)
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("1")
            var batch = Batch()
            batch.runs = [
                EffectRun(stream: stream.id, step: round, ordinal: 0, rootStep: 1, name: "x", status: .running)
            ]
            _ = try await journal.commit(batch)
            let copy = folder.path("copy-\(round).db")
            for suffix in ["", "-wal", "-lock"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
            }
            // The shell checkpoints and deletes the WAL.
            try Shell(copy)("SELECT count(*) FROM entry")
            #expect(try JournalReader(path: copy).missingEntries() == nil)
            try await Journal(path: copy).close()
            try await journal.close()
        }
    }
}
