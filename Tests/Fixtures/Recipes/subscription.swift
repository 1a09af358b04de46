/// Each month is charged once, under its own key, also those without a process; a bank that never answers ends it.
func playSubscription() async throws {
    let script: [CrashStep<SubscriptionAction>] = [
        .dispatch(.begin), .advance(.seconds(95 * 86_400)), .dispatch(.end), .finish,
    ]
    let keys = Box<Set<String>>([])
    // The last day of January.
    let start = Timestamp(microseconds: 1_769_860_800_000_000)
    let state = try await end(
        of: subscription, script, at: start,
        Payments { _, key in
            keys.change { $0.insert(key) }
            return "receipt \(keys.value.count)"
        })
    try expect(state.receipts == (1...4).map { "receipt \($0)" } && keys.value.count == 4, "\(state)")
    try expect(date(1, monthsAfter: start.date).timeIntervalSince(start.date) == 28 * 86_400, "not in February")
    let tries = Box(0)
    let unpaid = try await end(
        of: subscription, [.dispatch(.begin), .finish],
        Payments { _, _ in
            tries.change { $0 += 1 }
            throw Unavailable()
        })
    try expect(unpaid.hasEnded && unpaid.receipts == [] && unpaid.problem != nil, "\(unpaid)")
    try expect(tries.value > 7 * 20, "tried \(tries.value) times in a week")
    var matrix = CrashMatrix(subscription, script: script) { outside in
        Payments { cents, key in
            try outside.call("charge", key: key) { if $0 < 2 { throw Unavailable() } else { "\(cents)" } }
        }
    }
    matrix.cutsTwice = false
    try await matrix.run()
}
