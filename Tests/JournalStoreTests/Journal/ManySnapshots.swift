@testable import JournalStore

/// Makes a journal of one stream with 150 steps and a snapshot of each: more than a report of a verification lists.
func keepManySnapshots(_ path: String) async throws {
    let journal = try openJournal(path) { $0.retention = Retention(last: 200, everySteps: nil) }
    let stream = try await journal.openStream("a", machine: "m")
    try await stream.append(contentsOf: (1...150).map { "\($0)" })
    var batch = Batch()
    batch.snapshots = (1...150).map { NewSnapshot(stream: stream.id, step: $0, version: 1, state: "\($0)") }
    _ = try await journal.commit(batch)
    try await journal.close()
}
