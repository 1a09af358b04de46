/// A search for a text, a page at a time, so that a key can end it: for the steps whose action contains it, and with a
/// machine for the steps at which it appears in the state.
struct WalkSearch: Hashable, Sendable {
    /// The result of searching one page.
    enum Result: Hashable, Sendable {
        /// - Parameters:
        ///   - isInState: Whether it appears in the state, and is not in the action.
        ///   - wasBefore: Whether it is in the state before the step too: only at the first step of the stream. Nil if that
        ///     state cannot be computed.
        case found(step: Int, isInState: Bool = false, wasBefore: Bool? = false)
        /// Not found on this page; the next page begins here.
        ///
        /// - Parameter hasUnknown: Whether some states cannot be computed.
        case goesOn(from: Int, hasUnknown: Bool = false)
        /// Not found up to the end of the stream.
        case end(hasUnknown: Bool = false)

        var hasUnknown: Bool {
            switch self {
            case .found: false
            case .goesOn(_, let hasUnknown), .end(let hasUnknown): hasUnknown
            }
        }
    }

    var text: String
    var isBackwards: Bool
    /// The step where the search began.
    let origin: Int
    /// The step with which the next page begins.
    var next: Int
    /// Whether the search wrapped around at the end of the stream.
    var isAround = false
    /// Whether some of the states that it passed cannot be computed.
    var hasUnknown = false

    /// Whether a text contains what is searched: as it was typed, or as a pane shows JSON.
    func isIn(_ stored: String) -> Bool {
        if TextSearch.contains(stored, text) { return true }
        let search = WalkSearch.asStored(text)
        return search != text && TextSearch.contains(WalkSearch.asStored(stored), search)
    }

    /// The text without the spaces that a pane shows after colons and commas.
    static func asStored(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var last: UInt8?
        for byte in text.utf8 {
            let isShown = byte == UInt8(ascii: " ") && (last == UInt8(ascii: ":") || last == UInt8(ascii: ","))
            if !isShown { bytes.append(byte) }
            last = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    init(text: String, isBackwards: Bool, origin: Int) {
        self.text = text
        self.isBackwards = isBackwards
        self.origin = origin
        next = isBackwards ? origin - 1 : origin + 1
    }

    /// The search to continue with after a page; nil if a step was found or everything was searched.
    func continued(after result: Result) -> WalkSearch? {
        var search = self
        search.hasUnknown = hasUnknown || result.hasUnknown
        switch result {
        case .found: return nil
        case .goesOn(let step, _):
            search.next = step
            return isAround && search.isPastOrigin(step) ? nil : search
        case .end:
            search.next = isBackwards ? .max : 1
            search.isAround = true
            return isAround ? nil : search
        }
    }

    /// Whether a step was already searched before the wrap-around.
    func isPastOrigin(_ step: Int) -> Bool {
        isAround && (isBackwards ? step < origin : step > origin)
    }
}
