import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

private enum Note: Codable, Equatable, Sendable { case write(String), erase }

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
            try journal.reader.effectRuns(in: "a").map { "\($0)" } == [
                "'fine' (1.0): completed", "'broken' (2.0): failed: It broke.",
            ])
        let entry = try #require(try journal.reader.entries(in: "a").first)
        #expect("\(entry)" == "step 1 of 'a', dispatched at \(entry.time): start")
        let stream = try journal.reader.stream("a")
        #expect("\(stream)" == "stream 'a' of the machine 'play', step 2")
        let transferred = TransferReport([("stream", 2), ("entry", 5), ("step", 5)], bytes: 900)
        #expect("\(transferred)" == "2 streams, 5 entries, 12 rows, 900 bytes")
        try await journal.close()
    }

    @Test func `steps, replies and snapshots have names and no values`() async throws {
        let secret = "4711-SECRET"
        let machine = Machine<Note, String, Void>("notes", initialState: "") { action, state, _ in
            guard case .write(let text) = action else { return .reject("Nothing is erased.") }
            state += text
            return .none
        }
        let journal = try openJournal(path)
        let store = try await journal.open(machine, stream: "a")
        let written = try await store.reply(to: .write(secret))
        let refused = try await store.reply(to: .erase)
        try await store.flush()
        #expect("\(written)" == "write: String → String")
        #expect("\(refused)" == "erase rejected in String: Nothing is erased.")
        let entry = try #require(try journal.reader.entries(in: "a").first)
        let title = "step 1 of 'a', dispatched at \(entry.time)"
        #expect("\(entry)" == "\(title): write")
        // A stored string can be a name or a value.
        let text = changed(entry) { $0.action = #""\#(secret)""# }
        #expect("\(text)" == title)
        let transition = Transition(
            stream: "a", step: 1, time: entry.time, origin: .dispatched, action: Note.write(secret), cascade: [],
            rejection: nil, isSkipped: true, before: "", after: secret)
        #expect("\(transition)" == "\(title): write, skipped")
        let replayed = try Replayer(machine, reader: journal.reader, stream: "a").step(2)
        #expect(
            "\(replayed)"
                == "step 2 of 'a', dispatched at \(replayed.entry.time): erase, rejected: Nothing is erased.")
        let snapshot = Snapshot(
            step: 1, version: 1, time: entry.time, isBase: false, digest: entry.digest, state: #""\#(secret)""#)
        #expect("\(snapshot)" == "snapshot of step 1, version 1, at \(entry.time): 13 bytes")
        try await journal.close()
    }

    @Test func `names and errors cannot begin a line or move the cursor of a terminal`() async throws {
        let journal = try openJournal(path)
        let stream = try await journal.openStream("a\n\u{1b}[2J", machine: "play")
        let entry = try await stream.append(#"{"start":{}}"#)
        #expect(entry.step == 1)
        let info = try journal.reader.stream("a\n\u{1b}[2J")
        #expect("\(info)" == #"stream 'a\n\u001b[2J' of the machine 'play', step 1"#)
        let run = EffectRun(
            stream: info.id, step: 1, ordinal: 0, rootStep: 1, name: "x\r", status: .failed,
            error: "It broke.\u{1b}[2J\nBadly.")
        #expect("\(run)" == #"'x\r' (1.0): failed: It broke.\u001b[2J"#)
        try await journal.close()
    }

    @Test func `a count of one has a singular`() {
        #expect("\(TransferReport([("stream", 1)], bytes: 1))" == "1 stream, 0 entries, 1 row, 1 byte")
        var recovery = RecoveryReport()
        (recovery.replayedSteps, recovery.skippedSnapshots) = (1, [JournalError(.corrupt, "It is damaged.")])
        #expect("\(recovery)" == "from the beginning, 1 step replayed, 1 snapshot skipped")
    }
}
