import Dispatch

/// Answers requests through a socket next to the journal. Only the user of this process, and root, may send any.
///
/// One queue does everything but the requests themselves; the files are closed when their sources have ended.
final class OperatorListener: Sendable {
    /// Answers a request. Called on a task.
    typealias Service = @Sendable (_ request: OperatorRequest, _ user: String) async -> OperatorAnswer

    let path: String
    /// What is at the path: another journal of that name can have put its own socket there since.
    private let socket: FileIdentity?
    private let queue = DispatchQueue(label: "JournalStore.operators")
    /// Requests run here: operators get answers even if all of the app's threads are busy.
    private let executor = OrderedExecutor()
    private let service: Service
    private let options: JournalOptions
    private let state: Watched<State>
    private let forkGeneration = ForkGuard.generation

    private struct State: Sendable {
        var listener: DispatchBox?
        var connections: [Int: OperatorConnection] = [:]
        var lastNumber = 0
    }

    /// `@unchecked`: a source can be cancelled from any thread.
    private final class DispatchBox: @unchecked Sendable {
        let source: any DispatchSourceRead

        init(_ source: any DispatchSourceRead) { self.source = source }

        deinit { source.cancel() }
    }

    /// The most connections at a time; others are closed at once.
    static let mostConnections = 16

    /// - Returns: nil with `errno` set if the socket cannot be made.
    init?(at path: String, _ options: JournalOptions, _ service: @escaping Service) {
        // Dispatch makes some for its first source, and ends the process if it cannot.
        guard LocalSocket.canMake(4),
            let descriptor = LocalSocket.listen(at: path, backlog: Int32(OperatorListener.mostConnections))
        else { return nil }
        (self.path, self.options, self.service) = (path, options, service)
        socket = LocalSocket.identity(of: path)
        state = Watched(State())
        ForkGuard.register(descriptor)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.accept(descriptor) }
        source.setCancelHandler { [forkGeneration] in
            // A forked child has closed it already.
            guard forkGeneration == ForkGuard.generation else { return }
            ForkGuard.unregister(descriptor)
            LocalSocket.stopListening(descriptor)
        }
        let box = DispatchBox(source)
        state.change { $0.listener = box }
        source.resume()
    }

    deinit { stop() }

    /// Takes no more requests, deletes the socket, and returns once those that are being carried out are answered: the
    /// process can end as soon as the journal is closed, and an operator would not learn what was done.
    ///
    /// - Parameter limit: how long it waits at most. A request can wait for a disk that is full, for example.
    func finish(within limit: Duration = .seconds(1)) async {
        let (listener, connections) = state.change { state in
            defer { state.listener = nil }
            return (state.listener, state.connections.values.map(\.self))
        }
        if listener != nil { removeSocket() }
        guard !connections.isEmpty else { return }
        for connection in connections { connection.endUnlessAsked() }
        queue.asyncAfter(deadline: .now() + .microseconds(Int(limit.inMicroseconds))) { [weak self] in self?.stop() }
        // In a task of its own: a cancelled task does not wait.
        await options.spawn { [state] in
            _ = await state.wait { $0.connections.isEmpty ? true : nil }
        }.value
    }

    /// Ends the connections and deletes the socket. Requests that are being carried out go on.
    func stop() {
        let (listener, connections) = state.change { state in
            defer { state = State() }
            return (state.listener, state.connections.values.map(\.self))
        }
        if listener != nil { removeSocket() }
        for connection in connections { connection.end() }
    }

    /// A forked child leaves it to its parent.
    private func removeSocket() {
        guard forkGeneration == ForkGuard.generation, LocalSocket.identity(of: path) == socket else { return }
        LocalSocket.remove(path)
    }

    private func accept(_ listener: Int32) {
        guard let descriptor = LocalSocket.accept(listener) else {
            // The client goes on waiting, so the source would call this again at once.
            if !LocalSocket.isOver(Platform.lastError) { Platform.pause(milliseconds: 100) }
            return
        }
        guard let user = LocalSocket.peerUser(descriptor), user == UserName.number || user == 0 else {
            return LocalSocket.closeSocket(descriptor)
        }
        let (connection, isListening): (OperatorConnection?, Bool) = state.change { state in
            guard state.listener != nil else { return (nil, false) }
            guard state.connections.count < OperatorListener.mostConnections else { return (nil, true) }
            state.lastNumber += 1
            let number = state.lastNumber
            let connection = OperatorConnection(descriptor, queue) { [weak self] in
                self?.state.change { $0.connections[number] = nil }
            }
            state.connections[number] = connection
            return (connection, true)
        }
        guard let connection else {
            // Without an answer if the journal is being closed: soon no app holds it.
            if isListening {
                let full = OperatorListener.overloaded("\(OperatorListener.mostConnections) operators are connected.")
                _ = LocalSocket.send(Array(full.utf8), to: descriptor)
            }
            return LocalSocket.closeSocket(descriptor)
        }
        let late = OperatorListener.overloaded("The request did not come in time.")
        connection.start(limit: options.requestTime, lateAnswer: late) { [weak self, weak connection] input in
            guard let self, let connection else { return }
            answer(input, UserName.of(user), connection)
        }
    }

    private func answer(_ input: OperatorInput, _ user: String, _ connection: OperatorConnection) {
        switch input {
        case .incomplete: break
        case .garbage(let reason):
            connection.end(with: OperatorListener.line(OperatorAnswer(failure: .init(.badRequest(reason)))))
        case .request(let request):
            guard request.deadline > Timestamp.now().microseconds else {
                // The operator's program does not wait any more, and has said that the act may not have been done.
                return connection.end()
            }
            _ = options.spawn(on: executor) { [service] in
                connection.end(with: OperatorListener.line(await service(request, user)))
            }
        case .http(let method, let path):
            guard method == "GET" else {
                return connection.end(
                    with: "HTTP/1.0 405 Method Not Allowed\r\nAllow: GET\r\nContent-Length: 0\r\n\r\n")
            }
            guard path == "/metrics" else {
                return connection.end(with: "HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            }
            let request = OperatorRequest(deadline: Timestamp(microseconds: .max), nil)
            _ = options.spawn(on: executor) { [service] in
                let text = await service(request, user).metrics?.prometheusText ?? ""
                connection.end(
                    with: "HTTP/1.0 \(text.isEmpty ? "503 Service Unavailable" : "200 OK")\r\n"
                        + "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                        + "Content-Length: \(text.utf8.count)\r\n\r\n" + text)
            }
        }
    }

    /// The answer if nothing was done, and a program may try again at once.
    private static func overloaded(_ reason: String) -> String {
        line(OperatorAnswer(failure: .init(JournalError(.overloaded, reason, advice: "Try again."))))
    }

    private static func line(_ answer: OperatorAnswer) -> String {
        ((try? JSONCodec().encode(answer)) ?? "{}") + "\n"
    }
}

extension JournalError {
    fileprivate static func badRequest(_ reason: String) -> JournalError {
        JournalError(
            .badArgument, reason,
            advice: "Shorten the reason, or use the journal-replay of the app's version of the library.")
    }
}
