import JournalStore

/// A walk through the steps of one stream: what is shown, and what the keys do. Events in, commands out.
struct Walk {
    /// What the keys act on.
    enum Mode: Hashable {
        case walking
        /// The steps advance automatically until a key is pressed.
        case playing
        /// A step is being typed.
        case jumping(String)
        /// The text to search for is being typed.
        case asking(String)
        case searching(WalkSearch)
        /// The help is shown, beginning with this line.
        case help(Int)
    }

    /// The file's name.
    let file: String
    let stream: String
    /// Whether a machine is loaded that computes states.
    let hasStates: Bool

    var size: ScreenSize
    var mode = Mode.walking
    /// The newest step.
    var head = 0
    /// The last step up to which entries were pruned.
    var pruned = 0
    /// The newest step for which the window was loaded, which may be one that cannot be read; nil before it was loaded.
    var lookedFor: Int?
    var window = WalkWindow()
    var detail: WalkDetail?
    var answer: WalkAnswer?
    var pane: WalkPane
    /// The lines of the pane; nil while they are loading.
    var paneLines: [StyledText]?
    /// The first visible line of the pane.
    var scroll = 0
    /// The text to scroll to, once the state that contains it is loaded.
    var scrollsTo: String?
    var showsEffects = true
    /// The text of the last search; nil if it has ended.
    var query: String?
    /// A message that is shown until the next key.
    var message: String?
    private(set) var pace = 3

    /// How long each step is shown while playing, in milliseconds.
    static let paces = [100, 200, 300, 500, 800, 1_200, 2_000]

    init(file: String, stream: String, hasStates: Bool, size: ScreenSize) {
        self.file = file
        self.stream = stream
        self.hasStates = hasStates
        self.size = size
        pane = hasStates ? .state : .entry
    }

    /// The first commands of a walk. It looks first, to be able to say why another step than the wanted one is selected.
    static func start(at step: Int?) -> [WalkCommand] {
        [.look(nil), .load(around: step ?? .max)]
    }

    /// The time to the next tick, in milliseconds.
    var pause: Int { mode == .playing ? Walk.paces[pace] : 500 }

    var layout: WalkLayout { WalkLayout(size: size, showsEffects: showsEffects) }

    /// Whether the content of the pane is still loading.
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
        case .searched(let search, let result): return goOn(search, after: result)
        }
    }

    /// - Returns: false if there is no faster or slower pace.
    mutating func changePace(by delta: Int) -> Bool {
        guard Walk.paces.indices.contains(pace + delta) else { return false }
        pace += delta
        return true
    }
}
