@testable import JournalStore

extension Effect.Part {
    /// The part in one line.
    var outline: String {
        switch self {
        case .next(let action): "next \(action)"
        case .reject(let reason): "reject \(reason)"
        case .run(let run): "run \(run.name ?? "-")"
        case .cancel(.id(let id)): "cancel \(id.base)"
        case .cancel(.predicate): "cancel where"
        case .updateQueue(let queue): "update \(type(of: queue))"
        }
    }
}

extension Effect {
    /// One line for each part.
    var outline: [String] { parts.map(\.outline) }

    /// Its runs.
    var runs: [Run] {
        parts.compactMap { if case .run(let run) = $0 { run } else { nil } }
    }

    /// The conditions of its cancels.
    var conditions: [@Sendable (AnyEffectID?) -> Bool] {
        parts.compactMap { if case .cancel(.predicate(let condition)) = $0 { condition } else { nil } }
    }
}

extension Effect.Run {
    func perform(_ send: Effect.Send, _ context: EffectContext) async throws -> Action? {
        guard let body = work.body else { throw EffectFailure(description: "It has no body.") }
        return try await body(send, context)
    }

    /// The actions that its body sends, then the one that it returns.
    func actions(_ context: EffectContext = .any) async throws -> [Action] {
        let sent = Box<[Action]>([])
        let last = try await perform(Effect.Send { action in sent.change { $0.append(action) } }, context)
        return sent.value + [last].compactMap(\.self)
    }
}

extension EffectContext {
    static let any = EffectContext.of()

    static func of(
        ordinal: Int = 0, attempt: Int = 1, isResumed: Bool = false, delivered: Int = 0, seed: Seed = .any,
        memory: StepMemory = StepMemory(Notebook(), JSONCodec(), checksCoding: true)
    ) -> EffectContext {
        EffectContext(
            stream: "a", step: 7, ordinal: ordinal, attempt: attempt, isResumed: isResumed, delivered: delivered,
            clock: ContinuousClock(), time: Timestamp(microseconds: 1_500_000), seed: seed,
            identity: EffectRun.Identity(name: "effect", twin: ordinal),
            memory: memory, emitter: Unheard())
    }
}

/// Drops outputs.
struct Unheard: OutputEmitter {
    func emit(_ value: any Sendable) {}
}

extension Seed {
    static let any = Seed.of()

    /// A seed that differs from the others in one number.
    static func of(stream: UInt8 = 1, entry: UInt64 = 2) -> Seed {
        Seed(stream: StreamSeed([UInt8](repeating: stream, count: 16)), entry: Digest(high: entry, low: 0))
    }
}

extension Step {
    static func of(substep: Int = 0, seed: Seed = .any) -> Step {
        Step(stream: "a", number: 7, substep: substep, time: Timestamp(microseconds: 1_500_000), seed: seed)
    }

    /// Its first random numbers.
    func numbers(_ count: Int) -> [UInt64] {
        var step = self
        return (0..<count).map { _ in step.next() }
    }
}

extension Reducer {
    /// Reduces an action by hand.
    func callAsFunction(_ action: Action, _ state: inout State, _ environment: Environment) -> Effect<Action> {
        var step = Step.of()
        return reduce(action, &state, environment, &step)
    }
}

extension Reducer where Environment == Void {
    /// Reduces an action by hand.
    func callAsFunction(_ action: Action, _ state: inout State) -> Effect<Action> { self(action, &state, ()) }
}

/// Stores remembered steps, like a journal.
final class Notebook: StepKeeper {
    private let steps = Box<[RememberedStep]>([])
    /// The error that every check throws.
    let refusal = Box<(any Error)?>(nil)

    /// The steps from which a page was read.
    let pages = Box<[String]>([])
    /// The error that reading a page throws.
    let unreadable = Box<(any Error)?>(nil)
    /// The error that every check throws from then on.
    let fencing = Box<(any Error)?>(nil)
    /// How many bytes of results are read at first.
    private let room: Int

    init(room: Int = .max) { self.room = room }

    /// `path|name|use|result`
    var lines: [String] { steps.value.map { "\($0.path)|\($0.name)|\($0.use)|\($0.result)" } }

    func check() throws {
        if let refusal = refusal.value { throw refusal }
    }

    func remembered() throws -> RememberedResults {
        var found = RememberedResults()
        for step in steps.value { found.add(step, room: room) }
        return found
    }

    /// A page has two results.
    func remembered(from key: StepUses.Key) throws -> [RememberedStep] {
        if let error = unreadable.value {
            if let reason = fencing.value { refusal.change { $0 = reason } }
            throw error
        }
        pages.change { $0.append(key.inside) }
        let uses = steps.value.filter { $0.path == key.path && $0.name == key.name && $0.use >= key.use }
        return Array(uses.sorted { $0.use < $1.use }.prefix(2))
    }

    func keep(path: String, name: String, use: Int, result: String) async throws {
        try check()
        let step = RememberedStep(
            stream: StreamID(rawValue: 1), step: 1, ordinal: 0, path: path, name: name, use: use, result: result)
        steps.change { $0.append(step) }
    }
}
