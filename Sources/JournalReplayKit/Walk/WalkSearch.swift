/// A search for a text in the actions, a page at a time, so that a key can end it.
struct WalkSearch: Hashable, Sendable {
    /// What came of a page.
    enum Result: Hashable, Sendable {
        case found(step: Int)
        /// Not on this page; the next one begins here.
        case goesOn(from: Int)
        /// Not up to the end of the stream.
        case end
    }

    var text: String
    var isBackwards: Bool
    /// Where it began.
    let origin: Int
    /// The step the next page begins with.
    var next: Int
    /// Whether it went over the end of the stream and began at the other one.
    var isAround = false

    init(text: String, isBackwards: Bool, origin: Int) {
        self.text = text
        self.isBackwards = isBackwards
        self.origin = origin
        next = isBackwards ? origin - 1 : origin + 1
    }

    /// The search that follows what came of a page; nil where all was searched.
    func continued(after result: Result) -> WalkSearch? {
        var search = self
        switch result {
        case .found: return nil
        case .goesOn(let step):
            search.next = step
            return isAround && search.isPastOrigin(step) ? nil : search
        case .end:
            search.next = isBackwards ? .max : 1
            search.isAround = true
            return isAround ? nil : search
        }
    }

    /// Whether a step was searched before.
    func isPastOrigin(_ step: Int) -> Bool {
        isAround && (isBackwards ? step < origin : step > origin)
    }
}
