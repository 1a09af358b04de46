extension JSONDocument {
    @inline(__always)
    func require(_ kind: JSONToken.Kind, _ token: Int, _ type: Any.Type) throws {
        guard tokens[token].kind == kind else { throw refusal(token, type) }
    }

    @inline(__always)
    func requireNumber(_ token: Int, _ type: Any.Type) throws {
        guard isNumber(token) else { throw refusal(token, type) }
    }

    @inline(__always)
    func refuseNull(_ token: Int, _ type: Any.Type) throws {
        if isNull(token) { throw refusal(token, type) }
    }

    /// - Note: Code may try one type after another for a value, so an error must be cheap. Only such code sees it: if
    ///   the decoding fails as a whole, Foundation decodes the text again and reports the reason.
    @inline(never)
    private func refusal(_ token: Int, _ type: Any.Type) -> DecodingError {
        guard isNull(token) else { return mismatch(token, type) }
        return .valueNotFound(type, context(token, "The value is null."))
    }

    @inline(never)
    func mismatch(_ token: Int, _ type: Any.Type) -> DecodingError {
        .typeMismatch(type, context(token, "The value has another type."))
    }

    func corrupted(_ token: Int, _ description: String) -> DecodingError {
        .dataCorrupted(context(token, description))
    }

    func context(_ token: Int, _ description: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: path(to: token), debugDescription: description)
    }

    /// The keys and indices that lead to a value.
    func path(to token: Int) -> [any CodingKey] {
        // The null after the text has no path.
        guard token < null else { return [] }
        var path: [any CodingKey] = []
        var place = token
        while place > 0 {
            let parent = Int(tokens[place].parent)
            let isMember = tokens[parent].kind == .object
            path.append(
                isMember ? PathKey(stringValue: unchecked(text: place - 1)) : PathKey(index: Int(tokens[place].index)))
            place = parent
        }
        return path.reversed()
    }

    /// The path for code that reads it. That code may depend on the keys themselves, which only Foundation has.
    func pathThatIsAskedFor(to token: Int) -> [any CodingKey] {
        giveUp()
        return path(to: token)
    }
}
