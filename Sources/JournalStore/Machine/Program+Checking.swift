// What is wrong with a machine, whatever a journal contains.

extension Program {
    /// Throws if the machine cannot be opened, whatever the journal contains.
    func check(file: String?, stream: String?) throws(JournalError) {
        guard version > 0, NewEntry.versions.contains(version) else {
            throw JournalError(
                .badArgument, "The machine's version is \(version).",
                advice: "Versions begin with 1 and end with \(NewEntry.versions.upperBound).", file: file,
                stream: stream)
        }
        guard ambiguousHandlers.isEmpty else {
            throw JournalError(
                .badArgument, "There are two handlers for \(ambiguousHandlers.joined(separator: ", ")).",
                advice: "Give each use of a reducer a scope: `contramap(action:scope:)`.", file: file, stream: stream)
        }
        try checkTypes(file: file, stream: stream)
    }

    /// Throws if the machine's state or action is a class: what a journal stores must not change without an action.
    private func checkTypes(file: String?, stream: String?) throws(JournalError) {
        for (what, type) in [("state", State.self as Any.Type), ("action", Action.self)] where type is AnyObject.Type {
            throw JournalError(
                .notAValue, "The \(what) of the machine '\(name)' is a class, '\(type)'.",
                advice: "Use a struct or an enum: a class can change without an action, and no replay would see that.",
                file: file, stream: stream)
        }
    }
}
