import Dispatch
import JournalStore

/// Talks with the process that holds a journal.
struct OperatorClient: Sendable {
    /// How long to wait for an answer.
    static let patience = Duration.seconds(5)

    static let wait = Option<Int>.seconds(
        "wait", help: "How long to wait for the process that holds the journal; 5 by default.")

    static func patience(_ arguments: Arguments) -> Duration {
        arguments[wait].map { .seconds($0) } ?? patience
    }

    let file: String
    let holder: JournalHolder
    var patience = OperatorClient.patience

    /// Sends a request and waits for the answer.
    ///
    /// - Returns: nil if nobody listens any more: the process has ended, or released the journal.
    /// - Throws: ``JournalError`` if the process does not listen or does not answer, or as it says.
    func answer(to act: OperatorRequest.Act?) async throws(JournalError) -> OperatorAnswer? {
        let start = ContinuousClock.now
        while true {
            do throws(JournalError) {
                return try await answerOnce(to: act)
            } catch {
                // It has too many connections, or the request came too late for it: nothing was done.
                guard error.code == .overloaded, ContinuousClock.now - start < patience,
                    // A task that was cancelled does not sleep, so it does not try again either.
                    (try? await Task.sleep(for: .milliseconds(50))) != nil
                else { throw error }
            }
        }
    }

    private func answerOnce(to act: OperatorRequest.Act?) async throws(JournalError) -> OperatorAnswer? {
        let result: Result<OperatorAnswer?, JournalError> = await withUnsafeContinuation { continuation in
            // Waits on a thread of its own: a task's thread may be the one that answers.
            DispatchQueue(label: "JournalReplayKit.OperatorClient").async {
                continuation.resume(returning: Result { () throws(JournalError) in try exchange(act) })
            }
        }
        guard let answer = try result.get() else { return nil }
        if let failure = answer.failure { throw failure.error(file: file) }
        return answer
    }

    private func exchange(_ act: OperatorRequest.Act?) throws(JournalError) -> OperatorAnswer? {
        guard holder.isHere else {
            throw error(
                .inUse, "Process \(holder.process) on \(holder.host) holds the journal.", "Run this command there.")
        }
        guard let path = holder.address?.path else { throw noSocket }
        guard let socket = LocalSocket.connect(to: path, timeout: patience) else {
            let code = Platform.lastError
            if LocalSocket.isNobody(code) { return nil }
            if LocalSocket.isTimeout(code) { throw noAnswer(to: act) }
            throw error(
                .cannotOpen,
                "Process \(holder.process) cannot be reached at \(path) (\(Platform.message(forError: code))).",
                "Run this command as the user of that process.", code)
        }
        defer { LocalSocket.closeSocket(socket) }
        let request = OperatorRequest(deadline: Timestamp.now().advanced(by: patience), act)
        guard let text = try? JSONCodec().encode(request) else { throw noAnswer(to: act) }
        guard LocalSocket.send(Array((text + "\n").utf8), to: socket) || !LocalSocket.isTimeout(Platform.lastError)
        else { throw noAnswer(to: act) }
        // If the app has ended the connection meanwhile, it has said why.
        return try receive(socket, to: act)
    }

    private func receive(
        _ socket: Int32, to act: OperatorRequest.Act?
    ) throws(JournalError) -> OperatorAnswer {
        var bytes: [UInt8] = []
        let start = ContinuousClock.now
        while bytes.last != UInt8(ascii: "\n") {
            // The socket's own limit begins anew with each byte.
            guard ContinuousClock.now - start <= patience else { throw noAnswer(to: act) }
            guard let part = LocalSocket.receive(socket, upTo: 64 * 1024) else {
                throw LocalSocket.isTimeout(Platform.lastError) ? noAnswer(to: act) : noEnd(to: act)
            }
            guard !part.isEmpty else { throw noEnd(to: act) }
            bytes += part
            guard bytes.count <= Self.mostBytes else {
                throw error(
                    .badArgument, "Process \(holder.process) gave an answer of more than \(Self.mostBytes >> 20) MiB.",
                    "The names of its queues or streams are too long. `curl` with the socket shows the metrics.")
            }
        }
        do {
            return try JSONCodec().decode(OperatorAnswer.self, from: String(decoding: bytes.dropLast(), as: UTF8.self))
        } catch {
            throw self.error(
                .badArgument, "Process \(holder.process) gave an answer that is not understood.",
                "Use the tool of the app's version of the library.")
        }
    }

    /// The most bytes of an answer.
    private static let mostBytes = 1 << 20

    /// - Parameter act: nil if only metrics were asked for.
    private func noAnswer(to act: OperatorRequest.Act?) -> JournalError {
        error(
            .noAnswer,
            "Process \(holder.process) holds the journal and did not answer within \(patience.components.seconds) s.",
            "It is stopped or overloaded."
                + (act == nil
                    ? ""
                    : " It drops a request that arrives after this limit, but can still carry out one that has "
                        + "arrived: `interventions` lists what was done."))
    }

    /// The connection ended before the answer.
    private func noEnd(to act: OperatorRequest.Act?) -> JournalError {
        error(
            .noAnswer, "Process \(holder.process) holds the journal and ended the connection without an answer.",
            "It was killed or is ending, or does not take requests of this user."
                + (act == nil ? "" : " The act may have been done: `interventions` lists what was."))
    }

    /// The process is an app that accepts no operators, or another operator that acts in the file.
    var noSocket: JournalError {
        error(
            .inUse, "Process \(holder.process) holds the journal and does not listen for operators.",
            "If it is an app, act through it, or stop it first. If it is another command, try again.")
    }

    /// The process runs, and nobody listens.
    var notListening: JournalError {
        let address = holder.address.map { ", \($0.path)" } ?? ""
        let other = holder.address?.isTemporary == true ? ", or the app has another /tmp (PrivateTmp, a container)" : ""
        return error(
            .inUse, "Process \(holder.process) holds the journal, and nobody listens at its socket\(address).",
            "It is closing the journal, or its notices say why (operators-unavailable), unless the socket was "
                + "deleted\(other). Try again, act through the app, or stop it first.")
    }

    private func error(_ code: JournalError.Code, _ message: String, _ advice: String, _ number: Int32? = nil)
        -> JournalError
    {
        JournalError(code, message, advice: advice, file: file, underlying: number)
    }
}
