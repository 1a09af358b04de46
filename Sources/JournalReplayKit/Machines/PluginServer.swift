import JournalStore

/// The side that has the machines, in a library or in another process: answers the requests of the tool.
final class PluginServer: Sendable {
    private let machines: [ReplayMachine]
    private let sessions = Lock<[Int: any ReplaySession]>([:])
    /// The journal of the last session: the next session is often in the same one.
    private let reader = Lock<JournalReader?>(nil)
    private let codec = JSONCodec()

    /// The tool accepts no more answers.
    private struct Stopped: Error {}

    /// Sends the answers to the current request.
    ///
    /// It is only passed down the call that created it, on the same thread.
    private struct Asking: @unchecked Sendable {
        let tell: (PluginAnswer) throws -> Void
    }

    @TaskLocal private static var asking: Asking?

    init(_ machines: [ReplayMachine]) {
        self.machines = machines
    }

    /// - Parameter send: Sends an answer; returns false if no more are accepted.
    func answer(_ request: String, _ send: @escaping (String) -> Bool) {
        func tell(_ answer: PluginAnswer) throws {
            guard send(try codec.encode(answer)) else { throw Stopped() }
        }
        do {
            let request = try codec.decode(PluginRequest.self, from: request)
            try PluginServer.$asking.withValue(Asking(tell: tell)) { try answer(request, tell) }
        } catch is Stopped {
            return
        } catch {
            let told =
                (error as? JournalError)
                ?? JournalError(.badArgument, "The library cannot answer the request (\(error)).")
            try? tell(PluginAnswer(error: PluginError(told)))
        }
    }

    private func answer(_ request: PluginRequest, _ tell: (PluginAnswer) throws -> Void) throws {
        switch request.act {
        case .machines:
            try tell(PluginAnswer(machines: machines.map { .init(name: $0.name, version: $0.version) }))
        case .open:
            let session = try open(request)
            let number = sessions.withLock { sessions in
                let number = (sessions.keys.max() ?? 0) + 1
                sessions[number] = session
                return number
            }
            try tell(PluginAnswer(session: number))
        case .close:
            sessions.withLock { sessions in sessions[request.session ?? 0] = nil }
        case .state:
            try tell(PluginAnswer(state: session(request).state(at: number(request.from))))
        case .step:
            try tell(PluginAnswer(step: session(request).step(number(request.from))))
        case .changes:
            try tell(
                PluginAnswer(changes: session(request).changes(from: number(request.from), to: number(request.to))))
        case .compare:
            let changes = try session(request).changes(fromState: request.text ?? "", to: number(request.to))
            try tell(PluginAnswer(changes: changes))
        case .compareVerified:
            let changes = try session(request).changes(fromState: request.text ?? "", toVerified: number(request.to))
            try tell(PluginAnswer(changes: changes))
        case .states:
            let first = try number(request.from)
            try session(request).states(first...max(first, number(request.to))) { step, state in
                try tell(PluginAnswer(number: step, state: state))
                return true
            }
        case .verify:
            let report = try session(request).verify(every: request.every) { step, state in
                try tell(PluginAnswer(number: step, state: state))
            }
            try tell(PluginAnswer(report: report))
        }
    }

    private func open(_ request: PluginRequest) throws -> any ReplaySession {
        guard let name = request.machine, let machine = machines.first(where: { $0.name.hasSameBytes(as: name) }),
            let file = request.file, let stream = request.stream
        else { throw JournalError(.noMachine, "The library has no machine '\(request.machine ?? "")'.") }
        return try machine.open(
            ReplayRequest(reader: reader(of: file), stream: stream, without: request.without ?? []) { step, last in
                // If the tool accepts no more answers, the next answer ends the request.
                try? PluginServer.asking?.tell(PluginAnswer(progress: .init(step: step, last: last)))
            })
    }

    private func reader(of file: String) throws -> JournalReader {
        if let known = reader.withLock({ $0 }), known.file == file { return known }
        let new = try JournalReader(path: file)
        reader.withLock { $0 = new }
        return new
    }

    /// The session of a request. A request that names a stream instead gets a session of its own.
    private func session(_ request: PluginRequest) throws -> any ReplaySession {
        guard let number = request.session else { return try open(request) }
        guard let session = sessions.withLock({ $0[number] }) else {
            throw JournalError(
                .badArgument, "The library has no such session.",
                advice: "Build it with the same version of JournalStore as this program.")
        }
        return session
    }

    private func number(_ number: Int?) throws -> Int {
        guard let number else { throw JournalError(.badArgument, "The request names no step.") }
        return number
    }
}
