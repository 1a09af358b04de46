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
        for (what, type) in [("state", State.self as Any.Type), ("action", Action.self)] {
            var type = type
            while let outer = type as? any Wrapper.Type { type = outer.wrapped }
            guard type is AnyObject.Type else { continue }
            let isWrapped = type != State.self && type != Action.self
            let fact = isWrapped ? "consists of objects of a class" : "is a class"
            throw JournalError(
                .notAValue, "The \(what) of the machine '\(name)' \(fact), '\(type)'.",
                advice: "Use a struct or an enum: a class can change without an action, and no replay would see that.",
                file: file, stream: stream)
        }
    }
}

/// A type whose values consist of values of another one.
private protocol Wrapper {
    static var wrapped: Any.Type { get }
}

extension Optional: Wrapper {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}

extension Array: Wrapper {
    fileprivate static var wrapped: Any.Type { Element.self }
}

extension Dictionary: Wrapper {
    fileprivate static var wrapped: Any.Type { Value.self }
}
