import JournalStore
import JournalTesting
import Testing

@Suite struct `Every cut` {
    private func matrix(_ script: CrashStep<Every>...) -> CrashMatrix<Every, Log, Outside> {
        CrashMatrix(every, script: script) { $0 }
    }

    @Test(
        arguments: [
            "plain", "silent", "stream", "sequence", "flaky", "hopeless", "lane", "slow", "newest", "delayed",
            "cascade", "long",
            "refused", "passing", "first", "steps", "described", "described failure", "failure", "after", "at", "every",
            "message", "messages",
        ])
    func `a cut changes nothing for an effect that may run again`(_ name: String) async throws {
        var matrix = matrix(.dispatch(.start(name)))
        matrix.entries = .inOrder
        let report = try await matrix.run()
        #expect(report.cuts > 1)
    }

    @Test func `a cut changes nothing for cancelled timers and for delays before a retry`() async throws {
        let report = try await matrix(
            .dispatch(.start("after")), .dispatch(.start("steps")), .advance(.seconds(10)), .dispatch(.stop("after")),
            .dispatch(.start("described failure"))
        ).run()
        #expect(report.effects == 3)
    }

    @Test func `a cut changes nothing for a machine's initial effect`() async throws {
        var beginning = every
        beginning.initialEffect = .after(.seconds(5), .did("began")) + .run("begin") { .did("begun") }
        var matrix = CrashMatrix(beginning, actions: [.start("plain")]) { $0 }
        matrix.normalize = { $0.lines = [] }
        let report = try await matrix.run()
        #expect(report.effects == 3)
    }

    @Test func `a cut changes nothing for effects that run one after the other`() async throws {
        let names = ["flaky", "stream", "cascade"]
        let report = try await CrashMatrix(every, actions: names.map { .start($0) }) { $0 }.run()
        #expect(report.cuts > 30 && report.secondCuts > 200, "\(report)")
    }

    @Test func `a cut changes nothing for effects that run at the same time`() async throws {
        var matrix = matrix(.dispatch(.start("flaky")), .dispatch(.start("long")), .dispatch(.start("lane")))
        matrix.normalize = { $0.lines = [] }
        let report = try await matrix.run()
        #expect(report.effects == 5)
    }

    @Test(arguments: [CrashStep<Every>.dispatch(.stop("long")), .cancel("long")])
    func `a cut changes nothing for an effect cancelled while it runs`(_ cancel: CrashStep<Every>) async throws {
        let report = try await matrix(.dispatch(.start("long")), .advance(.seconds(30)), cancel).run()
        #expect(report.effects == 1)
    }

    @Test(arguments: [CrashStep<Every>.dispatch(.stop("undone")), .cancel("undone")])
    func `a cut changes nothing for an effect whose cancel action is sent`(_ cancel: CrashStep<Every>) async throws {
        let report = try await matrix(.dispatch(.start("undone")), .advance(.seconds(30)), cancel).run()
        #expect(report.effects == 1)
    }

    @Test func `a cut changes nothing for an effect that runs because another one has ended`() async throws {
        let report = try await matrix(.dispatch(.start("only")), .advance(.zero), .dispatch(.start("only"))).run()
        #expect(report.effects == 2)
    }

    @Test(arguments: ["once", "told", "asked"])
    func `an effect that may run once at most starts once, and is lost only if it was running`(
        _ name: String
    ) async throws {
        var matrix = matrix(.dispatch(.start(name)), .finish, .dispatch(.start("plain")))
        matrix.accepts = { outcome in
            outcome.interrupted.map(\.name) == [name] && outcome.state.lines.last == "plain"
                && outcome.state.lines.dropLast() == (name == "told" ? ["dispatched after a restart"] : [])
        }
        try await matrix.run()
        // If no other end is accepted, the failure names the cut.
        matrix.accepts = { _ in false }
        let failure = try #require(await #expect(throws: CrashMatrixFailure.self) { try await matrix.run() })
        #expect(failure.description.contains("Not run again: \(name)."))
    }
}
