/// A second `follow` does not ask twice as often, and nothing asks after the delivery.
func playParcel() async throws {
    let asked = Box(0)
    let state = try await end(
        of: parcel, [.dispatch(.follow), .dispatch(.follow), .finish],
        Carrier {
            asked.change { $0 += 1 }
            return asked.value < 5 ? "on its way" : "delivered"
        })
    try expect(asked.value == 5 && state.status == "delivered", "asked \(asked.value) times: \(state)")
    let hourly = Box(0)
    _ = try await end(
        of: parcel,
        [.dispatch(.follow), .advance(.seconds(1800)), .dispatch(.follow), .advance(.seconds(3 * 3600))],
        Carrier {
            hourly.change { $0 += 1 }
            return "on its way"
        })
    try expect(hourly.value == 3, "asked \(hourly.value) times in three hours")
    try await CrashMatrix(parcel, script: [.dispatch(.follow), .dispatch(.follow), .finish]) { outside in
        Carrier { try outside.call("status", key: "parcel") { if $0 < 3 { throw Unavailable() } else { "delivered" } } }
    }.run()
}
