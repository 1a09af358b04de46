import JournalStore

/// Answers the requests of live pages.
final class PageService: Sendable {
    /// The answer to a request.
    struct Answer: Sendable {
        enum Content: Sendable {
            case bytes([UInt8])
            case events(after: Int)
        }

        var status: UInt32 = 200
        var headers: [(name: String, value: String)] = []
        var content = Content.bytes([])
    }

    let rules: ServeRules
    let page: LivePage
    private let reader: JournalReader
    private let options: PageOptions
    private let machines: Machines
    private let served: WatchedFile
    private let states: LiveStates
    private let texts: LiveTexts
    /// Called after an act.
    private let changed: @Sendable () -> Void

    init(
        _ rules: ServeRules, _ page: LivePage, _ reader: JournalReader, _ options: PageOptions, _ machines: Machines,
        _ children: ReplayChildren?, changed: @escaping @Sendable () -> Void
    ) {
        (self.rules, self.page, self.reader, self.options) = (rules, page, reader, options)
        (self.machines, self.changed) = (machines, changed)
        served = WatchedFile(reader)
        states = LiveStates(reader, machines, children)
        texts = LiveTexts(reader: reader, redaction: options.redaction)
    }

    /// The thread waits for the answer.
    func answer(_ request: ServeRequest) -> Answer {
        var answer: Answer
        do throws(ServeRules.Refusal) {
            answer = try self.answer(rules.route(request), request)
        } catch {
            answer = text(error.message + "\n", error.status)
            if let allow = error.allow { answer.headers.append(("Allow", allow)) }
        }
        answer.headers += rules.headers(PageAssets.live.policy)
        return answer
    }

    private func answer(_ route: ServeRules.Route, _ request: ServeRequest) throws(ServeRules.Refusal) -> Answer {
        switch route {
        case .enter:
            return Answer(
                status: 303, headers: [("Location", rules.pagePath), ("Set-Cookie", rules.setCookie)])
        case .page:
            return Answer(headers: [("Content-Type", "text/html; charset=utf-8")], content: .bytes(wholePage))
        case .events(let revision):
            return Answer(headers: [("Content-Type", "text/event-stream")], content: .events(after: revision))
        case .steps(let first, let end):
            return try binary(page.read { $0.stepColumns(from: first, to: end) })
        case .outcomes: return try binary(page.read { $0.outcomes.map(\.rawValue) })
        case .runs(let first, let end): return try binary(page.read { $0.runColumns(from: first, to: end) })
        case .texts(let chunk): return try json { try texts.steps(chunk, page) }
        case .runTexts(let chunk): return try json { try texts.runs(chunk, page) }
        case .state(let stream, let step): return state(stream, step)
        case .act: return act(request)
        }
    }

    private var wholePage: [UInt8] {
        let summary = page.read {
            $0.summary(
                file: reader.file, options: options, machines: machines.names, allowsChanges: rules.allowsChanges)
        }
        let parts = PageAssets.live.parts(summary: PageChunks.element(" id=\"summary\"", Array(summary.json.utf8)))
        return parts.head + parts.tail
    }

    // MARK: Answers

    private func text(_ text: String, _ status: UInt32 = 200) -> Answer {
        Answer(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], content: .bytes(Array(text.utf8)))
    }

    private func json(_ json: JSON, _ status: UInt32 = 200) -> Answer {
        Answer(
            status: status, headers: [("Content-Type", "application/json")], content: .bytes(Array(json.json.utf8)))
    }

    private func json(_ read: () throws -> [UInt8]?) throws(ServeRules.Refusal) -> Answer {
        do {
            try served.check()
            guard let bytes = try read() else { throw ServeRules.missing }
            return Answer(headers: [("Content-Type", "application/json")], content: .bytes(bytes))
        } catch let refusal as ServeRules.Refusal {
            throw refusal
        } catch {
            throw ServeRules.Refusal(status: 500, message: told(error))
        }
    }

    private func binary(_ bytes: [UInt8]?) throws(ServeRules.Refusal) -> Answer {
        guard let bytes else { throw ServeRules.missing }
        return Answer(headers: [("Content-Type", "application/octet-stream")], content: .bytes(bytes))
    }

    /// An error as the page shows it.
    private func told(_ error: any Error) -> String { told("\(error)") }

    private func told(_ sentences: String) -> String { options.tool.inCommands(of: sentences) }

    private func problem(_ text: String, _ status: UInt32) -> Answer {
        json(.object([JSON.Member(key: "problem", value: .text(text))]), status)
    }

    private func state(_ stream: String, _ step: Int) -> Answer {
        // An answer like any other: the page shows it in place of the state.
        do throws(JournalError) { try served.check() } catch { return problem(told(error.sentences), 200) }
        guard options.hasStream(stream) else { return problem("The page does not have this stream.", 200) }
        switch states.state(of: stream, at: step) {
        case .success(let text):
            return json(.object([JSON.Member(key: "state", value: .text(options.redaction.json(text)))]))
        case .failure(let error):
            // An answer like any other: some steps have no state.
            guard options.redaction.isEmpty else { return problem("A step cannot be reduced.", 200) }
            return problem(told(error.sentences), 200)
        }
    }

    private func act(_ request: ServeRequest) -> Answer {
        guard let wanted = ServedAct(request.body) else { return problem("The act is not complete.", 400) }
        guard options.hasStream(wanted.stream) else {
            return problem("The page does not have this stream.", 403)
        }
        do {
            try served.check()
            let reason = try OperatorAct.reason(wanted.reason)
            let act = try wanted.planned(reader)
            let carriedOut = Lock(act)
            try Waiting.run { [reader] in
                try await Operator(reader: reader).carryOut([act], reason: reason) { done, error in
                    if let error { throw error }
                    carriedOut.withLock { $0 = done }
                }
            }
            changed()
            let sentence = carriedOut.withLock { $0.sentence(isDone: true) }
            return json(.object([JSON.Member(key: "done", value: .text(sentence))]))
        } catch {
            return problem(told(error), 409)
        }
    }
}
