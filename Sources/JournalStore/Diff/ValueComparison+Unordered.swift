extension ValueComparison {
    mutating func compare(entries old: [(key: Any, value: Any)], _ new: [(key: Any, value: Any)]) {
        let matches = match(old.map(\.key), new.map(\.key))
        for match in matches {
            let part = ValuePath.Part.key(match.key.text)
            switch (match.old.map { old[$0].value }, match.new.map { new[$0].value }) {
            case (let old?, let new?): compare(old, new, at: part)
            case (let old, let new): report(old, new, at: part)
            }
        }
    }

    mutating func compare(members old: [Any], _ new: [Any]) {
        for match in match(old, new) where match.old == nil || match.new == nil {
            report(match.old.map { old[$0] }, match.new.map { new[$0] }, at: .member)
        }
    }

    /// A key or member, and its index on each side.
    private struct Match {
        var key: SortKey
        var old: Int?
        var new: Int?
    }

    /// Matches each value with its counterpart on the other side; the result is sorted by text.
    private mutating func match(_ old: [Any], _ new: [Any]) -> [Match] {
        var matches: [Match] = []
        var places: [AnyHashable: Int] = [:]
        var rest: [Int] = []
        for (index, value) in new.enumerated() {
            if let value = value as? AnyHashable { places[value] = index } else { rest.append(index) }
        }
        var left: [Int] = []
        for (index, value) in old.enumerated() {
            if let place = (value as? AnyHashable).flatMap({ places.removeValue(forKey: $0) }) {
                matches.append(Match(key: SortKey(value), old: index, new: place))
            } else {
                left.append(index)
            }
        }
        // A value that is not equal to itself, such as NaN, is not found by its hash; nor are some that contain one. Each of
        // those is compared with few: there can be many that are described alike.
        var byText = Dictionary(grouping: (rest + places.values).sorted()) { SortKey(new[$0]).text }
        for index in left {
            let key = SortKey(old[index])
            let candidates = byText[key.text]?.prefix(Self.equalsItself(old[index]) ? 4 : .max)
            let place = candidates?.firstIndex { areSame(old[index], new[$0]) }
            matches.append(Match(key: key, old: index, new: place.flatMap { byText[key.text]?.remove(at: $0) }))
        }
        matches += byText.values.joined().map { Match(key: SortKey(new[$0]), old: nil, new: $0) }
        return matches.sorted { ($0.key, $0.old == nil ? 1 : 0) < ($1.key, $1.old == nil ? 1 : 0) }
    }

    private static func equalsItself(_ value: Any) -> Bool { (value as? AnyHashable).map { $0 == $0 } ?? false }
}
