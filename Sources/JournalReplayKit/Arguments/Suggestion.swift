/// Finds the intended word for a mistyped one.
enum Suggestion {
    /// The candidate that is closest to the word; nil if none is close enough.
    static func closest(to word: String, among candidates: some Sequence<String>) -> String? {
        let wanted = essence(word)
        guard !wanted.isEmpty else { return nil }
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let letters = essence(candidate)
            // A candidate that begins with the word is closer than one that differs in a letter.
            let isBegun = wanted.count >= 2 && letters.starts(with: wanted)
            let distance = isBegun ? 0 : distance(wanted, letters)
            // About a third of the letters may differ, so that "log" is not suggested for "fork".
            let limit = (max(wanted.count, letters.count) + 1) / 3
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.candidate
    }

    private static func essence(_ word: String) -> [Character] {
        Array(word.lowercased().drop { $0 == "-" })
    }

    /// The "optimal string alignment" distance: the number of letters to add, drop, change, or swap with their
    /// neighbour, if no letter is edited twice.
    static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
