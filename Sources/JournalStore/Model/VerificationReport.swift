/// The result of a verification.
public struct VerificationReport: Hashable, Sendable {
    /// One thing that is wrong in a journal.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The stream's name, if the problem is about a stream.
        public var stream: String?
        /// The step, if the problem is about a step.
        public var step: Int?
        /// What is wrong, in a sentence.
        public var message: String
        /// Whether it concerns only a snapshot that can be computed again.
        package var isOfCache = false
        /// Whether it says that acknowledged entries are missing. What is left can be sound.
        package var isOfMissingEntries = false
        /// Whether it concerns only the list of openings, which an export leaves out.
        package var isOfOpenings = false
        /// Whether it concerns only the schema of the file: a copy of its rows can be sound.
        package var isOfSchema = false
        /// Whether it names something that was added to the schema, which can be dropped.
        package var isOfAddition = false

        /// Stream, step, and what is wrong.
        public var description: String {
            let place = [stream.map { "stream '\($0)'" }, step.map { "step \($0)" }].compactMap(\.self)
            return place.isEmpty ? message : place.joined(separator: ", ") + ": " + message
        }
    }

    /// The problems that were found; empty for a sound journal. At most ``limit`` are listed.
    public internal(set) var problems: [Problem] = []
    /// How many streams were read.
    public internal(set) var streams = 0
    /// How many entries were read.
    public internal(set) var entries = 0
    /// How many snapshots were compared with their entries.
    public internal(set) var snapshots = 0

    /// The most problems that are listed: a damaged file can have millions.
    public static let limit = 100

    /// Whether nothing is wrong.
    public var isSound: Bool { problems.isEmpty }

    /// Whether nothing is wrong but snapshots that can be computed again.
    package var isSoundWithoutCaches: Bool { problems.allSatisfy(\.isOfCache) }

    /// Adds a problem to the list. If the list is full, a problem of a snapshot that can be computed again makes room
    /// for any other.
    mutating func add(_ problem: Problem) {
        if problems.count >= VerificationReport.limit {
            guard !problem.isOfCache, let cache = problems.lastIndex(where: \.isOfCache) else { return }
            problems.remove(at: cache)
        }
        problems.append(problem)
    }

    /// Whether no further problem can change the list.
    var isFull: Bool { problems.count >= VerificationReport.limit && !problems.contains(where: \.isOfCache) }
}
