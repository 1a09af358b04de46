import Foundation
import Testing
import TortureKit

@testable import JournalReplayKit
@testable import JournalStore

@Suite struct `A live page and its journal` {
    private func live(_ path: String, _ options: PageOptions = PageOptions()) throws -> (LiveJournal, LivePage) {
        let page = LivePage(options.redaction)
        return (try LiveJournal(JournalReader(path: path), options) { page.apply($0) }, page)
    }

    private func readAll(_ journal: LiveJournal) throws {
        while try journal.read() {}
    }

    @Test func `reads every step, outcome and effect of a journal`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        let (journal, page) = try live(path)
        try readAll(journal)
        let reader = try JournalReader(path: path)
        let entries = try reader.entries(after: 0, limit: 100)
        let runs = try reader.streams().flatMap { try reader.effectRuns(in: $0.name) }
        page.read { data in
            #expect(data.steps.count == entries.count)
            #expect(data.runs.count == runs.count)
            #expect(data.outcomes.count == entries.count)
            #expect(data.outcomes.allSatisfy { $0 != .unknown })
            #expect(data.positions(ofChunk: 0).map(Array.init) == entries.map(\.position))
            #expect(data.positions(ofChunk: 1) == nil)
        }
    }

    @Test func `shows the effects of a stream whose positions are not in the order of its steps`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        try fixture.swapPositions(1, 8, in: path)
        let (journal, page) = try live(path)
        try readAll(journal)
        #expect(page.read(\.runs.count) == 1)
    }

    @Test func `shows the unsettled steps of a stream whose positions are not in the order of its steps`() async throws
    {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 3)
        try fixture.swapPositions(1, 3, in: path)
        let (journal, page) = try live(path)
        try readAll(journal)
        page.read { data in
            #expect(data.steps.count == 3)
            #expect(data.outcomes == [.unknown, .unknown, .unknown])
        }
    }

    @Test func `reads on after a page that ends early because actions are large`() async throws {
        let fixture = try Fixture()
        let writer = try fixture.open()
        let stream = try await writer.openStream("a", machine: "m")
        for _ in 1...5 { try await stream.append(String(repeating: "1", count: 600_000)) }
        try await writer.close()
        let (journal, page) = try live(fixture.path("shop.db"))
        #expect(try journal.read())
        try readAll(journal)
        #expect(page.read(\.steps.count) == 5)
    }

    @Test func `reads on while there are more outcomes than it reads at once`() async throws {
        let fixture = try Fixture()
        let writer = try fixture.open()
        let stream = try await writer.openStream("a", machine: "m")
        for _ in 1...9 { try await stream.append(contentsOf: Array(repeating: "1", count: 1_000)) }
        let (journal, page) = try live(fixture.path("shop.db"))
        try readAll(journal)
        #expect(page.read(\.outcomes).allSatisfy { $0 == .unknown })
        var batch = Batch()
        batch.steps = (1...9_000).map { StepRecord(stream: stream.id, step: $0, outcome: .rejected, reason: "no") }
        batch.settled = [stream.id: 9_000]
        _ = try await writer.commit(batch)
        try readAll(journal)
        #expect(page.read(\.outcomes).allSatisfy { $0 == .rejected })
        try await writer.close()
    }

    @Test func `leaves out effects of earlier steps that an operator has ended`() async throws {
        let fixture = try Fixture()
        let writer = try fixture.open()
        let stream = try await writer.openStream("a", machine: "m")
        for _ in 1...5 { try await stream.append("1") }
        var batch = Batch()
        batch.runs = [EffectRun(stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "x", status: .failed)]
        batch.settled = [stream.id: 5]
        _ = try await writer.commit(batch)
        try await stream.close()
        let run = RunKey(step: 1, ordinal: 0)
        try await writer.retry(run, in: "a")
        try await writer.cancel(run, in: "a")
        try await writer.close()
        for (last, count) in [(2, 0), (5, 1)] {
            var options = PageOptions()
            options.last = last
            let (journal, page) = try live(fixture.path("shop.db"), options)
            try readAll(journal)
            #expect(page.read(\.runs.count) == count)
        }
    }

    @Test func `finds nothing new in a journal that has not changed`() async throws {
        let fixture = try Fixture()
        let (journal, page) = try live(try await fixture.accounts())
        try readAll(journal)
        let revision = page.read(\.revision)
        try readAll(journal)
        #expect(page.read(\.revision) == revision)
    }

    @Test func `goes on where it was, and takes outcomes and effects along`() async throws {
        let fixture = try Fixture()
        let writer = try fixture.open()
        let store = try await writer.open(account, stream: "a")
        try await store.dispatch(.add(1))
        let (journal, page) = try live(fixture.path("shop.db"))
        try readAll(journal)
        let seen = page.read(\.revision)
        for number in 2...600 { try await store.dispatch(.add(number)) }
        try await store.dispatch(.ask).completion()
        try await store.close()
        try await writer.close()
        try readAll(journal)
        page.read { data in
            // The answer to the question is a step too.
            #expect(data.steps.count == 602)
            #expect(data.outcomes.allSatisfy { $0 == .reduced })
            #expect(data.runs.count == 1)
            #expect(data.positions(ofChunk: 0)?.count == 512)
            #expect(data.positions(ofChunk: 1)?.count == 90)
            let batch = data.batch(since: seen)
            #expect(batch?["steps"] != nil)
            #expect(batch?["starts"] == .list([.number(512)]))
            #expect(batch?["runNumbers"] == .list([.number(0)]))
            #expect(data.batch(since: data.revision)?["steps"] == nil)
            #expect(data.batch(since: data.revision + 1) == nil)
        }
    }

    @Test func `begins an answer with columns only where a piece begins`() async throws {
        let fixture = try Fixture()
        let (journal, page) = try live(try await fixture.accounts())
        try readAll(journal)
        page.read { data in
            let count = data.steps.count
            #expect(data.stepColumns(from: 0, to: count)?.isEmpty == false)
            #expect(data.stepColumns(from: 1, to: count) == nil)
            #expect(data.stepColumns(from: count, to: count) == [])
            #expect(data.stepColumns(from: count + 1, to: .max) == nil)
            #expect(data.runs(ofChunk: .max) == nil)
            #expect(data.runColumns(from: .max, to: .max) == data.runs.encoded([]))
        }
    }

    @Test func `shows only the wanted streams, also new ones`() async throws {
        let fixture = try Fixture()
        let writer = try fixture.open()
        let one = try await writer.openStream("one", machine: "x")
        try await one.append("1")
        let (all, allPage) = try live(fixture.path("shop.db"))
        let (only, onlyPage) = try live(fixture.path("shop.db"), PageOptions(streams: [ByteName("one")]))
        let two = try await writer.openStream("two", machine: "x")
        try await two.append(contentsOf: ["1", "2"])
        try await one.append("2")
        try readAll(all)
        try readAll(only)
        #expect(allPage.read { ($0.streams.rows.map(\.info.name)) } == ["one", "two"])
        #expect(allPage.read(\.steps.count) == 4)
        #expect(onlyPage.read { ($0.streams.rows.map(\.info.name)) } == ["one"])
        #expect(onlyPage.read(\.steps.count) == 2)
        // Between the steps of the stream are others in the journal.
        let texts = LiveTexts(reader: try JournalReader(path: fixture.path("shop.db")), redaction: Redaction([]))
        let json = try #require(try texts.steps(0, onlyPage))
        #expect(String(decoding: json, as: UTF8.self) == #"{"actions":["1","2"],"others":{}}"#)
        try await writer.close()
    }

    @Test func `shows an act of an operator and what became of its effect`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.shop()
        let reader = try JournalReader(path: path)
        let (journal, page) = try live(path)
        try readAll(journal)
        let seen = page.read(\.revision)
        let stream = try #require(try reader.streams().first?.name)
        let run = try #require(try reader.effectRuns(in: stream).first { !$0.status.isFinal })
        let act = try OperatorAct(.cancel, on: run, of: stream, reader)
        try await Operator(reader: reader).carryOut([act], reason: "why") { _, error in #expect(error == nil) }
        try readAll(journal)
        let batch = page.read { $0.batch(since: seen) }
        #expect(batch?["runNumbers"] != nil)
        guard case .list(let acts)? = batch?["interventions"] else { throw Missing() }
        #expect(acts.count == 1)
    }

    private struct Missing: Error {}

    @Test func `ends a stream of events, and wakes the thread that waits for one`() async throws {
        let page = LivePage(Redaction([]))
        var change = LiveChange()
        change.interventions = [(0, Intervention(act: .skip, step: 1, time: Timestamp(microseconds: 0)))]
        page.apply(change)
        page.set(problem: "damaged")
        page.end()
        let events = EventStream(page, after: 0)
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 7)
        while let count = buffer.withUnsafeMutableBytes({ events.fill($0) }) {
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        #expect(text == "retry: 1000\n\nevent: end\ndata: null\n\n")
    }

    @Test func `notices that a journal may have changed`() async throws {
        let fixture = try Fixture()
        let writer = try fixture.open()
        let stream = try await writer.openStream("one", machine: "x")
        var watch = JournalWatch(fixture.path("shop.db"))
        var mayHaveChanged = [watch.mayHaveChanged()]
        for _ in 0..<20 {
            try await stream.append("1")
            mayHaveChanged.append(watch.mayHaveChanged())
        }
        try await writer.close()
        mayHaveChanged.append(watch.mayHaveChanged())
        #expect(!mayHaveChanged.contains(false))
    }
}

@Suite struct `The file that is served` {
    @Test func `is not the file that replaced it`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1, "a.db")
        let other = try await fixture.counter(entries: 1, "other.db")
        let served = WatchedFile(try JournalReader(path: path))
        try served.check()
        // A reader that has it open would go on reading it.
        try FileManager.default.moveItem(atPath: path, toPath: fixture.path("b.db"))
        #expect(throws: JournalError.self) { try served.check() }
        try FileManager.default.copyItem(atPath: other, toPath: path)
        #expect(throws: JournalError.self) { try served.check() }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: fixture.path("b.db"), toPath: path)
        try served.check()
    }

    @Test func `is not another journal in the same file`() async throws {
        let fixture = try Fixture()
        let one = try await fixture.counter(entries: 1, "one.db")
        let other = try await fixture.counter(entries: 1, "other.db")
        // Without the files beside it, as a backup is.
        let path = fixture.path("a.db")
        try Data(contentsOf: URL(fileURLWithPath: one)).write(to: URL(fileURLWithPath: path))
        let served = WatchedFile(try JournalReader(path: path))
        try served.check()
        try Data(contentsOf: URL(fileURLWithPath: other)).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: JournalError.self) { try served.check() }
        #expect(error?.code == .fenced)
    }
}
