// What is typed on the last line: a step to jump to, or a text to search for.

extension Walk {
    /// No longer text makes sense.
    private static let longest = 200

    mutating func type(
        _ key: KeyPress, into text: String, _ prompt: (String) -> Mode, _ take: (inout Walk, String) -> [WalkCommand]
    ) -> [WalkCommand] {
        switch key {
        case .enter:
            mode = .walking
            return take(&self, text)
        case .escape: mode = .walking
        // Nothing is left to take away: the prompt itself goes.
        case .backspace, .delete: mode = text.isEmpty ? .walking : prompt(String(text.dropLast()))
        case .control("u"): mode = prompt("")
        case .text(let character):
            let isWanted =
                if case .jumping = mode { character.isASCII && character.isWholeNumber } else { true }
            guard isWanted, text.count < Walk.longest else { return [.ring] }
            mode = prompt(text + String(character))
        default: return [.ring]
        }
        return []
    }

    mutating func jump(to text: String) -> [WalkCommand] {
        guard !text.isEmpty else { return [] }
        // So many digits are behind the last step anyway.
        return go(to: Int(text) ?? .max)
    }

    /// An empty text stands for the last one.
    mutating func search(for text: String, backwards isBackwards: Bool = false) -> [WalkCommand] {
        let text = text.isEmpty ? query ?? "" : text
        guard !text.isEmpty, let step = window.selected?.step else { return [] }
        query = text
        let search = WalkSearch(text: text, isBackwards: isBackwards, origin: step)
        mode = .searching(search)
        return [.search(search)]
    }

    mutating func goOn(after result: WalkSearch.Result) -> [WalkCommand] {
        // It was stopped meanwhile.
        guard case .searching(let search) = mode else { return [] }
        if case .found(let step) = result, !search.isPastOrigin(step) {
            mode = .walking
            if search.isAround {
                message = search.isBackwards ? "Went on from the end." : "Went on from the beginning."
            }
            return go(to: step)
        }
        if let next = search.continued(after: result) {
            mode = .searching(next)
            return [.search(next)]
        }
        mode = .walking
        message = "No action has '\(SafeText.escape(search.text))' in it."
        query = nil
        return [.ring]
    }

    mutating func endSearch(_ message: String) -> [WalkCommand] {
        mode = .walking
        query = nil
        self.message = message
        return []
    }
}
