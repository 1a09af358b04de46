// The journal's side of the socket: it carries out what operators ask for.

extension Journal {
    /// Listens for operators, if the options permit it. If that is not possible, the journal works without.
    func listenForOperators() {
        guard let file, let path = writer.takeSocket() else { return }
        let listener = OperatorListener(at: path, options) { [weak self] request, user in
            guard let self else {
                return OperatorAnswer(
                    failure: .init(JournalError(.closed, "The journal was closed.", advice: "Try again.")))
            }
            return await answer(request, user)
        }
        guard let listener else {
            let error = JournalError.system(
                .cannotOpen, "The socket \(path) for operators cannot be made",
                advice:
                    "`journal-replay cancel` and `top` do not work while this process runs. Check the rights of the "
                    + "folder, and what has that name; or set `acceptsOperators` of the journal's options to false, as in an app "
                    + "whose sandbox allows no sockets.", file: file)
            return options.notify(.operatorsUnavailable, error)
        }
        operators.withLock { $0 = listener }
    }

    private func answer(_ request: OperatorRequest, _ user: String) async -> OperatorAnswer {
        do throws(JournalError) {
            guard let act = request.act else { return OperatorAnswer(metrics: try await metrics()) }
            let waitsForOpening = try await carryOut(act, user)
            return OperatorAnswer(done: true, waitsForOpening: waitsForOpening ? true : nil)
        } catch {
            return OperatorAnswer(failure: .init(error))
        }
    }

    /// - Returns: whether the next opening of the stream completes it, by sending the cancel action.
    private func carryOut(_ request: OperatorRequest.Act, _ user: String) async throws(JournalError) -> Bool {
        guard let act = Intervention.Act(rawValue: request.act), request.step >= 0, (request.ordinal ?? 0) >= 0 else {
            throw JournalError(
                .badArgument, "This is no act of an operator.",
                advice: "Use the journal-replay of the app's version of the library.", file: file,
                stream: request.stream)
        }
        if let ordinal = request.ordinal {
            let run = RunKey(step: request.step, ordinal: ordinal)
            let after = try await intervene(act, run, in: request.stream, reason: request.reason, user: user)
            // An open store sends it at once.
            return after.status == .cancelling && stores.withLock { $0.byStream[after.stream] == nil }
        } else if act == .skip {
            try await skip(request.step, in: request.stream, reason: request.reason, user: user)
            return false
        } else {
            throw JournalError(
                .badArgument, "The request names no effect.",
                advice: "Name one that `journal-replay effects` lists.", file: file, stream: request.stream,
                step: request.step)
        }
    }
}
