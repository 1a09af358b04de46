/// Assigns the words of a command line to the positional arguments of a command.
///
/// The number of the words decides which optional arguments are left out. If it leaves a choice between two optional
/// ones, a word belongs to the one whose form it has: of `state FILE [STREAM] [STEP]`, a lone `17` is the step, also if
/// a stream has that name. `--stream 17` names such a stream.
struct Assignment {
    let places: [Positional]
    private var words: ArraySlice<String>
    private var assigned: [String: String] = [:]

    init(places: [Positional], words: [String]) {
        self.places = places
        self.words = words[...]
    }

    /// The values by positional name.
    mutating func values() throws(UsageError) -> [String: String] {
        for (index, place) in places.enumerated() {
            if place.isOptional, isLeftOut(before: places[(index + 1)...]) { continue }
            guard let word = words.popFirst() else { throw UsageError("\(place.name) is missing.") }
            // Not taken for an argument that was left out: `export shop.db "$OUT"` shall not write to standard output.
            guard !word.isEmpty else { throw UsageError("\(place.name) is empty.") }
            if let form = place.form, !form.accepts(word) { throw complaint(about: word, place, form) }
            assigned[place.name] = word
        }
        if let word = words.first { throw UsageError("Unexpected argument '\(word)'.") }
        return assigned
    }

    /// Whether the next optional argument is left out, given those that follow it.
    private func isLeftOut(before later: ArraySlice<Positional>) -> Bool {
        guard let word = words.first, words.count > later.count(where: { !$0.isOptional }) else { return true }
        return words.count <= later.count && later.contains { $0.isOptional && $0.form?.accepts(word) ?? false }
    }

    /// The argument that no word is left for if the word before the rest is the stream.
    private func missing(ifStreamIsBefore place: Positional) -> String? {
        guard let next = words.first, place.form?.accepts(next) == true else { return nil }
        return places.drop { $0.name != place.name }.dropFirst(words.count).first?.name
    }

    private func complaint(about word: String, _ place: Positional, _ form: Positional.Form) -> UsageError {
        var error = UsageError("\(place.name) must be \(form.expected)", butNot: word)
        if let stream = places.first(where: { $0.name == Positional.stream.name }) {
            if let swapped = assigned[stream.name] {
                if form.accepts(swapped) { error.message += " The stream goes before it." }
            } else if !word.hasPrefix("-"), Int(word) == nil {
                if let other = missing(ifStreamIsBefore: place) {
                    let demand = "as \(place.name), it must be \(form.expected)"
                    return UsageError("If '\(word)' is the stream, \(other) is missing; \(demand).")
                }
                error.message += " If this is the stream, \(place.name) goes after it."
            }
        }
        return error
    }
}
