/// Whatever fails, all parts are fetched or lost, and the report is done.
func playReport() async throws {
    let names = ["a", "b", "c", "d", "e", "f", "a"]
    let script: [CrashStep<ReportAction>] = [.dispatch(.make(names)), .finish, .dispatch(.make(names)), .finish]
    @Sendable func fetch(_ name: String, _ attempt: Int) throws -> String {
        if name == "c" || name == "b" && attempt == 1 { throw Unavailable() }
        return name.uppercased()
    }
    let attempts = Box<[String: Int]>([:])
    let state = try await end(
        of: report, script,
        Sources { name in
            attempts.change { $0[name, default: 0] += 1 }
            return try fetch(name, attempts.value[name] ?? 0)
        })
    try expect(state.parts.count == 5 && state.failed == ["c"] && state.isDone, "\(state)")
    try await CrashMatrix(report, script: [.dispatch(.make(["a", "b"])), .finish]) { outside in
        Sources { name in try outside.call("fetch", key: name) { try fetch(name, $0) } }
    }.run()
    var matrix = CrashMatrix(report, script: [.dispatch(.make(["c", "d"])), .cancel("d"), .finish]) { outside in
        Sources { name in try outside.call("fetch", key: name) { try fetch(name, $0) } }
    }
    matrix.cutsTwice = false
    // A kill can let the fetch end before it is cancelled.
    matrix.accepts = { $0.state.isDone && $0.state.missing.isEmpty }
    try await matrix.run()
}
