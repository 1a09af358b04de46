import JournalStore

extension Fixture {
    /// A closed journal with two carts and a till, with an entry of every origin and effects in several statuses.
    ///
    /// | position | stream | step | action | origin |
    /// |---|---|---|---|---|
    /// | 1 | cart-1 | 1 | add | dispatched |
    /// | 2 | cart-1 | 2 | "pay" | dispatched |
    /// | 3 | cart-2 | 1 | add, with unsafe characters | dispatched |
    /// | 4 | cart-1 | 3 | paid | effect 2.0 |
    /// | 5 | till | 1 | booked | machine cart-1 3 |
    /// | 6 | cart-2 | 2 | no JSON | restart 1 |
    func shop() async throws -> String {
        let journal = try open()
        let first = try await journal.openStream("cart-1", machine: "cart")
        let second = try await journal.openStream("cart-2", machine: "cart")
        let till = try await journal.openStream("till", machine: "till")
        try await first.append(#"{"add":{"item":"Tea", "price":3}}"#)
        try await first.append(#""pay""#)
        try await second.append("{\"add\":{\"item\":\"\u{9B}31m\u{202E}caf\u{E9}\"}}", version: 2)
        var batch = Batch(entries: [
            NewEntry(stream: first.id, action: #"{"paid":{}}"#, origin: .effect, cause: Cause(step: 2, run: 0))
        ])
        _ = try await journal.commit(batch)
        batch.entries = [
            NewEntry(
                stream: till.id, action: #"{"booked":{}}"#, origin: .machine, cause: Cause(stream: first.id, step: 3))
        ]
        _ = try await journal.commit(batch)
        batch.entries = [
            NewEntry(stream: second.id, action: "no\n\u{1B}[2JJSON", origin: .restart, cause: Cause(step: 1))
        ]
        _ = try await journal.commit(batch)
        try await addEffects(to: journal, first.id, second.id)
        try await first.saveSnapshot(#"{"total":3}"#, at: 2)
        try await journal.close()
        return path("shop.db")
    }

    private func addEffects(to journal: Journal, _ first: StreamID, _ second: StreamID) async throws {
        let start = Timestamp(microseconds: 1_735_693_200_000_000)
        let later = Timestamp(microseconds: 1_735_693_260_500_000)
        var batch = Batch()
        batch.runs = [
            EffectRun(
                stream: first, step: 2, ordinal: 0, rootStep: 2, name: "charge", effectID: #"PaymentID {"n":1}"#,
                status: .completed, attempts: 1, started: start, ended: later, delivered: 1),
            EffectRun(
                stream: first, step: 2, ordinal: 1, rootStep: 2, name: "mail", queue: "outbox", status: .running,
                attempts: 2, retry: #"{"maxAttempts": 5}"#, started: start),
            EffectRun(
                stream: first, step: 3, ordinal: 0, rootStep: 2, name: "print", status: .failed, attempts: 3,
                started: start, ended: later, error: "no paper\u{7}"),
            EffectRun(
                stream: second, step: 1, ordinal: 0, rootStep: 1, name: "remind", status: .delayed, notBefore: later,
                described: #"{"remind":{}}"#),
        ]
        // The first attempt of the mail failed.
        var mail = batch.runs[1]
        mail.notes = [
            EffectAttempt(number: 1, started: start, ended: later, error: "no line\u{7}"),
            EffectAttempt(number: 2, started: later),
        ]
        (mail.failures, mail.error) = (1, "no line\u{7}")
        batch.runs[1] = mail
        batch.remembered = [
            RememberedStep(
                stream: first, step: 2, ordinal: 1, path: "", name: "render", use: 1, result: "\"page\""),
            RememberedStep(
                stream: first, step: 2, ordinal: 1, path: "/send/1", name: "open", use: 2, result: #"{"port": 25}"#),
        ]
        batch.settled = [first: 3]
        _ = try await journal.commit(batch)
    }
}
