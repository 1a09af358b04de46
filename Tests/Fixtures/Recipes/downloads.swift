/// What a removed element had begun does not reach the one that is added in its place.
func playDownloads() async throws {
    let script: [CrashStep<DownloadsAction>] = [
        .dispatch(.add("x")), .dispatch(.add("y")), .dispatch(.one("x", .start)), .dispatch(.one("y", .start)), .finish,
        .dispatch(.remove("x")), .dispatch(.add("x")), .dispatch(.one("x", .start)), .finish,
        .dispatch(.one("y", .stop)), .finish,
    ]
    let state = try await end(of: downloads, script, Web { if $0 == "y" { throw Unavailable() } else { $0 + "!" } })
    try expect(state.all["x"]?.file == "x!" && state.all["y"]?.load == nil, "\(state)")
    var matrix = CrashMatrix(downloads, script: script) { outside in
        Web { address in
            try outside.call("load", key: address) { _ in if address == "y" { throw Unavailable() } else { "file" } }
        }
    }
    // The number of a load is that of its step, which depends on when the load before it has ended.
    matrix.entries = .byName
    matrix.cutsTwice = false
    try await matrix.run()
}
