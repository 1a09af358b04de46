func playExpense() async throws {
    let day = Duration.seconds(86_400)
    let inTime: [CrashStep<ExpenseAction>] = [.dispatch(.submit), .advance(day), .dispatch(.approve), .finish]
    let tooLate: [CrashStep<ExpenseAction>] = [.dispatch(.submit), .advance(day * 4), .dispatch(.approve), .finish]
    try expect(try await end(of: expense, inTime, ()) == .approved, "not approved in time")
    try expect(try await end(of: expense, tooLate, ()) == .expired, "approved too late")
    try await CrashMatrix(expense, script: inTime).run()
    try await CrashMatrix(expense, script: tooLate).run()
}
