import Foundation
import JournalStore
import JournalTesting
import Testing
import TortureKit

@testable import JournalReplayKit

private enum Job: Codable, Sendable, Equatable {
    case begin, done, withdrawn
}

/// A job that runs until an operator cancels it.
private let job = Machine<Job, Int, Void>("job", initialState: 0) { action, state, _ in
    state += 1
    guard action == .begin else { return .none }
    return .run("work") { context in
        try await context.clock.sleep(for: .seconds(3600))
        return .done
    }.onCancel(.withdrawn)
}

/// Jobs that run one after the other.
private let jobs = Machine<Job, Int, Void>("jobs", initialState: 0) { action, state, _ in
    .run("work", queue: OneAtATime()) { context in
        try await context.clock.sleep(for: .seconds(3600))
        return .done
    }
}

private struct OneAtATime: EffectQueue {
    var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 1, .suspendNew) }
}

@Suite struct `Operators of a running app` {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    private func sql(_ query: String) async throws -> [String] {
        try await Tool.run(program: "/usr/bin/env", ["sqlite3", "-readonly", path, query]).lines
    }

    private func act(_ kind: Intervention.Act, _ stream: String) throws -> OperatorAct {
        let reader = try JournalReader(path: path)
        let run = try #require(try reader.effectRun(RunKey(step: 1), in: stream))
        return try OperatorAct(kind, on: run, of: stream, reader)
    }

    @Test func `cancel acts in the app at once, and records who did it and why`() async throws {
        let journal = try Journal(path: path)
        let store = try await journal.open(job, stream: "a")
        try await store.dispatch(.begin)
        try await store.flush()
        let result = try await Tool.run(
            "cancel", path, "a", "1.0", "--yes", "--reason", "customer called", "--wait", "600")
        #expect(result.output == "Cancelled effect 1.0 'work' (running) of the stream 'a'.\n")
        #expect(result.error == "")
        await store.join()
        #expect(store.state == 2)
        #expect(
            try await sql("SELECT act, before, reason, user FROM intervention") == [
                "cancel|running|customer called|\(UserName.current)"
            ])
        #expect(try await sql("SELECT name FROM journal") == ["begin", "withdrawn"])
        let again = try await Tool.run("retry", path, "a", "1.0", "--yes", "--wait", "600")
        #expect(again.output == "Will run again: effect 1.0 'work' (cancelled) of the stream 'a'.\n")
        #expect(try await store.liveRuns().map(\.status) == [.running])
        try await journal.close()
    }

    @Test func `the status before an act is the recorded one: an earlier act can have started the effect`() async throws
    {
        let journal = try Journal(path: path)
        let store = try await journal.open(jobs, stream: "a")
        for _ in 0..<3 { try await store.dispatch(.begin) }
        try await store.flush()
        #expect(try await store.liveRuns().map(\.status) == [.running, .waiting, .waiting])
        let reader = try JournalReader(path: path)
        let acts = try acts(.cancel, reader)
        var told: [EffectRun.Status?] = []
        try await Operator(reader: reader, patience: .seconds(600)).carryOut(acts, reason: nil) { act, _ in
            told.append(act.before)
        }
        #expect(told == [.running, .running, .running])
        #expect(try await sql("SELECT before FROM intervention ORDER BY id") == ["running", "running", "running"])
        try await journal.close()
    }

    @Test func `a bulk cancel begins with what waits, so that a queue starts none of it`() async throws {
        let journal = try Journal(path: path)
        let store = try await journal.open(jobs, stream: "a")
        for _ in 0..<3 { try await store.dispatch(.begin) }
        try await store.flush()
        let result = try await Tool.run("cancel", path, "--name", "work", "--yes", "--json", "--wait", "600")
        let told = try objects(result.output).map { $0["before"] as? String }
        #expect(told == ["waiting", "waiting", "running"])
        try await store.flush()
        #expect(
            try await sql("SELECT step, status, attempts FROM effects ORDER BY step") == [
                "1|cancelled|1", "2|cancelled|0", "3|cancelled|0",
            ])
        try await journal.close()
    }

    @Test func `an act on a stream that is closed is recorded by the app that holds the journal`() async throws {
        let (journal, clock) = (try Journal(path: path), ManualClock())
        let store = try await journal.open(job, stream: "a", clock: clock)
        try await store.dispatch(.begin)
        await clock.sleepers(1)
        try await store.close()
        let result = try await Tool.run("cancel", path, "a", "1.0", "--yes", "--wait", "600")
        let pending = "Will be cancelled at the next opening, which sends its cancel action: effect"
        #expect(result.output == "\(pending) 1.0 'work' (running) of the stream 'a'.\n")
        let again = try await journal.open(job, stream: "a")
        await again.join()
        #expect(again.state == 2)
        try await journal.close()
    }

    @Test func `cancel in a file that no app holds tells that the opening sends the cancel actions`() async throws {
        let (journal, clock) = (try Journal(path: path), ManualClock())
        let store = try await journal.open(job, stream: "a", clock: clock)
        for _ in 0..<4 { try await store.dispatch(.begin) }
        await clock.sleepers(4)
        try await store.close()
        try await journal.close()
        let pending = "Will be cancelled at the next opening, which sends its cancel action: effect"
        let one = try await Tool.run("cancel", path, "a", "1.0", "--yes", "--wait", "600")
        #expect(one.output == "\(pending) 1.0 'work' (running) of the stream 'a'.\n")
        let json = try await Tool.run("cancel", path, "a", "2.0", "--yes", "--json", "--wait", "600")
        #expect(try objects(json.output).first?["waitsForOpening"] as? Bool == true)
        let rest = try await Tool.run("cancel", path, "--status", "running", "--yes", "--wait", "600")
        #expect(
            rest.lines == [
                "\(pending) 3.0 'work' (running) of the stream 'a'.",
                "\(pending) 4.0 'work' (running) of the stream 'a'.",
                "Cancelled 2 effects, 2 of them at the next opening.",
            ])
        let reopened = try Journal(path: path)
        let again = try await reopened.open(job, stream: "a")
        await again.join()
        #expect(again.state == 8)
        try await reopened.close()
    }

    @Test func `retry of a running effect is possible in an app that has its stream not open`() async throws {
        let clock = ManualClock()
        var journal = try Journal(path: path)
        let store = try await journal.open(job, stream: "a", clock: clock)
        try await store.dispatch(.begin)
        await clock.sleepers(1)
        try await store.close()
        try await journal.close()
        journal = try Journal(path: path)
        let done = try await Tool.run("retry", path, "a", "1.0", "--yes", "--wait", "600")
        #expect(done.output == "Will run again: effect 1.0 'work' (running) of the stream 'a'.\n", "\(done)")
        #expect(try journal.reader.effectRun(RunKey(step: 1, ordinal: 0), in: "a")?.status == .waiting)
        try await journal.close()
    }

    @Test func `retry starts a running effect again only in a file that no app holds, whatever its restart policy is`()
        async throws
    {
        let journal = try Journal(path: path)
        let store = try await journal.open(job, stream: "a")
        try await store.dispatch(.begin)
        try await store.flush()
        let possible = try await Tool.run("retry", path, "a", "1.0", "--wait", "600")
        #expect(possible.output.contains("The app that has the journal open refuses this if the effect runs there."))
        let refused = try await Tool.run("retry", path, "a", "1.0", "--yes", "--wait", "600")
        #expect(refused.status == 1)
        #expect(refused.error.contains("is running. Cancel it first, or let it end."), "\(refused)")
        try await store.close()
        try await journal.close()
        let planned = try await Tool.run("retry", path, "a", "1.0", "--wait", "600")
        #expect(
            planned.output.hasPrefix("Would retry effect 1.0 'work' (running) of the stream 'a'. Nothing was changed"),
            "\(planned)")
    }

    @Test func `a host opens a closed stream for an act`() async throws {
        let journal = try Journal(path: path)
        let store = try await journal.open(job, stream: "a")
        try await store.dispatch(.begin)
        try await store.cancel(RunKey(step: 1))
        try await store.close()
        let host = try journal.host(job)
        _ = await host.recovery()
        #expect(host.openStreams == 0)
        let result = try await Tool.run("retry", path, "a", "1.0", "--yes", "--wait", "600")
        #expect(result.output == "Will run again: effect 1.0 'work' (cancelled) of the stream 'a'.\n")
        #expect(host.openStreams == 1)
        #expect(try await host.store(for: "a").liveRuns().map(\.status) == [.running])
        try await journal.close()
    }

    @Test func `of two operators with the same act one does it, and the other is told`() async throws {
        let journal = try Journal(path: path)
        let store = try await journal.open(job, stream: "a")
        for _ in 0..<20 { try await store.dispatch(.begin) }
        try await store.flush()
        for step in 1...20 {
            async let one = Tool.run("cancel", path, "a", "\(step)", "--yes", "--reason", "one", "--wait", "600")
            async let two = Tool.run("cancel", path, "a", "\(step)", "--yes", "--reason", "two", "--wait", "600")
            let results = try await [one, two]
            #expect(results.map(\.status).sorted() == [0, 1])
            #expect(results.map(\.error).joined().contains("There is nothing to cancel."))
        }
        #expect(try await sql("SELECT count(*) FROM intervention") == ["20"])
        await store.join()
        #expect(store.state == 40)
        try await journal.close()
    }

    @Test func `operators who act at the same time without an app wait for each other`() async throws {
        let journal = try Journal(path: path)
        let store = try await journal.open(job, stream: "a")
        for _ in 0..<8 { try await store.dispatch(.begin) }
        try await store.close()
        try await journal.close()
        let results = try await withThrowingTaskGroup(of: Tool.Result.self) { [path] group in
            for step in 1...8 {
                group.addTask { try await Tool.run("cancel", path, "a", "\(step)", "--yes", "--wait", "600") }
            }
            return try await group.reduce(into: [Tool.Result]()) { $0.append($1) }
        }
        #expect(results.allSatisfy { $0.status == 0 }, "\(results)")
        #expect(try await sql("SELECT count(*) FROM intervention") == ["8"])
    }

    /// The act on the effects of the first three steps.
    private func acts(_ act: Intervention.Act, _ reader: JournalReader) throws -> [OperatorAct] {
        try (1...3).map { step in
            let run = try #require(try reader.effectRun(RunKey(step: step), in: "a"))
            return try OperatorAct(act, on: run, of: "a", reader)
        }
    }

    @Test func `a bulk act leaves out what ended meanwhile`() async throws {
        let journal = try Journal(path: path)
        let store = try await journal.open(job, stream: "a")
        for _ in 0..<3 { try await store.dispatch(.begin) }
        try await store.flush()
        let reader = try JournalReader(path: path)
        let acts = try acts(.cancel, reader)
        try await store.cancel(RunKey(step: 2))
        var done: [String] = []
        try await Operator(reader: reader, patience: .seconds(600)).carryOut(acts, reason: nil) {
            done.append("\($0.step) \($1?.code.rawValue ?? "")")
        }
        #expect(done == ["1 ", "2 not-in-that-state", "3 "])
        try await journal.close()
    }

    @Test func `a bulk act without an app lets others open the journal meanwhile`() async throws {
        let journal = try Journal(path: path)
        let store = try await journal.open(job, stream: "a")
        for _ in 0..<3 { try await store.dispatch(.begin) }
        try await journal.close()
        let reader = try JournalReader(path: path)
        let acts = try acts(.cancel, reader)
        var done: [Int] = []
        try await Operator(reader: reader, turn: .zero, pause: .zero).carryOut(acts, reason: nil) { act, _ in
            done.append(act.step)
        }
        #expect(done == [1, 2, 3])
        // The app's opening, and one for each act.
        #expect(try await sql("SELECT epoch FROM writer") == ["4"])
    }

    @Test func `a bulk act goes on after an effect that the code does not return any more`() async throws {
        struct Down: Error {}
        let failing: @Sendable (Bool) -> Machine<Job, Int, Void> = { returnsFirst in
            Machine<Job, Int, Void>("job", initialState: 0) { action, state, _ in
                state += 1
                guard action == .begin, returnsFirst || state > 1 else { return .none }
                return .run("work \(state)") { _ in throw Down() }
            }
        }
        var options = Journal.Options()
        options.report = { _ in }
        let first = try Journal(path: path, options: options)
        let old = try await first.open(failing(true), stream: "a")
        for _ in 1...3 { try await old.dispatch(.begin).completion() }
        try await first.close()
        let second = try Journal(path: path, options: options)
        let new = try await second.open(failing(false), stream: "a")
        let reader = try JournalReader(path: path)
        let acts = try acts(.retry, reader)
        var done: [String] = []
        try await Operator(reader: reader, patience: .seconds(600)).carryOut(acts, reason: nil) {
            done.append("\($0.step) \($1?.code.rawValue ?? "")")
        }
        #expect(done == ["1 other-effects", "2 ", "3 "])
        let result = try await Tool.run("retry", path, "a", "--name", "work 1", "--yes", "--wait", "600")
        #expect(result.status == 1)
        #expect(result.error.contains("Left out, stream 'a': "))
        // The others have failed again, and run again. A script must still notice the first.
        await new.join()
        try await new.flush()
        let rest = try await Tool.run("retry", path, "a", "--status", "failed", "--yes", "--wait", "600")
        #expect(rest.lines.last == "Will run again: 2 effects.", "\(rest)")
        #expect(rest.status == 1)
        try await new.close()
        try await second.close()
    }

    @Test func `a command that writes reports what its opening has found, and leaves the rest to the app`() async throws
    {
        let journal = try Journal(path: path)
        let store = try await journal.open(job, stream: "a")
        try await store.dispatch(.begin)
        try await journal.close()
        try FileManager.default.removeItem(atPath: path + "-lock")
        let result = try await Tool.run("cancel", path, "a", "1.0", "--yes")
        #expect(result.status == 0)
        #expect(result.error.contains("Warning: "))
        #expect(result.error.contains("Its -lock file is new"))
        // And not `acknowledged-entries-lost`.
        #expect(result.error.contains("[nothing-remembered]"))
    }

    @Test func `an app that does not listen is named`() async throws {
        var options = Journal.Options()
        options.acceptsOperators = false
        let journal = try Journal(path: path, options: options)
        let store = try await journal.open(job, stream: "a")
        try await store.dispatch(.begin)
        try await store.flush()
        let result = try await Tool.run("cancel", path, "a", "1.0", "--yes", "--wait", "1")
        #expect(result.status == 1)
        #expect(
            result.error.contains(
                "Process \(ProcessInfo.processInfo.processIdentifier) holds the journal and does not listen"))
        #expect(result.error.contains("If it is an app, act through it, or stop it first."))
        // An error of the first of several acts says nothing about the others.
        for _ in 0..<2 { try await store.dispatch(.begin) }
        try await store.flush()
        let several = try await Tool.run("cancel", path, "--name", "work", "--yes", "--wait", "1")
        #expect(several.status == 1)
        #expect(
            several.error.hasPrefix("Warning: Stopped at the first of 3 effects: nothing was done to the others.\n"),
            "\(several.error)")
        try await journal.close()
    }

    @Test func `a stopped app is reported in time, and does not act later`() async throws {
        let app = try Child(Tool.app, ["desk", path, "/dev/null"])
        defer { app.kill() }
        #expect(app.line() == "open")
        let reader = try JournalReader(path: path)
        let holder = try #require(try JournalHolder(of: path))
        let client = OperatorClient(file: path, holder: holder, patience: .seconds(600))
        // Until it has a stream with an effect.
        var live: RunKey?
        while live == nil {
            live = try reader.streams().first.flatMap { try reader.effectRuns(in: $0.name).first?.key }
            await Task.yield()
        }
        app.signal(SIGSTOP)
        // Until all of its threads have stopped.
        var status: Int32 = 0
        #expect(waitpid(app.identifier, &status, WUNTRACED) == app.identifier)
        let stream = try #require(try reader.streams().first?.name)
        let request = OperatorRequest.Act(.cancel, stream: stream, step: 1, ordinal: 0, reason: nil)
        var hasty = client
        hasty.patience = .milliseconds(200)
        do {
            _ = try await hasty.answer(to: request)
            Issue.record("It answered.")
        } catch {
            #expect(error.code == .noAnswer)
            #expect(error.message.hasPrefix("Process \(app.identifier) holds the journal and did not answer within"))
            #expect(error.advice.contains("can still carry out one that has arrived"), "\(error.advice)")
        }
        app.signal(SIGCONT)
        // Connections are answered in order.
        #expect(try await client.answer(to: nil)?.metrics?.process == Int(app.identifier))
        #expect(try await sql("SELECT count(*) FROM intervention") == ["0"])
    }

    // MARK: top

    @Test func `top shows rates, effects and sizes`() async throws {
        let journal = try Journal(path: path)
        let store = try await journal.open(job, stream: "a")
        try await store.dispatch(.begin)
        try await store.flush()
        let text = try await Tool.run("top", path, "-n", "1", "--wait", "600")
        #expect(text.status == 0)
        #expect(text.lines.first == "Journal   \(path)")
        #expect(text.lines.contains("Effects   1 running"))
        #expect(text.lines.contains("Streams   1 open"))
        let json = try await Tool.run("top", path, "--json", "-n", "2", "--wait", "600")
        #expect(try keys(ofFirstLine: json.output) == Command.top.keys.map(\.name))
        #expect(try objects(json.output).count == 2)
        #expect(try objects(json.output)[0]["liveEffects"] as? [String: Int] == ["running": 1])
        let prometheus = try await Tool.run("top", path, "--prometheus", "--wait", "600")
        #expect(prometheus.lines.contains("journal_live_effects{status=\"running\"} 1"))
        #expect(prometheus.lines.contains("journal_dispatched_total 1"))
        try await journal.close()
        let closed = try await Tool.run("top", path)
        #expect(closed.status == 1)
        #expect(closed.error.contains("No process holds the journal."))
    }

    @Test(arguments: [
        (["--json"], "--json"), (["-n", "2"], "--count"), (["--count=2"], "--count"),
        (["--interval", "5"], "--interval"),
    ])
    func `top --prometheus prints one reading and excludes other options`(words: [String], name: String) async throws {
        let journal = try Journal(path: path)
        try await journal.close()
        let result = try await Tool.run(program: Tool.path, ["top", path, "--prometheus"] + words)
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: '--prometheus' and '\(name)' exclude each other.\n"), "\(result.error)")
    }

    @Test func `top writes each reading below the one before if TERM names no terminal that can be redrawn`()
        async throws
    {
        let journal = try Journal(path: path)
        let store = try await journal.open(job, stream: "a")
        try await store.dispatch(.begin)
        let tmux = try await Tmux(columns: 200, rows: 50)
        try await tmux.enter("clear; TERM=dumb $TOOL top \(path) -n 2 --wait 600; echo ended $?")
        try await tmux.wait(toShow: "ended 0")
        let lines = try await tmux.screen().split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("Journal ") } == 2, "\(lines)")
        try await journal.close()
    }

    // MARK: Kills

    @Test func `acts on an app that is killed again and again are done once or reported as not done`() async throws {
        let outside = folder.path("outside")
        try Data().write(to: URL(fileURLWithPath: outside))
        var random = SplitMix(seed: 7)
        var acknowledged: Set<String> = []
        for kill in 0..<8 {
            let app = try Child(Tool.app, ["desk", path, outside])
            #expect(app.line() == "open")
            let (acts, done) = AsyncStream.makeStream(of: String.self)
            let acting = Task { [path] in try await Self.act(on: path, "\(kill)", done) }
            // Half of the kills come soon after a random number of acts; the other half at any moment, also before the
            // first act.
            var seen = acts.makeAsyncIterator()
            if kill.isMultiple(of: 2) {
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    acknowledged.insert(try #require(await seen.next(), "the operator gave up"))
                }
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...30, using: &random) * (1 + kill % 2 * 10)))
            app.kill()
            app.wait()
            try await acting.value
            while let act = await seen.next() { acknowledged.insert(act) }
        }
        let drained = try await Tool.inApp("desk", path, outside, "drain")
        #expect(drained.status == 0, "\(drained.error)")
        #expect(!acknowledged.isEmpty)
        let recorded = try await sql("SELECT reason FROM intervention ORDER BY reason")
        #expect(Set(recorded).count == recorded.count, "an act was done twice")
        #expect(acknowledged.subtracting(recorded).isEmpty, "an act was lost")
        // Each cancel is followed by its action once, and each effect sends its result once.
        let cancels = try await sql("SELECT count(*) FROM intervention WHERE act = 'cancel'")
        let withdrawals = try await sql("SELECT count(*) FROM journal WHERE name = 'withdrawn'")
        #expect(cancels == withdrawals)
        #expect(
            try await sql("SELECT count(*) FROM effect_run WHERE status = 'completed'")
                == sql("SELECT count(*) FROM journal WHERE name = 'delivered'"))
        #expect(try await sql("SELECT count(*) FROM running_effects") == ["0"])
        let verified = try await Tool.inApp("verify", path)
        #expect(verified.status == 0, "\(verified.output)\(verified.error)")
        // Outside each order has one key.
        let lines = try String(contentsOfFile: outside, encoding: .utf8).split(separator: "\n").map(String.init)
        let orders = Set(lines).map { $0.split(separator: " ")[0] }
        #expect(orders.count == Set(orders).count)
    }

    /// Cancels and retries effects until the app has ended.
    ///
    /// - Parameter done: gets the reasons of the acts that were reported as done.
    private static func act(
        on path: String, _ prefix: String, _ done: AsyncStream<String>.Continuation
    ) async throws {
        defer { done.finish() }
        let reader = try JournalReader(path: path)
        guard let holder = try JournalHolder(of: path) else { return }
        let client = OperatorClient(file: path, holder: holder, patience: .seconds(600))
        for number in 0... {
            for kind in [Intervention.Act.cancel, .retry] {
                let wanted: EffectRun.Status = kind == .cancel ? .running : .cancelled
                var found: (stream: String, run: EffectRun)?
                try reader.forEachEffect(of: nil, isLive: kind == .cancel) { page in
                    for listed in page where found == nil && listed.run.status == wanted {
                        found = (listed.stream, listed.run)
                    }
                }
                guard let found else { continue }
                let reason = "\(prefix)-\(number)-\(kind.rawValue)"
                do throws(JournalError) {
                    let request = OperatorRequest.Act(
                        kind, stream: found.stream, step: found.run.step, ordinal: found.run.ordinal, reason: reason)
                    guard try await client.answer(to: request) != nil else { return }
                    done.yield(reason)
                } catch {
                    if error.code == .noAnswer { return }
                    // It ended meanwhile, or its cancel action is under way.
                    guard error.code == .notInThatState else { throw error }
                }
            }
        }
    }
}
