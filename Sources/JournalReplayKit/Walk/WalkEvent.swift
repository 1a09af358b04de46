import JournalStore

/// The size of a screen.
struct ScreenSize: Hashable, Sendable {
    var columns: Int
    var rows: Int
}

/// What the part beside the steps shows.
enum WalkPane: Hashable, Sendable {
    /// The state after the step.
    case state
    /// What the step changed.
    case changes
    /// The entry as it is stored.
    case entry
}

/// What happens to a walk.
enum WalkEvent: Sendable {
    case key(KeyPress)
    case resized(ScreenSize)
    /// Time went by: as much as ``Walk/pause``.
    case tick
    /// The steps around one were read.
    case loaded(WalkWindow, around: Int)
    /// What the journal has of the selected step was read.
    case inspected(WalkDetail)
    /// The step was pruned since it was listed.
    case missing(Int)
    /// The machine has told of a step.
    case answered(WalkAnswer)
    /// The stream was looked at again, and the effects of a step with it.
    case looked(StreamInfo, WalkDetail?)
    case searched(WalkSearch.Result)
}

/// What a walk wants done.
enum WalkCommand: Hashable, Sendable {
    /// Read the steps around one, or around the first behind it where it is not there.
    case load(around: Int)
    /// Read what the journal has of a step.
    case inspect(Int)
    /// Ask the machine about a step.
    case ask(Int, WalkPane)
    /// Look at the stream again, and at the effects of a step.
    case look(Int?)
    case search(WalkSearch)
    /// Tell the person that there is no way on.
    case ring
    case redraw
    case suspend
    case quit
}

/// What the journal has of a step.
struct WalkDetail: Hashable, Sendable {
    var entry: Entry
    var runs: [EffectRun]
}

/// What the machine tells of a step.
struct WalkAnswer: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case state(String)
        case changes([ValueDiff.Change])
        /// What went wrong, in a sentence.
        case failure(String)
    }

    var step: Int
    var pane: WalkPane
    var content: Content
}
