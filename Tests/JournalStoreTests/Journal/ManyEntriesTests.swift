import Dispatch
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Many entries in one transaction` {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `batches of one to forty entries are stored unchanged, and the chain is sound`() async throws {
        let journal = try openJournal(folder.path("a.db"))
        let stream = try await journal.openStream("a", machine: "m")
        var expected: [String] = []
        for count in 1...40 {
            let actions = (1...count).map { #"{"count":\#(count),"number":\#($0)}"# }
            #expect(try await stream.append(contentsOf: actions).map(\.step).last == expected.count + count)
            expected += actions
        }
        #expect(try journal.reader.entries(in: "a", limit: 2_000).map(\.action) == expected)
        #expect(try journal.reader.entries(after: 0, limit: 2_000).map(\.position) == Array(1...expected.count))
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `texts of all lengths, causes and IDs stay with their own entries`() async throws {
        let journal = try openJournal(folder.path("a.db"))
        let one = try await journal.openStream("a", machine: "m")
        let two = try await journal.openStream("b", machine: "m")
        var entries: [NewEntry] = []
        for number in 0..<50 {
            let text =
                String(repeating: "ä", count: [0, 1, 70_000, 20][number % 4]) + "\(number % 4 == 0 ? "" : "\(number)")"
            let cause = number % 3 == 0 ? Cause(step: number, run: number % 2 == 0 ? number : nil) : nil
            entries.append(
                NewEntry(
                    stream: number % 2 == 0 ? one.id : two.id, action: text, version: number,
                    origin: cause == nil ? .dispatched : .effect, cause: cause,
                    cancelID: number % 5 == 0 ? #""id-\#(number)""# : nil))
        }
        let appended = try await journal.commit(Batch(entries: entries))
        #expect(appended.map(\.step) == (0..<50).map { $0 / 2 + 1 })
        let found = try journal.reader.entries(after: 0, limit: 100)
        #expect(found.map(\.action) == entries.map(\.action))
        #expect(found.map(\.cancelID) == entries.map(\.cancelID))
        #expect(found.map(\.causeStep) == entries.map { $0.cause?.step })
        #expect(found.map(\.causeOrdinal) == entries.map { $0.cause?.run })
        #expect(found.map(\.version) == Array(0..<50))
        #expect(found.map(\.origin) == entries.map(\.origin))
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `a batch that cannot be stored leaves nothing, and its neighbours are committed`() async throws {
        let journal = try openJournal(folder.path("a.db")) { $0.execution = .ownThread }
        let stream = try await journal.openStream("a", machine: "m")
        let other = try await journal.openStream("b", machine: "m")
        func batch(_ stream: JournalStream) -> Batch {
            Batch(entries: (1...21).map { NewEntry(stream: stream.id, action: "\($0)") })
        }
        var bad = batch(stream)
        bad.steps = [StepRecord(stream: stream.id, step: 99)]
        let goOn = DispatchSemaphore(value: 0)
        journal.writer.later { _ in goOn.wait() }
        let (results, done) = (Box<[String]>([]), Signal())
        // All of them wait while the writer is busy, so that one transaction takes them.
        for batch in [batch(other), bad, batch(other)] {
            journal.submit(batch) { result in
                switch result {
                case .success(let appended): results.change { $0.append("\(appended.map(\.step))") }
                case .failure(let error): results.change { $0.append("\(error.code.rawValue) \(error.step ?? 0)") }
                }
                done.send()
            }
        }
        goOn.signal()
        await done.wait(times: 3)
        #expect(results.value == ["\(Array(1...21))", "not-storable 99", "\(Array(22...42))"])
        #expect(try journal.reader.entries(in: "a").isEmpty)
        #expect(try await stream.append("next").step == 1)
        #expect(try journal.reader.entries(after: 0, limit: 100).map(\.position) == Array(1...43))
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }
}
