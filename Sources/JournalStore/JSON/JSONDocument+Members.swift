extension JSONDocument {
    /// The token of a member's value.
    @inline(__always)
    func member(_ object: Int, _ key: String) -> Int? {
        var key = key
        guard tokens[object].traits.isEmpty else { return slowMember(object, key) }
        switch search(object, &key, atMost: 64) {
        case .found(let token): return token
        // Strings are equal if they are canonically equivalent: a key outside ASCII can equal an ASCII key.
        case .missing where key.utf8.allSatisfy({ $0 < 0x80 }): return nil
        case .missing: return slowMember(object, key)
        case .tooLong: return longMember(object, &key)
        }
    }

    @inline(__always)
    private func search(_ object: Int, _ key: inout String, atMost limit: Int) -> Search {
        key.withUTF8 { bytes in
            // For zero bytes any address works.
            let (start, length) = (bytes.baseAddress ?? base, bytes.count)
            return find(object, atMost: limit) { token in
                Int(token.count) == length && Platform.compare(base + Int(token.start), start, length) == 0
            }
        }
    }

    /// Searches an object with many keys to its end, and from the ninth time on with an index, which for one missing key
    /// would not be worth it.
    @inline(never)
    private func longMember(_ object: Int, _ key: inout String) -> Int? {
        let searches = longSearches[object, default: 0]
        longSearches[object] = searches + 1
        if searches < 8, case .found(let token) = search(object, &key, atMost: .max) { return token }
        if searches < 8, key.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
        return slowMember(object, key)
    }

    enum Search: Hashable {
        case found(Int), missing
        /// So many keys were looked at that an index of them can be quicker.
        case tooLong
    }

    /// Ascending keys are unique, and are usually requested in their order, or the same one several times: the search
    /// starts at the key that was found last.
    ///
    /// - Parameters:
    ///   - limit: how many keys to look at.
    ///   - isWanted: whether the token of a key is the wanted one.
    @inline(__always)
    func find(_ object: Int, atMost limit: Int = 64, _ isWanted: (_ key: JSONToken) -> Bool) -> Search {
        let first = object + 1
        let end = Int(tokens[object].next)
        guard first < end else { return .missing }
        let begin = Int(tokens[object].start)
        var (candidate, left) = (begin, limit)
        repeat {
            if isWanted(tokens[candidate]) {
                tokens[object].start = UInt32(truncatingIfNeeded: candidate)
                return .found(candidate + 1)
            }
            left -= 1
            if left == 0 { return .tooLong }
            let next = Int(tokens[candidate + 1].next)
            candidate = next == end ? first : next
        } while candidate != begin
        return .missing
    }

    /// Compares keys as strings, and takes the first of two equal ones, as Foundation does.
    private func slowMember(_ object: Int, _ key: String) -> Int? {
        index(object)[key]
    }

    @inline(never)
    private func index(_ object: Int) -> [String: Int] {
        if let index = memberIndices[object] { return index }
        var index: [String: Int] = [:]
        index.reserveCapacity(Int(tokens[object].count))
        forEachKey(object) { key in
            let text = unchecked(text: key)
            if index[text] == nil { index[text] = key + 1 }
        }
        memberIndices[object] = index
        return index
    }

    /// The keys of an object, without duplicates.
    func keys<Key: CodingKey>(_ object: Int) -> [Key] {
        guard tokens[object].traits.isEmpty else {
            return index(object).keys.compactMap { Key(stringValue: $0) }
        }
        let capacity = Int(tokens[object].count)
        // With no capacity the initializer writes to the storage that all empty arrays share: a race, if a harmless
        // one.
        guard capacity > 0 else { return [] }
        return Array(unsafeUninitializedCapacity: capacity) { keys, count in
            guard let place = keys.baseAddress else { return }
            forEachKey(object) { key in
                guard let key = Key(stringValue: unchecked(text: key)) else { return }
                (place + count).initialize(to: key)
                count += 1
            }
        }
    }

    @inline(__always)
    private func forEachKey(_ object: Int, _ body: (Int) -> Void) {
        var key = object + 1
        let end = Int(tokens[object].next)
        while key < end {
            body(key)
            key = Int(tokens[key + 1].next)
        }
    }
}
