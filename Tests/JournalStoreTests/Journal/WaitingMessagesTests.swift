import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// Messages to a machine of which this process has neither a host nor an open stream.
@Suite struct `Messages that wait`: AtDesk {
    let desk: Desk
    private let notices = Box<[Notice]>([])
    private let reported = Signal()
    private let mail = Machine<Int, [Int], Void>("mail", initialState: [], update: { $0.append($1) })

    init() throws { desk = try Desk() }

    /// A journal that follows the clock, with its long sleeps too.
    private func open() throws -> Journal {
        try openJournal(path) { [clock, notices, reported] options in
            options.follow(clock)
            options.sleep = { duration in
                if duration < .seconds(1) { return try await Task.sleep(for: duration) }
                try await clock.sleep(for: duration)
            }
            options.report = { notice in
                notices.change { $0.append(notice) }
                reported.send()
            }
        }
    }

    private func openSender(_ journal: Journal) async throws -> Store<Int, [Int]> {
        let sender = Machine<Int, [Int], Void>("sender", initialState: [], update: { $0.append($1) })
            .connected(to: mail) { step in ("mail-\(step.action)", step.action) }
        return try await journal.open(sender, stream: "from")
    }

    @Test func `messages that nothing will reduce are reported once, and not at once`() async throws {
        let journal = try open()
        let store = try await openSender(journal)
        for number in 1...3 { await (try store.dispatch(number)).completion() }
        await clock.sleepers(1)
        #expect(notices.value == [])
        clock.move(by: .seconds(10))
        await reported.wait()
        await (try store.dispatch(4)).completion()
        #expect(clock.nextWake == nil)
        #expect(notices.value.map(\.kind) == [.messagesWaiting])
        let error = try #require(notices.value.first?.error)
        #expect(error.stream == "mail-1")
        #expect(error.message.contains("'mail'") && error.advice.contains("journal.host"))
        try await journal.close()
    }

    @Test(arguments: ["host", "the stream", "another stream"])
    func `messages are not reported if their machine has a host or an open stream by then`(_ what: String) async throws
    {
        let journal = try open()
        let store = try await openSender(journal)
        await (try store.dispatch(1)).completion()
        await clock.sleepers(1)
        let host = what == "host" ? try journal.host(mail) : nil
        let name = what == "the stream" ? "mail-1" : "mail-7"
        let receiver = host == nil ? try await journal.open(mail, stream: name) : nil
        // Returns when the look is over.
        await clock.advance(by: .seconds(10))
        #expect(clock.nextWake == nil)
        #expect(notices.value == [])
        try await receiver?.close()
        await host?.close()
        try await journal.close()
    }

    @Test func `a machine that was served when its messages were looked at is looked at again after the next one`()
        async throws
    {
        let journal = try open()
        let raw = try await journal.openStream("mail-1", machine: "mail")
        try await raw.append("1")
        try await raw.close()
        let waiting = WaitingMessages(journal.options, journal.reader)
        let message = Message(stream: "mail-1", machine: "mail", version: 1, text: "1")
        let looked = Signal()
        waiting.arrived(message) { _ in
            looked.send()
            return []
        }
        await clock.sleepers(1)
        clock.move(by: .seconds(10))
        await looked.wait()
        while clock.nextWake == nil {
            waiting.arrived(message) { $0.map(\.name) }
            await Task.yield()
        }
        #expect(notices.value == [])
        clock.move(by: .seconds(10))
        await reported.wait()
        #expect(notices.value.map(\.kind) == [.messagesWaiting])
        try await journal.close()
    }

    @Test func `a stream that waits is reported also if an earlier message to another one was reduced meanwhile`()
        async throws
    {
        let journal = try open()
        let store = try await openSender(journal)
        for number in 1...2 { await (try store.dispatch(number)).completion() }
        await clock.sleepers(1)
        try await (try await journal.open(mail, stream: "mail-1")).close()
        clock.move(by: .seconds(10))
        await reported.wait()
        #expect(notices.value.map(\.error.stream) == ["mail-2"])
        try await journal.close()
    }

    @Test func `a stream that is open as a log waits for no machine`() async throws {
        let journal = try open()
        let log = try await journal.openStream("mail-1", machine: "mail")
        let store = try await openSender(journal)
        for number in 1...2 { await (try store.dispatch(number)).completion() }
        await clock.sleepers(1)
        clock.move(by: .seconds(10))
        await reported.wait()
        #expect(notices.value.map(\.error.stream) == ["mail-2"])
        #expect(try journal.reader.entries(in: "mail-1").count == 1)
        withExtendedLifetime(log) {}
        try await journal.close()
    }

    @Test func `a message that was reduced meanwhile is not reported`() async throws {
        let journal = try open()
        let store = try await openSender(journal)
        await (try store.dispatch(1)).completion()
        await clock.sleepers(1)
        try await (try await journal.open(mail, stream: "mail-1")).close()
        await clock.advance(by: .seconds(10))
        #expect(clock.nextWake == nil)
        #expect(notices.value == [])
        try await journal.close()
    }
}
