/// Stores the results of the steps of one effect body.
protocol StepKeeper: Sendable {
    /// Throws if the run is fenced.
    func check() throws
    /// The results that earlier attempts stored.
    func remembered() throws -> RememberedResults
    /// One page of results of a name: that of this use, and then of later ones. Throws if it is not stored.
    func remembered(from key: StepUses.Key) throws -> [RememberedStep]
    /// Stores a result. Returns once it is committed.
    func keep(path: String, name: String, use: Int, result: String) async throws
}

/// The steps of one attempt of a body: a step with a remembered result does not run again.
final class StepMemory: Sendable {
    /// What steps that run at the same time must differ in.
    private struct Place: Hashable {
        var path: String
        var name: String
    }

    private struct State {
        var uses = StepUses()
        var running: Set<Place> = []
        /// The results of earlier attempts that were not asked for yet.
        /// Loaded on first use, because most bodies have no steps.
        var loaded: RememberedResults?
        /// Other results of steps inside steps, by the path of the enclosing step.
        var nested = StepTree<[StepUses.Key: String]>()

        func find(_ key: StepUses.Key) -> RememberedResults.Found? {
            if let found = loaded?.find(key) { return found }
            guard let text = nested[key.path]?[key] else { return nil }
            return .result(text)
        }

        mutating func add(page: [RememberedStep]) { loaded?.add(page: page) }

        /// A step has its result. It is asked for again only if an enclosing step throws and is tried again, so a body
        /// of many steps does not hold all their results. What is inside the step is not asked for again at all.
        mutating func note(_ result: String, of key: StepUses.Key) {
            loaded?.remove(key)
            nested.drop(key.inside)
            if !key.path.isEmpty { nested.change(key.path, default: [:]) { $0[key] = result } }
        }
    }

    /// The path of the enclosing step.
    private enum Here {
        @TaskLocal static var path: (memory: ObjectIdentifier, path: String)?
    }

    private let keeper: any StepKeeper
    private let codec: JSONCodec
    private let checksCoding: Bool
    private let state = Lock(State())

    init(_ keeper: any StepKeeper, _ codec: JSONCodec, checksCoding: Bool) {
        (self.keeper, self.codec, self.checksCoding) = (keeper, codec, checksCoding)
    }

    /// Returns the remembered result of a step, or runs the step and returns its result once that is committed.
    nonisolated(nonsending) func step<Value: Codable & Sendable>(
        _ name: String, _ body: () async throws -> Value
    ) async throws -> Value {
        try keeper.check()
        let path = Here.path.flatMap { $0.memory == ObjectIdentifier(self) ? $0.path : nil } ?? ""
        let key = try take(name, in: path)
        defer { state.withLock { _ = $0.running.remove(Place(path: key.path, name: key.name)) } }
        do {
            if let text = try remembered(key) {
                let value: Value = try read(text, key)
                state.withLock { $0.note(text, of: key) }
                return value
            }
            let value = try await Here.$path.withValue((ObjectIdentifier(self), key.inside)) { try await body() }
            let text = try write(value, key)
            try await keeper.keep(path: key.path, name: key.name, use: key.use, result: text)
            state.withLock { $0.note(text, of: key) }
            return value
        } catch {
            state.withLock { $0.uses.giveBack(key) }
            throw error
        }
    }

    /// The stored result of a step; nil if there is none.
    private func remembered(_ key: StepUses.Key) throws -> String? {
        switch state.withLock({ $0.find(key) }) {
        case nil: return nil
        case .result(let text)?: return text
        case .unread(let stored)?:
            let page: [RememberedStep]
            do { page = try keeper.remembered(from: stored) } catch {
                // If the run was fenced meanwhile, the rows can have been pruned.
                try keeper.check()
                throw error
            }
            state.withLock { $0.add(page: page) }
            return page.first?.result
        }
    }

    private func write<Value: Codable>(_ value: Value, _ key: StepUses.Key) throws -> String {
        do { return try codec.encode(value, checked: checksCoding) } catch {
            let reason =
                switch error as? LossyCoding {
                case nil: "cannot be encoded (\(error))"
                case .differs(let place)?: LossyCoding.difference(at: place)
                case .notDecodable(let thrown)?: "cannot be decoded after it was encoded (\(thrown))"
                }
            throw EffectFailure(
                description:
                    "The result of the step \(key.inside) \(reason). Return what its Codable conformance preserves.",
                isFinal: true)
        }
    }

    private func read<Value: Decodable>(_ text: String, _ key: StepUses.Key) throws -> Value {
        do { return try codec.decode(Value.self, from: text) } catch {
            throw EffectFailure(
                description: """
                    The remembered result of the step \(key.inside) cannot be decoded as a \
                    \(StoredName.of(Value.self))\(ErrorLocation.reason(error)). \
                    Give a step that returns another type a new name.
                    """, isFinal: true)
        }
    }

    private func take(_ name: String, in path: String) throws -> StepUses.Key {
        if state.withLock({ $0.loaded == nil }) {
            let found = try keeper.remembered()
            state.withLock { state in state.loaded = state.loaded ?? found }
        }
        let key = state.withLock { state in
            state.running.insert(Place(path: path, name: name)).inserted ? state.uses.take(name, in: path) : nil
        }
        guard let key else {
            throw EffectFailure(
                description: """
                    Two steps '\(name)' run at the same time. A restart could exchange their results, as they are told \
                    apart by their order. Give each a name of its own.
                    """, isFinal: true)
        }
        return key
    }
}

extension EffectContext {
    /// Runs a part of the effect's body once and stores its result. If the body runs again, after a restart or for a
    /// retry, this method returns the stored result instead. It returns once the result is committed. An ephemeral effect
    /// remembers nothing.
    ///
    /// A step is identified by its name, the steps that enclose it, and n if it is the n-th use of that name. Steps
    /// that run concurrently need different names: while a step runs, another one of its name throws.
    ///
    /// A step that throws is not remembered and does not count as a use. So a body must not go on to other steps in a
    /// `catch` around one: when it runs again, the step may not throw. Catch the error inside of the step, and return
    /// what it means.
    ///
    /// ```swift
    /// let receipt = try await context.step("charge") { try await shop.charge(order, key: context.idempotencyKey) }
    /// try await context.step("mail") { try await shop.mail(receipt) }
    /// ```
    ///
    /// If the process dies after the work and before the commit of its result, the work runs again. Pass an idempotency
    /// key to outside services all the same.
    ///
    /// Each step costs a commit.
    ///
    /// - Throws: The error of the work; `CancellationError` or ``JournalError`` if the run has been cancelled or its
    ///   store has ended; ``EffectFailure`` if the result cannot be encoded, the stored one has another type, or a step of this
    ///   name runs.
    @discardableResult
    nonisolated(nonsending) public func step<Value: Codable & Sendable>(
        _ name: String, _ body: () async throws -> Value
    ) async throws -> Value {
        try await memory.step(name, body)
    }

    /// Runs a part of the effect's body once that has no result.
    ///
    /// - Throws: The same errors as the variant that returns a value.
    nonisolated(nonsending) public func step(_ name: String, _ body: () async throws -> Void) async throws {
        _ = try await memory.step(name) { () async throws -> Bool? in
            try await body()
            return nil
        }
    }
}
