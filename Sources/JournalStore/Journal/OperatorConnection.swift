import Dispatch

/// A connection of an operator's program: one request, one answer.
///
/// `@unchecked`: everything runs on the listener's queue; `end` moves there.
final class OperatorConnection: @unchecked Sendable {
    private let descriptor: Int32
    private let queue: DispatchQueue
    private let onEnd: @Sendable () -> Void
    /// Nil as soon as it does not use the descriptor any more.
    private var source: (any DispatchSourceRead)?
    private var bytes: [UInt8] = []
    private var isAsked = false
    /// The answer.
    private var answer: String?
    private var isOver = false
    /// The descriptor may belong to something else by now.
    private var isClosed = false
    private let forkGeneration = ForkGuard.generation

    /// - Parameter onEnd: called when the connection is closed.
    init(_ descriptor: Int32, _ queue: DispatchQueue, onEnd: @escaping @Sendable () -> Void) {
        (self.descriptor, self.queue, self.onEnd) = (descriptor, queue, onEnd)
        ForkGuard.register(descriptor)
    }

    /// - Parameters:
    ///   - limit: how long the client may take for its request.
    ///   - lateAnswer: what it gets if it takes longer.
    ///   - onInput: called once, with what the client has sent.
    func start(
        limit: Duration, lateAnswer: String, onInput: @escaping @Sendable (OperatorInput) -> Void
    ) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.read(onInput) }
        source.setCancelHandler {
            self.source = nil
            self.closeIfOver()
        }
        self.source = source
        source.resume()
        queue.asyncAfter(deadline: .now() + .microseconds(Int(limit.inMicroseconds))) { [weak self] in
            guard let self, !isAsked else { return }
            // A request that arrives from now on is not carried out, as the answer says.
            isAsked = true
            end(with: lateAnswer)
        }
    }

    /// Sends the answer, if there is one, and closes the connection.
    func end(with answer: String? = nil) {
        queue.async {
            // The listener can have stopped while the request was carried out.
            if self.isClosed { return }
            (self.answer, self.isOver) = (answer, true)
            self.source?.cancel()
            self.closeIfOver()
        }
    }

    /// Closes the connection, unless its request is being carried out.
    func endUnlessAsked() {
        queue.async {
            if self.isAsked { return }
            // What arrives from now on is not read.
            self.isAsked = true
            self.end()
        }
    }

    private func read(_ onInput: (OperatorInput) -> Void) {
        guard !isAsked else { return }
        var input = OperatorInput.incomplete
        // To the end of what is there: if the client has gone, no other event tells of it.
        while input == .incomplete {
            guard let arrived = LocalSocket.receive(descriptor, upTo: 16 * 1024) else {
                if !LocalSocket.isTimeout(Platform.lastError) { end() }
                return
            }
            if arrived.isEmpty { return end() }
            bytes += arrived
            input = OperatorInput(bytes)
        }
        isAsked = true
        bytes = []
        // What the client sends after its request is not read.
        source?.cancel()
        onInput(input)
    }

    private func closeIfOver() {
        guard isOver, !isClosed, source == nil else { return }
        isClosed = true
        // A forked child has closed it already, and another file can have its number.
        guard forkGeneration == ForkGuard.generation else { return }
        // A client that does not read gets what the socket's buffer has room for.
        if let answer {
            let bytes = Array(answer.utf8)
            LocalSocket.makeRoom(for: bytes.count, in: descriptor)
            _ = LocalSocket.send(bytes, to: descriptor)
        }
        ForkGuard.unregister(descriptor)
        LocalSocket.closeSocket(descriptor)
        onEnd()
    }
}
