/// Who keeps what a body has done.
protocol StepKeeper: Sendable {
    /// Throws where nothing is heard of the body any more.
    func check() throws
    /// What earlier tries have remembered.
    func remembered() throws -> [RememberedStep]
    /// Returns once it is committed.
    func keep(path: String, name: String, use: Int, result: String) async throws
}

/// The steps of one try of a body: what was done before is not done again.
final class StepMemory: Sendable {
    private struct State {
        var uses = StepUses()
        /// Read when it is asked for, as most bodies have no steps.
        var known: [StepUses.Key: String]?
    }

    /// Where a body stands: the step around it.
    private enum Here {
        @TaskLocal static var path: (memory: ObjectIdentifier, path: String)?
    }

    private let keeper: any StepKeeper
    private let codec: JSONCodec
    private let checksCoding: Bool
    private let state = Lock(State())

    init(_ keeper: any StepKeeper, _ codec: JSONCodec, checksCoding: Bool) {
        self.keeper = keeper
        self.codec = codec
        self.checksCoding = checksCoding
    }

    /// The result of a step: the one that is remembered, or the one it comes to now, once that is committed.
    nonisolated(nonsending) func step<Value: Codable & Sendable>(
        _ name: String, _ body: () async throws -> Value
    ) async throws -> Value {
        try keeper.check()
        let path = Here.path.flatMap { $0.memory == ObjectIdentifier(self) ? $0.path : nil } ?? ""
        let key = try take(name, in: path)
        do {
            if let text = state.withLock({ $0.known?[key] }) { return try read(text, key) }
            let value = try await Here.$path.withValue((ObjectIdentifier(self), key.inside)) { try await body() }
            let text = try write(value, key)
            try await keeper.keep(path: key.path, name: key.name, use: key.use, result: text)
            state.withLock { $0.known?[key] = text }
            return value
        } catch {
            state.withLock { $0.uses.giveBack(key) }
            throw error
        }
    }

    private func write<Value: Codable>(_ value: Value, _ key: StepUses.Key) throws -> String {
        do { return try codec.encode(value, checked: checksCoding) } catch {
            let reason =
                error is LossyCoding
                ? "is not the same after it was encoded and decoded again" : "cannot be encoded (\(error))"
            throw EffectFailure(
                description:
                    "The result of the step \(key.inside) \(reason). Return what its Codable conformance can keep.",
                isFinal: true)
        }
    }

    private func read<Value: Decodable>(_ text: String, _ key: StepUses.Key) throws -> Value {
        do { return try codec.decode(Value.self, from: text) } catch {
            throw EffectFailure(
                description: """
                    The result that is remembered of the step \(key.inside) is no \(StoredName.of(Value.self)): \
                    \(text.prefix(200)). Give a step that comes to something else another name.
                    """, isFinal: true)
        }
    }

    private func take(_ name: String, in path: String) throws -> StepUses.Key {
        if state.withLock({ $0.known == nil }) {
            let found = try keeper.remembered().map {
                (StepUses.Key(path: $0.path, name: $0.name, use: $0.use), $0.result)
            }
            state.withLock { state in
                state.known = state.known ?? Dictionary(found) { first, _ in first }
            }
        }
        return state.withLock { $0.uses.take(name, in: path) }
    }
}

extension EffectContext {
    /// Does something once, and remembers what it came to: a body that runs again, after a restart or another try, is given the result
    /// and does not do it again. Returns once the result is committed.
    ///
    /// A step is known by its name, by the steps it stands in, and by the how-manieth use of that name it is. Steps that run at the same
    /// time need names of their own. One that throws is not remembered, and does not count as a use.
    ///
    /// ```swift
    /// let receipt = try await context.step("charge") { try await shop.charge(order, key: context.idempotencyKey) }
    /// try await context.step("mail") { try await shop.mail(receipt) }
    /// ```
    ///
    /// Between the end of the work and the commit of its result the process can die: then the work is done again. So give the outside an
    /// idempotency key all the same.
    ///
    /// - Throws: what the work throws; `CancellationError` or ``JournalError`` where nothing is heard of this body any more;
    ///   ``EffectFailure`` where a result of another type was remembered.
    @discardableResult
    nonisolated(nonsending) public func step<Value: Codable & Sendable>(
        _ name: String, _ body: () async throws -> Value
    ) async throws -> Value {
        try await memory.step(name, body)
    }

    /// Does something once that has no result.
    ///
    /// - Throws: as the other one.
    nonisolated(nonsending) public func step(_ name: String, _ body: () async throws -> Void) async throws {
        _ = try await memory.step(name) { () async throws -> Bool? in
            try await body()
            return nil
        }
    }
}
