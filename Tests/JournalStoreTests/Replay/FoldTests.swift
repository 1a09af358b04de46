import Dispatch
import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// A fold reads in two ways: only the actions, or each step with its entry. Both must have the same result.
@Suite struct `A fold`: AtDesk {
    let desk: Desk
    init() throws { desk = try Desk() }

    private func machine(_ version: Int = 1, codec: any Codec = JSONCodec()) -> Machine<String, [String], Void> {
        var machine = Machine<String, [String], Void>("m", version: version, initialState: []) {
            action, state, _, step in
            state.append(
                "\(step.number) \(step.date.timeIntervalSince1970) \(step.next()) \(action.prefix(5)) \(action.utf8.count)"
            )
            return .none
        }
        machine.codec = codec
        return machine
    }

    /// Folds in each way, and with both ways mixed.
    @discardableResult
    private func checkThatAllAgree(
        _ machine: Machine<String, [String], Void>, steps: Int, _ hypothesis: Hypothesis<String> = Hypothesis()
    ) throws -> [String] {
        let reader = try JournalReader(path: path)
        let program = Program(machine, environment: (), checksCoding: false)
        func begun() throws -> Fold<String, [String]> {
            try Fold(program, reader, reader.stream("a"), atOrBefore: 0, hypothesis: hypothesis)
        }
        var (plain, whole, both) = (try begun(), try begun(), try begun())
        try plain.advance(to: steps)
        while try whole.next() != nil {}
        for step in 1...steps {
            if step.isMultiple(of: 3) { _ = try both.next() } else { try both.advance(to: step) }
        }
        #expect(plain.state.count == steps - hypothesis.skipped.count)
        #expect(plain.state == whole.state)
        #expect(both.state == whole.state)
        #expect(try !plain.pass(towards: steps + 1))
        return plain.state
    }

    @Test func `a fold reads several pages`() async throws {
        let journal = try openJournal(path)
        let store = try await journal.open(machine(), stream: "a")
        try await store.dispatch(contentsOf: (1...1_300).map { "é\($0)" })
        try checkThatAllAgree(machine(), steps: 1_300)
        try await journal.close()
    }

    @Test func `a fold reads actions of which few fill a page`() async throws {
        let journal = try openJournal(path)
        let store = try await journal.open(machine(), stream: "a")
        for size in [400_000, 700_000, 1, 1_100_000, 2_000_000, 3] {
            try await store.dispatch(String(repeating: "x", count: size))
        }
        try checkThatAllAgree(machine(), steps: 6)
        try await journal.close()
    }

    @Test func `a fold decodes actions with a custom codec`() async throws {
        let journal = try openJournal(path)
        let store = try await journal.open(machine(codec: ReversedCodec()), stream: "a")
        try await store.dispatch(contentsOf: ["one", "tw\u{0}o", "\u{1F600}"])
        #expect(try sql("SELECT action FROM entry WHERE step = 1") == [#""eno""#])
        try checkThatAllAgree(machine(codec: ReversedCodec()), steps: 3)
        try await journal.close()
    }

    @Test func `a fold reads entries of an older version before those of the current one`() async throws {
        let journal = try openJournal(path)
        var store = try await journal.open(machine(), stream: "a")
        try await store.dispatch(contentsOf: ["one", "two"])
        try await store.close()
        let newer = machine(2).upcasting(actionTextsFrom: 1) { $0.replacing("o", with: "0") }
            .upcasting(stateTextsFrom: 1) { $0 }
        store = try await journal.open(newer, stream: "a")
        try await store.dispatch("two")
        let states = try checkThatAllAgree(newer, steps: 3, Hypothesis(replaced: [1: "0ne"]))
        #expect(states.map { $0.split(separator: " ")[3] } == ["0ne", "tw0", "two"], "a hypothesis ignores the base")
        try await journal.close()
    }

    @Test func `a fold can replace the action of a step or skip the step`() async throws {
        let journal = try openJournal(path)
        let store = try await journal.open(machine(), stream: "a")
        try await store.dispatch(contentsOf: (1...20).map(String.init))
        let hypothesis = Hypothesis(skipped: [7], replaced: [1: "x", 18: "y"])
        let states = try checkThatAllAgree(machine(), steps: 20, hypothesis)
        #expect(states.map { $0.split(separator: " ")[3] }.joined() == "x2345689101112131415" + "1617y1920")
        try await journal.close()
    }

    @Test(arguments: [(of: 3, bad: 2), (of: 1_700, bad: 1_100)])
    func `a fold names the step whose action cannot be decoded, and stops before it`(
        history: (of: Int, bad: Int)
    ) async throws {
        let journal = try openJournal(path)
        let store = try await journal.open(machine(), stream: "a")
        try await store.dispatch(contentsOf: (1...history.of).map(String.init))
        try await journal.close()
        try Shell(path).change("UPDATE entry SET action = '{}' WHERE step = \(history.bad)", withEntries: true)
        let reader = try JournalReader(path: path)
        let program = Program(machine(), environment: (), checksCoding: false)
        var fold = try Fold(program, reader, reader.stream("a"), atOrBefore: 0)
        var other = fold
        func check(_ fold: Fold<String, [String]>, _ error: JournalError?) {
            #expect(error?.code == .notDecodable)
            #expect(error?.step == history.bad)
            #expect(error?.stream == "a")
            #expect(error?.file == path)
            #expect(fold.step == history.bad - 1)
        }
        // The next call throws the same error.
        for _ in 1...2 {
            let error = await journalError { try fold.advance(to: history.of) }
            check(fold, error)
            let otherError = await journalError { while try other.next() != nil {} }
            check(other, otherError)
        }
    }

    @Test func `copies of a fold continue from the same pages, each with all steps`() async throws {
        let journal = try openJournal(path)
        let store = try await journal.open(machine(), stream: "a")
        try await store.dispatch(contentsOf: (1...1_700).map(String.init))
        let reader = try JournalReader(path: path)
        let program = Program(machine(), environment: (), checksCoding: false)
        var fold = try Fold(program, reader, reader.stream("a"), atOrBefore: 0)
        var copies: [Fold<String, [String]>] = []
        for end in [1, 300, 512, 513, 900, 1_024, 1_200, 1_699] {
            while fold.step < end { _ = try fold.pass(towards: 1_700) }
            copies.append(fold)
        }
        for var copy in copies {
            try copy.advance(to: 1_700)
            #expect(copy.state == store.state)
        }
        try await journal.close()
    }

    // MARK: Decoding by another thread

    private enum Bad: Error { case text }

    private func rest<Action>(_ actions: DecodedActions<Action>) -> [Action] {
        var rest: [Action] = []
        while !actions.isEmpty { rest.append(actions.take()) }
        return rest
    }

    private func page(_ texts: [String]) -> StoredSteps {
        var page = StoredSteps()
        for (index, text) in texts.enumerated() {
            Array(text.utf8).withUnsafeBytes { bytes in
                page.append(
                    index + 1, position: index + 1, version: 1,
                    Appended.Stamp(time: Timestamp(microseconds: 0), digest: Digest(of: bytes)),
                    body: Digest(of: bytes), isProvisional: false, action: bytes)
            }
        }
        return page
    }

    @Test func `another thread decodes the actions up to the first that it cannot decode, for one taker`() async throws
    {
        let begun = DispatchSemaphore(value: 0)
        let ahead = DecodedAhead(page(["a", "b", "!", "d"])) { bytes, _ in
            begun.signal()
            if bytes.first == UInt8(ascii: "!") { throw Bad.text }
            return String(decoding: bytes, as: UTF8.self)
        }
        let taken = try await onThread {
            begun.wait()
            return (ahead.take().map(rest), ahead.take().map(rest))
        }
        #expect(taken.0 == ["a", "b"])
        #expect(taken.1 == nil)
    }

    @Test func `who takes the actions waits while another thread decodes them`() async throws {
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let ahead = DecodedAhead(page(["a"])) { _, _ in
            begun.signal()
            goOn.wait()
            return 1
        }
        try await onThread { begun.wait() }
        let taken = Box(0)
        @Sendable func take() -> [Int]? {
            defer { taken.change { $0 += 1 } }
            return ahead.take().map(rest)
        }
        async let first = onThread { take() }
        async let second = onThread { take() }
        while ahead.waiters < 2, taken.value == 0 { await Task.yield() }
        #expect(taken.value == 0)
        goOn.signal()
        let both = try await [first, second]
        #expect(both.compactMap(\.self) == [[1]])
    }
}
