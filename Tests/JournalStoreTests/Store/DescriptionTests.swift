import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// What users see if they print what a call returns.
@Suite struct `The description of a result`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `a dispatch says its step and its outcome`() async throws {
        let machine = Machine<Int, Int, Void>("sum", initialState: 0) { action, state, _ in
            if action < 0 { return .reject(action == -1 ? "" : "It is negative.") }
            state += action
            return .none
        }
        let journal = try openJournal(path)
        let store = try await journal.open(machine, stream: "a")
        var results: [Dispatched<Int>] = []
        for action in [1, -1, -2] { results.append(try await store.dispatch(action)) }
        for action in [5, 5, -3, -3] { results.append(try await store.dispatch(action, id: "\(action)")) }
        #expect(
            results.map { "\($0)" } == [
                "step 1, reduced", "step 2, rejected", "step 3, rejected: It is negative.", "step 4, reduced",
                "step 4, repeated", "step 5, rejected: It is negative.",
                "step 5, repeated, rejected: It is negative.",
            ])
        try await journal.close()
    }

    @Test func `a reply says what it changed, or why it was rejected`() {
        typealias Answer = Reply<AuthInput, AuthState>
        let replies: [Answer] = [
            .success(.login, from: .loggedOut, to: .loggingIn),
            .failure(.login, from: .loggingIn, reason: "No row."),
            .failure(.login, from: .loggingIn, reason: nil),
        ]
        #expect(
            replies.map { "\($0)" } == [
                "login: loggedOut → loggingIn", "login rejected in loggingIn: No row.",
                "login did not count in loggingIn",
            ])
    }

    @Test func `runs, entries, streams and transfers say what they are`() async throws {
        let journal = try openJournal(path, clock)
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name) {
                if name == "broken" { throw EffectFailure(description: "It broke.\nBadly.") }
                return nil
            }
        }
        let store = try await journal.openPlay(clock: clock, effects: effects)
        for name in ["fine", "broken"] { await (try await store.dispatch(.start(name))).completion() }
        try await store.flush()
        #expect(
            try journal.reader.effectRuns(of: "a").map { "\($0)" } == [
                "'fine' (1.0): completed", "'broken' (2.0): failed: It broke.",
            ])
        let entry = try #require(try journal.reader.entries(in: "a").first)
        #expect("\(entry)" == #"step 1 of 'a', dispatched at \#(entry.time): {"start":{"_0":"fine"}}"#)
        let stream = try journal.reader.stream("a")
        #expect("\(stream)" == "stream 'a' of the machine 'play', step 2")
        let transferred = TransferReport([("stream", 2), ("entry", 5), ("step", 5)], bytes: 900)
        #expect("\(transferred)" == "2 streams, 5 entries, 12 rows, 900 bytes")
        try await journal.close()
    }

    @Test func `a count of one has a singular`() {
        #expect("\(TransferReport([("stream", 1)], bytes: 1))" == "1 stream, 0 entries, 1 row, 1 byte")
        var recovery = RecoveryReport()
        (recovery.replayedSteps, recovery.skippedSnapshots) = (1, [JournalError(.corrupt, "It is damaged.")])
        #expect("\(recovery)" == "from the beginning, 1 step replayed, 1 snapshot skipped")
    }
}
