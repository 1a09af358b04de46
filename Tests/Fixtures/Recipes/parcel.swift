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
    try await CrashMatrix(parcel, script: [.dispatch(.follow), .dispatch(.follow), .finish]) { outside in
        Carrier { try outside.call("status", key: "parcel") { if $0 < 3 { throw Unavailable() } else { "delivered" } } }
    }.run()
}
