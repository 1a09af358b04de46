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
