/// The only thread between a body that runs and its store: once it is cut, nothing the body still says is heard.
final class RunHandle<Action: Sendable, State: Sendable>: Sendable {
    private enum Link {
        case connected(Core<Action, State>)
        case cut(any Error)
    }

    private struct Held {
        var link: Link
        var task: Task<Void, Never>?
    }

    let key: RunKey
    let attempt: Int
    private let held: Lock<Held>

    init(_ core: Core<Action, State>, key: RunKey, attempt: Int) {
        self.key = key
        self.attempt = attempt
        held = Lock(Held(link: .connected(core)))
    }

    /// Starts the body.
    func start(
        _ body: @escaping Effect<Action>.Body, _ context: EffectContext, record: EffectRun, priority: TaskPriority?,
        _ options: Journal.Options
    ) {
        let point = options.probe.map { _ in
            Journal.Options.CrashPoint.Body(context, restart: record.restart, name: record.name)
        }
        let task = options.spawn(priority: priority) { [self] in
            let send = Effect<Action>.Send { [self] action in try await self.send(action) }
            if let point { options.probe?(.started(point)) }
            let result: Result<Action?, any Error>
            do { result = .success(try await body(send, context)) } catch { result = .failure(error) }
            if let point { options.probe?(.ended(point)) }
            switch result {
            case .success(let last): ended(last)
            case .failure(let error): ended(error)
            }
        }
        let isCut = held.withLock { held in
            guard case .connected = held.link else { return true }
            held.task = task
            return false
        }
        if isCut { task.cancel() }
    }

    /// Nothing is heard of the body from here on; only then its task is cancelled.
    func cut(_ reason: any Error) {
        let task = held.withLock { held in
            held.link = .cut(reason)
            defer { held.task = nil }
            return held.task
        }
        task?.cancel()
    }

    private func core() throws -> Core<Action, State> {
        let link = held.withLock { $0.link }
        switch link {
        case .connected(let core): return core
        case .cut(let reason): throw reason
        }
    }

    private func send(_ action: Action) async throws {
        let core = try core()
        let text = try core.encode(action)
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            core.post(
                .send(
                    SendRequest(key: key, .more(attempt: attempt), action: action, text: text) {
                        continuation.resume(with: $0)
                    }))
        }
    }

    private func ended(_ last: Action?) {
        guard let core = try? core() else { return }
        guard let last else { return core.post(.bodyEnded(key, attempt: attempt, nil)) }
        do {
            let text = try core.encode(last)
            core.post(.send(SendRequest(key: key, .last(attempt: attempt), action: last, text: text)))
        } catch {
            ended(error)
        }
    }

    private func ended(_ error: any Error) {
        guard let core = try? core() else { return }
        core.post(.bodyEnded(key, attempt: attempt, error))
    }
}

extension RunHandle: StepKeeper {
    func check() throws { _ = try core() }

    /// What earlier tries have remembered.
    func remembered() throws -> [RememberedStep] {
        let core = try core()
        if attempt == 1 { return [] }
        return try core.stream.journal.reader.remembered(of: core.stream.name, step: key.step, ordinal: key.ordinal)
    }

    func keep(path: String, name: String, use: Int, result: String) async throws {
        let core = try core()
        let step = RememberedStep(
            stream: core.stream.id, step: key.step, ordinal: key.ordinal, path: path, name: name, use: use,
            result: result)
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            core.post(.remember(step, attempt: attempt) { continuation.resume(with: $0) })
        }
        // It may have been cut meanwhile: what is remembered then is of no use to it any more.
        try check()
    }
}

extension Journal.Options.CrashPoint.Body {
    init(_ context: EffectContext, restart: String, name: String) {
        self.init(
            stream: context.stream, step: context.step, ordinal: context.ordinal, name: name, attempt: context.attempt,
            idempotencyKey: context.idempotencyKey, restart: restart)
    }
}
