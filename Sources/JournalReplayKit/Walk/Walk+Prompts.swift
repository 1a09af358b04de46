// The prompts on the last line: a step to jump to, or a text to search for.

extension Walk {
    /// The longest text that can be typed.
    private static let longest = 200

    mutating func type(
        _ key: KeyPress, into text: String, _ prompt: (String) -> Mode, _ take: (inout Walk, String) -> [WalkCommand]
    ) -> [WalkCommand] {
        switch key {
        case .enter:
            mode = .walking
            return take(&self, text)
        case .escape: mode = .walking
        // If no character is left to delete, the prompt is closed.
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
        // A number that does not fit is after the last step anyway.
        return go(to: Int(text) ?? .max)
    }

    /// Searches for a text; an empty text means the last one searched for.
    mutating func search(for text: String, backwards isBackwards: Bool = false) -> [WalkCommand] {
        let text = text.isEmpty ? query ?? "" : text
        guard !text.isEmpty, let step = window.selected?.step else { return [] }
        query = text
        let search = WalkSearch(text: text, isBackwards: isBackwards, origin: step)
        mode = .searching(search)
        return [.search(search)]
    }

    mutating func goOn(_ search: WalkSearch, after result: WalkSearch.Result) -> [WalkCommand] {
        // The search was stopped meanwhile, or another one began.
        guard mode == .searching(search) else { return [] }
        if case .found(let step, let isInState, let wasBefore) = result, !search.isPastOrigin(step) {
            mode = .walking
            if search.isAround {
                message = search.isBackwards ? "Continued from the end." : "Continued from the beginning."
            }
            guard isInState else { return go(to: step) }
            switch wasBefore {
            case false?: break
            case true?: message = (message.map { $0 + " " } ?? "") + "The state before this step has it too."
            case nil: message = "The state before cannot be computed: it can have appeared earlier."
            }
            (pane, scrollsTo) = (.state, search.text)
            let commands = go(to: step)
            return commands.isEmpty ? show(.state) : commands
        }
        if let next = search.continued(after: result) {
            mode = .searching(next)
            return [.search(next)]
        }
        mode = .walking
        let text = "'\(SafeText.escape(search.text))'"
        let which = search.hasUnknown || result.hasUnknown ? "no state that can be computed" : "no state"
        message = hasStates ? "No action contains \(text), and it appears in \(which)." : "No action contains \(text)."
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
