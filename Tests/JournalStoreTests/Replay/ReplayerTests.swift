import JournalStore
import JournalTesting
import Testing
import TortureKit

@Suite struct `A replayer`: AtDesk {
    let desk: Desk
    init() throws { desk = try Desk() }

    private func replayer(_ stream: String = "a") throws -> Replayer<Posting, Account> {
        try Replayer(account, reader: JournalReader(path: path), stream: stream)
    }

    @Test(arguments: [nil, 3, 1])
    func `a replayer returns the store's state after each step, in any order`(everySteps: Int?) async throws {
        let states = try await liveAYear { $0.snapshots = SnapshotPolicy(everySteps: everySteps) }
        let replayer = try replayer()
        #expect(try replayer.lastStep == 12)
        #expect(states.count == 13)
        for step in [12, 0, 5, 6, 1, 11, 3, 12] { #expect(try replayer.state(at: step) == states[step]) }
    }

    @Test func `a replayer returns the state at a time`() async throws {
        let journal = try openJournal(path) { [clock] in $0.wallClock = clock.wallClock }
        let store = try await journal.open(account, stream: "a")
        let start = clock.wallClock()
        for amount in 1...3 {
            try await store.dispatch(.add(amount))
            clock.move(by: .seconds(10))
        }
        let replayer = try store.replayer()
        func balance(_ seconds: Int64) throws -> Int {
            try replayer.state(at: Timestamp(microseconds: start.microseconds + seconds * 1_000_000)).balance
        }
        #expect(try [-1, 0, 9, 10, 19, 20, 1_000].map(balance) == [0, 1, 1, 3, 3, 6, 6])
        try await journal.close()
    }

    @Test func `a replayer does not guess the state at a time that was pruned`() async throws {
        let journal = try openJournal(path) { [clock] in $0.wallClock = clock.wallClock }
        let start = clock.wallClock()
        for count in [2, 1] {
            let store = try await journal.open(account, stream: "a")
            for _ in 1...count {
                try await store.dispatch(.add(1))
                clock.move(by: .seconds(10))
            }
            // The close saves the state, which becomes the base.
            try await store.close()
        }
        #expect(try await journal.prune("a", before: 3).base == 2)
        let replayer = try Replayer(account, reader: journal.reader, stream: "a")
        func balance(_ seconds: Int64) throws -> Int {
            try replayer.state(at: Timestamp(microseconds: start.microseconds + seconds * 1_000_000)).balance
        }
        #expect(try balance(20) == 3)
        for seconds in [-1, 0, 15] as [Int64] {
            let error = #expect(throws: JournalError.self) { try balance(seconds) }
            #expect(error?.code == .noUsableSnapshot)
            #expect(error?.message.contains("the entries up to step 2 were pruned") == true)
        }
        try await journal.close()
    }

    @Test func `a replayer returns the states, the cascade and the effects of each step`() async throws {
        let states = try await liveAYear()
        let steps = try replayer().steps(1...100)
        #expect(steps.map(\.step) == Array(1...12))
        #expect(steps.map(\.before) == Array(states.dropLast()))
        #expect(steps.map(\.after) == Array(states.dropFirst()))
        #expect(steps[2].rejection == "not open")
        #expect(steps[4].cascade == [.add(1), .add(2)])
        #expect(steps[3].changes.description == "status: .new → .open(limit: 5)")
        #expect(
            steps[10].effects.map(\.description) == [
                #"{"run":"ask","id":{"String":"question"}}"#, #"{"ephemeral":"told"}"#,
            ])
        #expect(steps[11].entry.origin == .effect)
        #expect(try replayer().step(5).cascade == [.add(1), .add(2)])
    }

    @Test func `a replayer can skip a step or replace its action, whatever snapshots exist`() async throws {
        let states = try await liveAYear { $0.snapshots = SnapshotPolicy(everySteps: 2) }
        let replayer = try replayer()
        let without = try replayer.skipping(1).state(at: 12)
        #expect(without.balance == states[12].balance - 10)
        // The random values are the same.
        #expect(without.luck == states[12].luck)
        #expect(try replayer.skipping(1).step(1).isSkipped)
        #expect(try replayer.skipping(7).state(at: 6) == states[6])
        let other = replayer.replacing(1, with: .add(1_000))
        #expect(try other.state(at: 12).balance == states[12].balance + 990)
        #expect(try other.skipping(5).state(at: 12).balance == states[12].balance + 987)
        #expect(try other.step(1).action == .add(1_000))
        #expect(try replayer.state(at: 12) == states[12])
    }

    @Test func `a replayer ignores a base after a step that it skips`() async throws {
        let states = try await liveAYear()
        let journal = try openJournal(path)
        let stream = try await journal.openStream("a", machine: "account")
        let state = #"{"answers":[],"balance":500,"labels":[],"lines":[],"luck":[],"status":{"new":{}}}"#
        try await stream.saveSnapshot(state, at: 5, isBase: true)
        try await journal.close()
        let replayer = try replayer()
        // The base is truth, and the steps after it continue from there.
        #expect(try replayer.state(at: 5).balance == 500)
        #expect(try replayer.state(at: 7).balance == 480)
        #expect(try replayer.step(5).before == states[4])
        #expect(try replayer.step(5).after == states[5])
        #expect(try replayer.step(6).before.balance == 500)
        #expect(try replayer.skipping(7).state(at: 7).balance == 500)
        #expect(try replayer.skipping(1).state(at: 7).balance == states[7].balance - 10)
        #expect(try replayer.skipping(.min).state(at: 7) == states[7])
    }

    @Test(arguments: [false, true])
    func `a replayer finds the first step at which a condition holds`(scans: Bool) async throws {
        _ = try await liveAYear()
        let replayer = try replayer()
        func first(_ condition: (Account) -> Bool) throws -> Int? {
            try replayer.firstStep(scanning: scans, where: condition)
        }
        #expect(try first { $0.balance < 0 } == 7)
        #expect(try first { $0.luck.count >= 2 } == 9)
        #expect(try first { _ in true } == 0)
        #expect(try first { !$0.answers.isEmpty } == 12)
        #expect(try first { $0.balance > 1_000 } == nil)
    }

    @Test func `a replayer finds the first step by bisection, unless it scans`() async throws {
        _ = try await liveAYear(times: 100)
        var looks = 0
        let found = try replayer().firstStep {
            looks += 1
            return $0.lines.count >= 1_234
        }
        #expect(found == nil)
        #expect(looks == 1)
        looks = 0
        let step = try replayer().firstStep {
            looks += 1
            return $0.lines.count >= 123
        }
        #expect(try replayer().state(at: try #require(step)).lines.count == 123)
        #expect(looks <= 11)
    }

    @Test func `a replayer that scans finds a condition that holds for a while, also before damage`() async throws {
        let states = try await liveAYear()
        func isThere(_ state: Account) -> Bool { state == states[5] }
        #expect(try replayer().firstStep(where: isThere) == nil)
        #expect(try replayer().firstStep(scanning: true, where: isThere) == 5)
        #expect(try replayer().firstStep(in: 5...12, scanning: true, where: isThere) == 5)
        #expect(try replayer().firstStep(in: 6...12, scanning: true, where: isThere) == nil)
        #expect(try replayer().firstStep(in: 0...4, scanning: true, where: isThere) == nil)
        try Shell(path)("DELETE FROM snapshot; UPDATE entry SET origin = 99 WHERE step = 8")
        #expect(try replayer().firstStep(in: 0...12, scanning: true, where: isThere) == 5)
        let error = await journalError { try replayer().firstStep(in: 0...12, scanning: true) { _ in false } }
        #expect(error?.code == .corrupt)
    }

    @Test func `a replayer refuses a missing step, a missing stream and another machine`() async throws {
        _ = try await liveAYear()
        let replayer = try replayer()
        for (step, message) in [(13, "The stream ends at step 12."), (-1, "There is no such step.")] {
            let error = await journalError { try replayer.state(at: step) }
            #expect(error?.code == .noSuchStep)
            #expect(error?.step == step)
            #expect(error?.stream == "a")
            #expect(error?.message == message)
        }
        #expect(await journalError { try replayer.step(0) }?.code == .noSuchStep)
        #expect(await journalError { try replayer.step(13) }?.code == .noSuchStep)
        for scanning in [false, true] {
            let error = await journalError { try replayer.firstStep(in: 1...13, scanning: scanning) { _ in false } }
            #expect(error?.code == .noSuchStep)
        }
        #expect(try replayer.steps(12...20).map(\.step) == [12], "those after the end are left out")
        #expect(try replayer.steps(13...20).isEmpty)
        #expect(try replayer.steps(14...20).isEmpty)
        #expect(await journalError { try self.replayer("b") }?.code == .unknownStream)
        let other = Machine<Int, Int, Void>("other", initialState: 0) { $0 += $1 }
        let error = await journalError {
            try Replayer(other, reader: JournalReader(path: path), stream: "a")
        }
        #expect(error?.code == .otherMachine)
    }

    @Test func `a replayer reports its progress, and stops when its task is cancelled`() async throws {
        _ = try await liveAYear(times: 250)
        let told = Box<[Int]>([])
        let reader = try JournalReader(path: path)
        let replayer = try Replayer(account, reader: reader, stream: "a") { progress in
            told.change { $0.append(progress.step) }
            #expect(progress.last == 2_502)
            if progress.step > 2_000 { withUnsafeCurrentTask { $0?.cancel() } }
        }
        let error = await Task { await journalError { try replayer.state(at: 2_502) } }.value
        #expect(error?.code == .cancelled)
        #expect(error?.step == 2_047)
        #expect(told.value == [1_023, 2_047])
    }

    @Test func `a replayer covers no step before the base of a pruning`() async throws {
        let states = try await liveAYear(times: 3) { $0.snapshots = SnapshotPolicy(everySteps: 10, onClose: false) }
        let journal = try openJournal(path)
        let base = try await journal.prune("a", before: 25).base
        try await journal.close()
        let replayer = try replayer()
        #expect(try replayer.replayableSteps() == base...32)
        // The base is a state, and no step.
        #expect(try replayer.steps(replayer.replayableSteps()).map(\.entry.step) == Array(base + 1...32))
        #expect(try replayer.state(at: base) == states[base])
        #expect(try replayer.state(at: 31) == states[31])
        #expect(await journalError { try replayer.state(at: base - 1) }?.code == .noUsableSnapshot)
        #expect(try replayer.firstStep { $0.balance == states[base].balance } == nil)
        #expect(try replayer.verify().isFaithful)
    }

    /// A live effect of the first step keeps its entry, so a replay begins there.
    @Test func `an error about pruned steps names the step that was asked for`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("b.db")) { $0.snapshots = SnapshotPolicy(everySteps: 20) }
        let store = try await journal.openPlay { name in
            .run(name) {
                try await forever()
                return nil
            }
        }
        try await store.dispatch(.start("x"))
        for _ in 1...50 { try await store.dispatch(.add(1)) }
        try await store.flush()
        let base = try await journal.prune("a", before: 30).base
        let replayer = try store.replayer()
        for step in [3, base - 1] {
            let error = await journalError { try replayer.state(at: step) }
            #expect(error?.code == .noUsableSnapshot && error?.step == step, "\(String(describing: error))")
        }
        // The entry of step 1 is kept, and those after it are not.
        let error = await journalError { try replayer.states(at: 1, thenAt: base + 1) }
        #expect(error?.code == .noUsableSnapshot && error?.step == 1, "\(String(describing: error))")
        try await journal.close()
    }

    @Test func `an error about pruned steps names the first that is left`() async throws {
        _ = try await liveAYear(times: 3) { $0.snapshots = SnapshotPolicy(everySteps: 10, onClose: false) }
        let journal = try openJournal(path)
        let base = try await journal.prune("a", before: 25).base
        try await journal.close()
        let replayer = try replayer()
        for step in [1, 5, base] {
            let errors = [
                await journalError { try replayer.step(step) },
                await journalError { try replayer.steps(step...step + 1) },
            ]
            for error in errors.prefix(step == base ? 1 : 2) {
                #expect(error?.code == .noUsableSnapshot && error?.step == step, "\(String(describing: error))")
                #expect(error?.advice.hasPrefix("The state after step \(base) and all later steps are left") == true)
            }
        }
    }
}
