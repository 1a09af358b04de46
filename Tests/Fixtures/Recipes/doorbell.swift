func playDoorbell() async throws {
    let script: [CrashStep<DoorbellAction>] = [
        .dispatch(.ring), .advance(.seconds(9)), .dispatch(.ring), .advance(.seconds(1)), .dispatch(.ring),
    ]
    let rung = try await end(of: doorbell, script, ()).rung
    try expect(rung == 2, "rung \(rung) times")
    try await CrashMatrix(doorbell, script: script).run()
}
