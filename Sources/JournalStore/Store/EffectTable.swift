/// The runs of a store that have not ended: what starts them, and what is running.
struct EffectTable<Action: Sendable, State: Sendable> {
    /// What is needed to start a run, and what the actions that it sends inherit.
    struct Body {
        let run: Effect<Action>.Run
        let root: Int
        let time: Timestamp
        let seed: Seed
        let priority: TaskPriority?
        /// Nil if no caller has it.
        weak var tracker: Tracker<Action>?
        let isResumed: Bool
    }

    var bodies: [RunKey: Body] = [:]
    /// The runs whose bodies are running.
    var handles: [RunKey: RunHandle<Action, State>] = [:]
    /// When the store began to close, the bodies of these had not begun.
    var unbegun: Set<RunKey> = []
    /// The errors of runs that are ending, for their callers and for failure actions.
    var errors: [RunKey: any Error] = [:]
    /// The calls of a plain effect, unless the app counts them.
    lazy var calls = PlainCalls()
}
