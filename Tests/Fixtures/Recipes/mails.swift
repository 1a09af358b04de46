/// One mail a second; one that fails is sent again under its key, or is lost in the state.
func playMails() async throws {
    let script: [CrashStep<MailAction>] = [
        .dispatch(.send("a")), .dispatch(.send("b")), .dispatch(.send("a")), .finish,
    ]
    let sent = Box<[String]>([])
    let clock = ManualClock()
    var options = Journal.Options()
    options.follow(clock)
    let times = Box<[Duration]>([])
    let journal = try Journal.inMemory(options: options)
    let store = try await journal.open(
        mails, stream: "mails",
        environment: Mailer { address, _ in
            times.change { $0.append(clock.now.offset) }
            sent.change { $0.append(address) }
        }, clock: clock)
    for step in script { if case .dispatch(let action) = step { try await store.dispatch(action) } }
    try expect(await clock.runUntilIdle(), "it never ends")
    try expect(sent.value == ["a", "b", "a"], "sent \(sent.value)")
    try expect(times.value == [.zero, .seconds(1), .seconds(2)], "at \(times.value)")
    try expect(store.state.sent == 3, "\(store.state)")
    try await journal.close()
    var matrix = CrashMatrix(mails, script: script) { outside in
        Mailer { address, key in
            try outside.call("mail", key: key) { if address == "b" && $0 < 3 { throw Unavailable() } }
        }
    }
    // The number of a mail is that of its step, which depends on when the mail before it was sent.
    matrix.entries = .byName
    matrix.cutsTwice = false
    try await matrix.run()
}
