import Foundation

/// Serves requests until its listener is stopped: one request a connection, so many connections at a time.
struct Server: Sendable {
    let listener: Listener
    let limits: Limits
    let answer: @Sendable (Request) async -> Response

    /// Returns when the listener was stopped and each connection has ended.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            var served = 0
            while let socket = await onThread({ listener.accept() }) {
                served += 1
                if served > limits.connections { await group.next() }
                group.addTask { await serve(socket) }
            }
        }
    }

    private func serve(_ socket: Socket) async {
        let response: Response
        do throws(Refusal) {
            guard let request = try await onThread({ read(socket) }).get() else { return }
            response = await answer(request)
        } catch {
            response = Response(error)
        }
        await onThread {
            let deadline = ContinuousClock.now + limits.time
            guard (try? socket.write(response.bytes, until: deadline)) != nil else { return }
            socket.finish(until: min(deadline, .now + .seconds(1)))
        }
    }

    /// Reads a request; nil if the client is gone.
    private func read(_ socket: Socket) -> Result<Request?, Refusal> {
        let deadline = ContinuousClock.now + limits.time
        var parser = RequestParser(limits)
        while true {
            let bytes: ArraySlice<UInt8>
            do throws(SocketFailure) { bytes = try socket.read(until: deadline) } catch {
                if error == .broken { return .success(nil) }
                return .failure(Refusal(.requestTimeout, "The request was not complete in time."))
            }
            if bytes.isEmpty {
                if parser.isEmpty { return .success(nil) }
                return .failure(Refusal(.badRequest, "The request is not complete."))
            }
            do throws(Refusal) {
                if let request = try parser.add(bytes) { return .success(request) }
            } catch { return .failure(error) }
        }
    }
}

/// Does blocking work on a thread of its own: it must not block a thread that tasks share.
private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}
