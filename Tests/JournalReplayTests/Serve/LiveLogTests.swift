import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `What a live page has not seen` {
    private func mark(_ steps: Int) -> LiveLog.Mark { LiveLog.Mark(steps: steps) }

    @Test func `is everything after a revision, each change once`() {
        var log = LiveLog()
        log.append(mark(3), outcomes: [0, 1], runs: [0])
        log.append(mark(5), outcomes: [2], runs: [0, 1])
        log.append(mark(5), outcomes: [], runs: [1])
        #expect(log.revision == 3)
        #expect(log.changes(since: 3) == .init(from: mark(5), to: mark(5)))
        #expect(log.changes(since: 1) == .init(from: mark(3), to: mark(5), outcomes: [2], runs: [0, 1]))
        #expect(log.changes(since: 0) == .init(from: mark(0), to: mark(5), outcomes: [0, 1, 2], runs: [0, 1]))
    }

    @Test(arguments: [-1, 1, .max, .min]) func `is unknown for a revision that was never there`(revision: Int) {
        #expect(LiveLog().changes(since: revision) == nil)
    }

    @Test func `is unknown for a revision that was forgotten, and whole for each that was not`() throws {
        var log = LiveLog(mostRevisions: 8)
        for step in 1...100 { log.append(mark(step), outcomes: [step], runs: []) }
        #expect(log.revision == 100)
        #expect(log.changes(since: 80) == nil)
        #expect(log.changes(since: 97)?.outcomes == [98, 99, 100])
        let known = (0...100).filter { log.changes(since: $0) != nil }
        #expect(known == Array((known.first ?? 0)...100))
        #expect(known.count >= 4)
    }

    @Test func `is forgotten if it is too much`() {
        var log = LiveLog(mostChanges: 100)
        for step in 1...10 { log.append(mark(step), outcomes: Array(repeating: step, count: 30), runs: []) }
        #expect(log.changes(since: 0) == nil)
        #expect(log.changes(since: 10) != nil)
        log.append(mark(11), outcomes: Array(repeating: 1, count: 1_000), runs: [])
        #expect(log.changes(since: 11)?.to == mark(11))
    }

    @Test func `is sent as one line of data with the number of the newest revision`() {
        let event = EventStream.event(id: 7, .object([.init(key: "a", value: .text("b\nc\u{2028}\r"))]))
        let text = String(decoding: event, as: UTF8.self)
        #expect(text.hasPrefix("id: 7\ndata: {\"a\":"))
        #expect(text.hasSuffix("\n\n"))
        #expect(text.utf8.filter { $0 == 0x0A }.count == 3)
        #expect(!text.utf8.contains(0x0D))
        #expect(String(decoding: EventStream.event("end", .null), as: UTF8.self) == "event: end\ndata: null\n\n")
    }
}
