import Testing
import TortureKit

@testable import JournalStore

/// One machine in three versions: upcasters read what an older version wrote.
@Suite struct `Machine versions` {
    // Version 1: a bare amount, a bare sum.
    enum Action1: Codable, Sendable, Equatable { case put(Int) }
    // Version 2: cents.
    enum Action2: Codable, Sendable, Equatable { case put(cents: Int) }
    struct State2: Codable, Sendable, Equatable { var cents = 0 }
    // Version 3: an account, and a note.
    enum Action3: Codable, Sendable, Equatable { case put(cents: Int, note: String) }
    struct State3: Codable, Sendable, Equatable {
        var cents = 0
        var notes: [String] = []
    }

    let one = Machine<Action1, Int, Void>("purse", version: 1, initialState: 0) { sum, action in
        if case .put(let amount) = action { sum += amount }
    }

    var two: Machine<Action2, State2, Void> {
        Machine<Action2, State2, Void>("purse", version: 2, initialState: State2()) { state, action in
            if case .put(let cents) = action { state.cents += cents }
        }
        .upcasting(actionsFrom: 1) { (old: Action1) -> Action2 in
            switch old {
            case .put(let amount): .put(cents: amount * 100)
            }
        }
        .upcasting(statesFrom: 1) { (old: Int) in State2(cents: old * 100) }
    }

    var three: Machine<Action3, State3, Void> {
        Machine<Action3, State3, Void>("purse", version: 3, initialState: State3()) { state, action in
            if case .put(let cents, let note) = action {
                state.cents += cents
                if !note.isEmpty { state.notes.append(note) }
            }
        }
        .upcasting(actionTextsFrom: 1) { text in text.replacingOccurrences("{\"_0\":", "{\"cents\":", "00}}") }
        .upcasting(actionsFrom: 2) { (old: Action2) -> Action3 in
            switch old {
            case .put(let cents): .put(cents: cents, note: "")
            }
        }
        .upcasting(statesFrom: 1) { (old: Int) in State2(cents: old * 100) }
        .upcasting(statesFrom: 2) { (old: State2) in State3(cents: old.cents) }
    }

    @Test(arguments: ["none", "2", "3"])
    func `version 3 opens and replays a journal of version 1, from a snapshot of any version`(
        _ snapshot: String
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        var journal = try openJournal(path)
        let first = try await journal.open(one, stream: "a")
        try await first.dispatch(.put(1))
        try await first.dispatch(.put(2))
        try await first.close()
        let second = try await journal.open(two, stream: "a")
        #expect(second.state == State2(cents: 300))
        // From the snapshot of version 1, which is a base of version 2 from now on.
        #expect(second.recovery.snapshotStep == 2)
        #expect(second.recovery.baseStep == 2)
        try await second.dispatch(.put(cents: 50))
        try await second.close()
        if snapshot == "3" {
            let third = try await journal.open(three, stream: "a")
            try await third.dispatch(.put(cents: 0, note: ""))
            try await third.close()
        }
        try await journal.close()
        let shell = try Shell(path)
        #expect(
            try shell("SELECT version FROM snapshot ORDER BY step")
                == (snapshot == "3" ? ["2", "3", "3"] : ["2", "2"]))
        try shell.change("DELETE FROM snapshot WHERE version != \(Int(snapshot) ?? 0)")

        journal = try openJournal(path)
        let third = try await journal.open(three, stream: "a")
        #expect(third.state == State3(cents: 350))
        #expect(third.recovery.snapshotStep == ["none": 0, "2": 3, "3": 4][snapshot])
        try await third.dispatch(.put(cents: 5, note: "new"))
        #expect(third.state == State3(cents: 355, notes: ["new"]))
        // The same in a replay from the start.
        var cents: [Int] = []
        for try await transition in third.transitions(from: 1) {
            cents.append(transition.after.cents)
            if transition.after.cents == 355 { break }
        }
        #expect(cents.prefix(3) == [100, 300, 350])
        #expect(
            try Shell(path, readOnly: true)("SELECT version FROM entry ORDER BY step").prefix(3) == ["1", "1", "2"])
        try await journal.close()
    }

    @Test func `the error of a missing or failing upcaster names the step and the version`() async throws {
        struct Odd: Error {}
        let journal = try Journal.inMemory()
        let first = try await journal.open(one, stream: "a")
        try await first.dispatch(.put(1))
        try await first.close()
        let bare = Machine<Action3, State3, Void>("purse", version: 3, initialState: State3(), update: { _, _ in })
        let gap = bare.upcasting(actionTextsFrom: 1) { $0 }
        let missing = await journalError { try await journal.open(gap, stream: "a") }
        #expect(missing?.code == .noUpcaster)
        #expect(missing?.step == 1)
        #expect(missing?.description.contains("no upcaster from version 2") == true)
        #expect(missing?.description.contains("upcasting(actionsFrom: 2)") == true)
        let failing = gap.upcasting(actionTextsFrom: 2) { _ in throw Odd() }
        let failed = await journalError { try await journal.open(failing, stream: "a") }
        #expect(failed?.code == .noUpcaster)
        #expect(failed?.step == 1)
        #expect(failed?.description.contains("upcaster from version 2 failed") == true)
        let wrong = gap.upcasting(actionTextsFrom: 2) { $0 }
        let undecodable = await journalError { try await journal.open(wrong, stream: "a") }
        #expect(undecodable?.code == .notDecodable)
        #expect(undecodable?.step == 1)
        #expect(undecodable?.description.contains("`replacingAction`") == true)
        // The failed openings changed nothing.
        #expect(try await journal.open(one, stream: "a").state == 1)
    }
}

extension String {
    /// `{"put":{"_0":3}}` to `{"put":{"cents":300}}`, by hand.
    fileprivate func replacingOccurrences(_ old: String, _ new: String, _ end: String) -> String {
        guard let range = firstRange(of: old) else { return self }
        return String(self[..<range.lowerBound]) + new + String(self[range.upperBound...].dropLast(2)) + end
    }
}
