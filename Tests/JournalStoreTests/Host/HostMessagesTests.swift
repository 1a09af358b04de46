import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Messages to the streams of a host`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `a message opens a stream that is closed`() async throws {
        let journal = try openJournal(path, clock)
        let receiver = Machine<Play, Score, Void>("receiver", initialState: Score()) { action, state, _ in
            if case .add(let number) = action { state.sum += number }
            return .none
        }
        let sender = Machine<Play, Score, Void>("sender", initialState: Score()) { _, _, _ in .none }
            .connected(to: receiver) { step in
                if case .add(let number) = step.action { ("to-\(number)", .add(number)) } else { nil }
            }
        let receivers = try journal.host(receiver, clock: clock)
        let senders = try journal.host(sender, clock: clock)
        for number in 1...20 { try await senders.dispatch(.add(number), to: "from") }
        _ = await receivers.progress.wait { _ in receivers.openStreams == 20 ? true : nil }
        for number in 1...20 {
            _ = try await receivers.dispatch(.refuse, to: "to-\(number)") { $0.sum == number }
        }
        try await journal.close()
    }

    @Test func `a stream that was open as a log when the host began is opened when the log is closed`() async throws {
        let journal = try openJournal(path, clock)
        let log = try await journal.openStream("to", machine: play.name)
        let receivers = try host(journal)
        let sender = Machine<Play, Score, Void>("sender", initialState: Score()) { _, _, _ in .none }
            .connected(to: play) { _ in ("to", .add(1)) }
        try await journal.host(sender, clock: clock).dispatch(.add(1), to: "from").completion()
        _ = try await log.append(try JSONCodec().encode(Play.add(5)))
        try await log.close()
        await clock.sleepers(1)
        clock.move(by: .seconds(1))
        _ = await receivers.progress.wait { _ in receivers.openStreams == 1 ? true : nil }
        #expect(try await receivers.state(of: "to").sum == 6)
        try await journal.close()
    }

    @Test func `observers see a message that arrived while the stream was closed, once`() async throws {
        let journal = try openJournal(path, clock)
        let observed = Box<[String]>([])
        let receivers = try host(
            journal, open: 0, observers: [Observer { step in observed.change { $0.append("to \(step.step)") } }])
        let sender = Machine<Play, Score, Void>("sender", initialState: Score()) { _, _, _ in .none }
            .connected(to: play) { step in
                if case .add(let number) = step.action { ("to", .add(number)) } else { nil }
            }
        let senders = try journal.host(sender, clock: clock)
        try await receivers.dispatch(.add(1), to: "to")
        for number in 2...3 {
            await wait(receivers, open: 0)
            try await senders.dispatch(.add(number), to: "from")
            _ = try await receivers.dispatch(.draw, to: "to") { $0.sum == number * (number + 1) / 2 }
        }
        await wait(receivers, open: 0)
        #expect(try await receivers.state(of: "to").sum == 6)
        #expect(observed.value == (1...5).map { "to \($0)" })
        try await journal.close()
    }

    @Test func `observers see all messages that arrived while the stream was closed`() async throws {
        let journal = try openJournal(path, clock)
        let receiver = Machine<Int, [Int], Void>("receiver", initialState: [], update: { $0.append($1) })
        let sender = Machine<Int, [Int], Void>("sender", initialState: [], update: { $0.append($1) })
            .connected(to: receiver, stream: "to") { $0.action }
        try await (try await journal.open(receiver, stream: "to")).close()
        let store = try await journal.open(sender, stream: "from")
        for number in 1...3 { try await store.dispatch(number).completion() }
        #expect(try journal.reader.stream("to").headStep == 3)
        let observed = Box<[Int]>([])
        let observer = Observer<Int, [Int]> { step in observed.change { $0.append(step.action) } }
        let opened = try await journal.open(receiver, stream: "to", observers: [observer])
        #expect(opened.state == [1, 2, 3])
        #expect(observed.value == [1, 2, 3])
        try await journal.close()
    }
}
