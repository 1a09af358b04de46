/// It is paid once, or given up and the timer with it.
func playPayment() async throws {
    try await CrashMatrix(payment, script: [.dispatch(.pay), .dispatch(.pay), .finish]) { outside in
        Bank { key in try outside.call("charge", key: key) { if $0 < 3 { throw Unavailable() } else { "receipt" } } }
    }.run()
    let broken: [CrashStep<PaymentAction>] = [.dispatch(.pay), .advance(.seconds(2)), .dispatch(.giveUp), .finish]
    let state = try await end(of: payment, broken, Bank { _ in throw Unavailable() })
    try expect(state.problem == "no answer in time" && state.receipt == nil, "\(state)")
    try await CrashMatrix(payment, script: broken) { outside in
        Bank { key in try outside.call("charge", key: key) { _ in throw Unavailable() } }
    }.run()
}
