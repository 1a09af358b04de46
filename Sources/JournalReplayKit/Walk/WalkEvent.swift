import JournalStore

/// What the pane beside the steps shows.
enum WalkPane: Hashable, Sendable {
    /// The state after the step.
    case state
    /// The changes by the step.
    case changes
    /// The entry as it is stored.
    case entry
}

/// An event that a walk handles.
enum WalkEvent: Sendable {
    case key(KeyPress)
    case resized(ScreenSize)
    /// The time ``Walk/pause`` has passed.
    case tick
    /// The steps around a step were read.
    case loaded(WalkWindow, around: Int)
    /// The entry and effects of a step were read.
    case inspected(WalkDetail)
    /// The step was pruned after it was listed.
    case missing(Int)
    /// The machine has computed the content for a step.
    case answered(WalkAnswer)
    /// The stream was read again, and the effects of a step with it.
    case looked(StreamInfo, WalkDetail?)
    case searched(WalkSearch, WalkSearch.Result)
}

/// A command that a walk returns.
enum WalkCommand: Hashable, Sendable {
    /// Read the steps around a step; if it does not exist, around the first one after it.
    case load(around: Int)
    /// Read the entry and effects of a step.
    case inspect(Int)
    /// Ask the machine for the state or the changes at a step.
    case ask(Int, WalkPane)
    /// Read the stream again, and the effects of a step.
    case look(Int?)
    case search(WalkSearch)
    /// Ring the bell: the key has no effect.
    case ring
    case redraw
    case suspend
    case quit
}

struct WalkDetail: Hashable, Sendable {
    var entry: Entry
    var outcome: StepOutcome
    var runs: [EffectRun]
    /// What is wrong with the entry, or with the place before it.
    var problem: String?
}

/// The state or the changes at a step, from the machine.
struct WalkAnswer: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case state(String)
        case changes([ValueDiff.Change])
        /// The error, in a sentence.
        case failure(String)
    }

    var step: Int
    var pane: WalkPane
    var content: Content
    /// What to tell beside the content.
    var note: String?
}
