/// The only connection between a running body and its store. Once it is cut, the body is fenced.
final class RunHandle<Action: Sendable, State: Sendable>: Sendable {
    private enum Link {
        case connected(StoreEngine<Action, State>)
        case cut(any Error)
    }

    private struct Held {
        var link: Link
        var task: Task<Void, Never>?
        /// What the caller of the dispatch follows. Nil if no caller has it.
        weak var tracker: Tracker<Action>?
        var hasBegun = false
        /// Whether the body has returned or thrown.
        var isOver = false
    }

    let key: RunKey
    let attempt: Int
    private let held: Lock<Held>

    init(_ engine: StoreEngine<Action, State>, key: RunKey, attempt: Int, tracker: Tracker<Action>?) {
        self.key = key
        self.attempt = attempt
        held = Lock(Held(link: .connected(engine), tracker: tracker))
    }

    func start(
        _ body: @escaping Effect<Action>.Body, _ context: EffectContext, record: EffectRun, priority: TaskPriority?,
        on executor: (any TaskExecutor)?, _ options: JournalOptions
    ) {
        let watch = BodyWatch(options, context, record)
        let task = options.spawn(priority: priority, on: executor) { [self] in
            // A body that has not begun when its run is cancelled, or its store is closed, does not begin.
            guard begin() else { return }
            let send = Effect<Action>.Send { [self] action in try await self.send(action) }
            let result: Result<Action?, any Error>
            do { result = .success(try await watch.follow { try await body(send, context) }) } catch {
                result = .failure(error)
            }
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

    /// - Returns: whether the body may begin.
    private func begin() -> Bool {
        held.withLock { held in
            guard case .connected = held.link else { return false }
            held.hasBegun = true
            return true
        }
    }

    /// Fences the body, then cancels its task.
    ///
    /// - Returns: whether the body has begun.
    @discardableResult
    func cut(_ reason: any Error) -> Bool {
        let (task, hasBegun) = held.withLock { held in
            held.link = .cut(reason)
            defer { (held.task, held.tracker) = (nil, nil) }
            return (held.task, held.hasBegun)
        }
        task?.cancel()
        return hasBegun
    }

    private func engine() throws -> StoreEngine<Action, State> {
        let link = held.withLock { $0.link }
        switch link {
        case .connected(let engine): return engine
        case .cut(let reason): throw reason
        }
    }

    private func send(_ action: Action) async throws {
        let engine = try engine()
        let text = try engine.encode(action)
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            engine.post(
                .send(
                    SendRequest(key: key, .action(attempt: attempt), action: action, text: text) {
                        continuation.resume(with: $0)
                    }))
        }
        // If the action has cancelled its own effect, the body must not continue.
        try check()
    }

    /// The body has returned or thrown.
    ///
    /// - Returns: the engine; nil if the body was fenced before.
    private func end() -> StoreEngine<Action, State>? {
        held.withLock { held in
            held.isOver = true
            return if case .connected(let engine) = held.link { engine } else { nil }
        }
    }

    private func ended(_ last: Action?) {
        guard let engine = end() else { return }
        guard let last else { return engine.post(.bodyEnded(key, attempt: attempt, nil)) }
        do {
            let text = try engine.encode(last)
            engine.post(.send(SendRequest(key: key, .finalAction(attempt: attempt), action: last, text: text)))
        } catch {
            ended(error)
        }
    }

    private func ended(_ error: any Error) {
        guard let engine = end() else { return }
        engine.post(.bodyEnded(key, attempt: attempt, error))
    }
}

extension RunHandle: StepKeeper {
    func check() throws { _ = try engine() }

    /// The results that earlier attempts stored.
    func remembered() throws -> RememberedResults {
        let engine = try engine()
        if attempt == 1 { return RememberedResults() }
        let found = try engine.stream.journal.reader.rememberedResults(of: engine.stream.name, key)
        // If it was cut meanwhile, the rows can have been pruned.
        try check()
        return found
    }

    func remembered(from step: StepUses.Key) throws -> [RememberedStep] {
        let engine = try engine()
        return try engine.stream.journal.reader.rememberedPage(of: engine.stream.name, key, from: step)
    }

    func keep(path: String, name: String, use: Int, result: String) async throws {
        let engine = try engine()
        let step = RememberedStep(
            stream: engine.stream.id, step: key.step, ordinal: key.ordinal, path: path, name: name, use: use,
            result: result)
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            engine.post(.remember(step, attempt: attempt) { continuation.resume(with: $0) })
        }
        // If it was cut meanwhile, the body must not continue.
        try check()
    }
}

extension RunHandle: OutputEmitter {
    func emit(_ value: any Sendable) {
        let link: (engine: StoreEngine<Action, State>, tracker: Tracker<Action>?)? = held.withLock { held in
            guard !held.isOver, case .connected(let engine) = held.link else { return nil }
            return (engine, held.tracker)
        }
        link?.engine.outputs.append(value)
        link?.tracker?.outputs.append(value)
    }

    /// A caller follows the run from now on.
    func follow(_ tracker: Tracker<Action>) {
        held.withLock { $0.tracker = tracker }
    }
}
