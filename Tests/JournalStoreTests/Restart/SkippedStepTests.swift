import Testing

@testable import JournalStore

@Suite struct `Skipped steps` {
    let deaths: Deaths

    init() throws { deaths = try Deaths() }

    /// Three steps, of which the last two are not settled: the process was killed before their outcomes were recorded.
    private func killed() async throws -> Journal {
        let journal = try deaths.open()
        let store = try await journal.openPlay()
        try await store.dispatch(.add(1))
        try await store.close()
        let stream = try await journal.openStream("a", machine: "play")
        try await stream.append(contentsOf: [#"{"add":{"_0":10}}"#, #"{"add":{"_0":100}}"#])
        try await stream.close()
        try deaths.kill()
        try await journal.close()
        return try deaths.open()
    }

    @Test(arguments: [0, 1, 2, 3])
    func `a cursor does not count a step that is skipped after the cursor was made`(place: Int) async throws {
        let journal = try await killed()
        let replayer = try Replayer(play, environment: Stage(), reader: journal.reader, stream: "a")
        var cursor = try replayer.cursor(at: 3)
        try cursor.move(to: place)
        try await journal.skip(2, in: "a")
        while let step = try cursor.forward() { #expect(step.isSkipped == (step.step == 2)) }
        #expect(cursor.step == 3)
        try cursor.move(to: 3)
        #expect(cursor.state.sum == 101)
        try cursor.back()
        #expect(cursor.state.sum == 1)
        try await journal.close()
    }

    @Test func `a skipped step is not reduced by any opening or replay, and the steps after it are`() async throws {
        var journal = try await killed()
        try await journal.skip(2, in: "a", reason: "it traps")
        for _ in 0..<2 {
            let store = try await journal.openPlay(reduced: { _, step in #expect(step.number != 2) })
            #expect(store.state.sum == 101)
            var skipped: [Int] = []
            for try await transition in store.transitions(from: 1).prefix(3) where transition.isSkipped {
                skipped.append(transition.step)
                #expect(transition.before == transition.after)
            }
            #expect(skipped == [2])
            try await journal.close()
            try Shell(deaths.path)("DELETE FROM snapshot")
            journal = try deaths.open()
        }
        #expect(try deaths("SELECT outcome FROM journal") == ["reduced", "skipped", "reduced"])
        let acts = try journal.reader.interventions(in: "a")
        #expect(acts.map(\.act) == [.skip])
        #expect(acts.map(\.reason) == ["it traps"])
        #expect(try journal.reader.verify().isSound)
        try await journal.close()
    }

    /// Such as one of a newer version of the code, after a return to the older one.
    @Test(arguments: [1, 2], [2, 3])
    func `a skipped step whose action cannot be decoded stops no opening and no replay, and lists leave it out`(
        _ version: Int, _ place: Int
    ) async throws {
        var journal = try deaths.open()
        let first = try await journal.openPlay()
        try await first.dispatch(.add(1))
        try await first.close()
        let stream = try await journal.openStream("a", machine: "play")
        for step in 2...3 {
            if step == place {
                try await stream.append(#"{"gone":{}}"#, version: version)
            } else {
                try await stream.append(#"{"add":{"_0":100}}"#)
            }
        }
        try await stream.close()
        let code: JournalError.Code = version == 1 ? .notDecodable : .newerMachine
        #expect(await journalError { try await journal.openPlay() }?.code == code)

        try await journal.skip(place, in: "a")
        let decodable = [1, 5 - place]
        for _ in 0..<2 {
            let store = try await journal.openPlay()
            #expect(store.state.sum == 101)
            var seen: [Int] = []
            for try await transition in store.transitions(from: 1).prefix(2) { seen.append(transition.step) }
            #expect(seen == decodable)
            let replayer = try store.replayer()
            #expect(try replayer.verify().divergence == nil)
            #expect(try replayer.state(at: 3).sum == 101)
            #expect(try replayer.steps(1...3).map(\.step) == decodable)
            #expect(await journalError { try replayer.step(place) }?.code == code)
            var cursor = try replayer.cursor()
            var passed: [Int] = []
            while let step = try cursor.forward() { passed.append(step.step) }
            #expect(passed == decodable)
            #expect(cursor.step == 3)
            // The next opening and its replays begin with the first step.
            try await journal.close()
            try Shell(deaths.path)("DELETE FROM snapshot")
            journal = try deaths.open()
        }
        try await journal.close()
    }

    /// The opening that fails has reduced neither.
    @Test func `observers hear of a message before a step that cannot be decoded when that step is skipped`()
        async throws
    {
        let journal = try deaths.open()
        let stream = try await journal.openStream("a", machine: "play")
        try await stream.append(contentsOf: [#"{"add":{"_0":1}}"#, #"{"gone":{}}"#])
        try await stream.close()
        // As if they were messages that have arrived.
        journal.keepArrivals(in: stream.id, from: 1)
        let seen = Box<[Int]>([])
        let observer = Observer<Play, Score> { step in seen.change { $0.append(step.step) } }
        func open() async throws -> Store<Play, Score> {
            try await journal.open(play, stream: "a", environment: Stage(), observers: [observer])
        }
        #expect(await journalError { try await open() }?.code == .notDecodable)
        #expect(seen.value == [])
        try await journal.skip(2, in: "a")
        let store = try await open()
        #expect(seen.value == [1])
        #expect(store.state.sum == 1)
        try await journal.close()
    }

    @Test func `a snapshot with the state of a skipped step is dropped`() async throws {
        var journal = try await killed()
        let stream = try await journal.openStream("a", machine: "play")
        // A snapshot needs no record, so it can be written while the records of its step cannot.
        try await stream.saveSnapshot(#"{"drawn":[],"log":[],"sum":11}"#, at: 2)
        try await stream.close()
        try await journal.skip(2, in: "a")
        for _ in 0..<2 {
            let store = try await journal.openPlay()
            #expect(store.state.sum == 101)
            #expect(try store.replayer().verify().divergence == nil)
            try await journal.close()
            journal = try deaths.open()
        }
        try await journal.close()
    }

    @Test func `a step can be skipped only if it exists and is not settled`() async throws {
        let journal = try await killed()
        let settled = await journalError { try await journal.skip(1, in: "a") }
        #expect(settled?.code == .notInThatState)
        #expect(settled?.step == 1)
        #expect(settled?.advice == "There is nothing before it to fork: use another stream.")
        #expect(await journalError { try await journal.skip(4, in: "a") }?.code == .noSuchStep)
        #expect(await journalError { try await journal.skip(0, in: "a") }?.code == .noSuchStep)
        #expect(await journalError { try await journal.skip(2, in: "b") }?.code == .unknownStream)
        let store = try await journal.openPlay()
        #expect(await journalError { try await journal.skip(2, in: "a") }?.code == .streamOpen)
        #expect(store.state.sum == 111)
        try await store.close()
        let later = await journalError { try await journal.skip(2, in: "a") }
        #expect(later?.advice == "Fork the journal before this step instead.")
        try await journal.close()
    }
}
