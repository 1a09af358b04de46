import JournalStore

/// Compares a journal with the entries that were acknowledged.
package struct Audit: Sendable {
    /// The problems found.
    package private(set) var problems: [String] = []
    /// How many acknowledged entries are missing: their step does not exist, or holds another entry.
    package private(set) var lost = 0

    /// Reads the whole journal, and checks that each acknowledged entry is at its step.
    package init(path: String, acknowledged: [Acknowledgement], vfs: String? = nil) throws {
        let reader = try JournalReader(path: path, vfs: vfs)
        problems = try reader.verify().problems.map(\.description)
        var actions: [String: [Int: String]] = [:]
        var tokens: [String: Int] = [:]
        var position = 0
        while true {
            let page = try reader.entries(after: position, limit: 1_000)
            guard let last = page.last else { break }
            for entry in page {
                actions[entry.stream, default: [:]][entry.step] = entry.action
                tokens[entry.action, default: 0] += 1
            }
            position = last.position
        }
        problems += tokens.filter { $0.value > 1 }.map { "\($0.key) occurs \($0.value) times" }
        for one in acknowledged {
            if actions[one.stream]?[one.step]?.contains("\"\(one.token)\"") != true { lost += 1 }
        }
    }
}
