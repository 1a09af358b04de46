import JournalStore

/// The lines of the pane: a state, the changes of a step, or the whole entry.
struct PaneText {
    let width: Int

    /// The lines; nil if their content is not loaded yet.
    func lines(of walk: Walk) -> [StyledText]? {
        if walk.pane == .entry { return walk.detail.map { entry($0, hasStates: walk.hasStates) } }
        guard let answer = walk.answer, answer.step == walk.window.selected?.step, answer.pane == walk.pane else {
            return nil
        }
        let note = answer.note.map { wrap($0, .problem) + [StyledText(text: "")] } ?? []
        switch answer.content {
        case .state(let text): return note + json(text)
        case .changes(let changes): return note + (changes.isEmpty ? wrap("Nothing changed.") : changes.flatMap(change))
        case .failure(let message): return wrap(SafeText.escape(message), .problem)
        }
    }

    private func json(_ text: String) -> [StyledText] {
        guard let lines = StoredJSON.lines(text, width: width) else { return wrap(SafeText.escape(text)) }
        return lines.flatMap { wrap(DateNote.added(to: $0)) }
    }

    private func change(_ change: ValueDiff.Change) -> [StyledText] {
        change.description.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            let ink: Ink = line.hasPrefix("+ ") ? .added : line.hasPrefix("- ") ? .removed : .plain
            return wrap(SafeText.escape(String(line)), ink)
        }
    }

    private func entry(_ detail: WalkDetail, hasStates: Bool) -> [StyledText] {
        let entry = detail.entry
        let problem = detail.problem.map { wrap(SafeText.escape($0), .problem) + [StyledText(text: "")] } ?? []
        var properties: [(String, String)] = []
        if detail.outcome.outcome != .reduced { properties.append(("Outcome", detail.outcome.description)) }
        properties.append(("Origin", entry.originWithCause))
        properties.append(("Time", entry.time.description))
        properties.append(("Version", "\(entry.version)"))
        if let cancelID = entry.cancelID { properties.append(("Cancel ID", cancelID)) }
        properties.append(("Position", "\(entry.position)"))
        properties.append(("Digest", entry.digest.description))
        var lines = problem + json(entry.action) + [StyledText(text: "")]
        for (label, text) in properties {
            lines += wrap(DisplayWidth.fit(label, to: 10) + SafeText.escape(text))
        }
        guard !hasStates else { return lines }
        let hint = Help.wrap(Walk.noMachine, to: width)
        return lines + [StyledText(text: "")] + hint.flatMap { wrap($0, .heading) }
    }

    private func wrap(_ text: String, _ ink: Ink = .plain) -> [StyledText] {
        DisplayWidth.wrap(text, to: width).map { StyledText(text: $0, ink: ink) }
    }
}
