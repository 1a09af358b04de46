import JournalStore

/// A walk through the steps of one stream: what a person sees, and what the keys do. Events in, commands out.
struct Walk {
    /// Who has the keys.
    enum Mode: Hashable {
        case walking
        /// It goes on by itself until a key is pressed.
        case playing
        /// A step is being typed.
        case jumping(String)
        /// The text to search for is being typed.
        case asking(String)
        case searching(WalkSearch)
        /// The help is shown from this line on.
        case help(Int)
    }

    /// The file's name.
    let file: String
    let stream: String
    /// Whether there is a machine to ask.
    let hasStates: Bool

    var size: ScreenSize
    var mode = Mode.walking
    /// The newest step.
    var head = 0
    /// Up to which step the entries were pruned.
    var pruned = 0
    var window = WalkWindow()
    var detail: WalkDetail?
    var answer: WalkAnswer?
    var pane: WalkPane
    /// What the pane shows, as far as it is known.
    var paneLines: [StyledText]?
    /// The first line of it that is seen.
    var scroll = 0
    var showsEffects = true
    /// What was searched for; nil where nothing is.
    var query: String?
    /// Said once, until the next key.
    var message: String?
    private(set) var pace = 3

    /// How long a step is shown that is played, in milliseconds.
    static let paces = [100, 200, 300, 500, 800, 1_200, 2_000]

    init(file: String, stream: String, hasStates: Bool, size: ScreenSize) {
        self.file = file
        self.stream = stream
        self.hasStates = hasStates
        self.size = size
        pane = hasStates ? .state : .entry
    }

    /// What to do first.
    static func start(at step: Int?) -> [WalkCommand] {
        [.load(around: step ?? .max), .look(nil)]
    }

    /// How long until the next tick, in milliseconds.
    var pause: Int { mode == .playing ? Walk.paces[pace] : 500 }

    var layout: WalkLayout { WalkLayout(size: size, showsEffects: showsEffects) }

    /// Whether what the pane shows is still to come.
    var isWaiting: Bool { window.selected != nil && paneLines == nil }

    mutating func handle(_ event: WalkEvent) -> [WalkCommand] {
        switch event {
        case .key(let key):
            message = nil
            return press(key)
        case .resized(let size):
            self.size = size
            layOutPane()
            return keepWindow()
        case .tick: return mode == .playing ? playOn() : [.look(window.selected?.step)]
        case .loaded(let window, let step): return load(window, around: step)
        case .inspected(let detail): return inspect(detail)
        case .missing(let step): return step == window.selected?.step ? [.load(around: step)] : []
        case .answered(let answer):
            guard answer.step == window.selected?.step, answer.pane == pane else { return [] }
            self.answer = answer
            layOutPane()
            return []
        case .looked(let stream, let detail): return look(stream, detail)
        case .searched(let result): return goOn(after: result)
        }
    }

    /// - Returns: whether there is such a pace.
    mutating func changePace(by delta: Int) -> Bool {
        guard Walk.paces.indices.contains(pace + delta) else { return false }
        pace += delta
        return true
    }
}
