/// What changed in a live page, revision by revision, so that each reader gets what it has not seen yet. It forgets the
/// oldest revisions; a reader that has seen less reads the page again.
struct LiveLog: Sendable {
    /// How much of everything there was after a revision.
    struct Mark: Hashable, Sendable {
        var steps = 0
        /// The beginnings of chunks of texts.
        var starts = 0
        var streams = 0
        var stepNames = 0
        var runNames = 0
        var restarts = 0
        var interventions = 0
    }

    /// Everything after a revision.
    struct Changes: Hashable, Sendable {
        var from: Mark
        var to: Mark
        /// The steps whose outcome became known, and the effects that are new or changed, each once and in order.
        var outcomes: [Int] = []
        var runs: [Int] = []
    }

    private struct Revision: Sendable {
        var mark: Mark
        var outcomes: [Int]
        var runs: [Int]
    }

    private let mostRevisions: Int
    /// More changes than this are forgotten as well: reading the page again is as cheap.
    private let mostChanges: Int
    private var revisions: [Revision]
    private var changeCount = 0
    /// The number of the first of the revisions.
    private var first = 0

    init(mostRevisions: Int = 4_096, mostChanges: Int = 1 << 20) {
        (self.mostRevisions, self.mostChanges) = (mostRevisions, mostChanges)
        revisions = [Revision(mark: Mark(), outcomes: [], runs: [])]
    }

    /// The number of the newest revision.
    var revision: Int { first + revisions.count - 1 }

    mutating func append(_ mark: Mark, outcomes: [Int], runs: [Int]) {
        revisions.append(Revision(mark: mark, outcomes: outcomes, runs: runs))
        changeCount += outcomes.count + runs.count
        guard revisions.count > mostRevisions || changeCount > mostChanges else { return }
        // Half of them at a time: removing the first element moves all others.
        let dropped = max(1, revisions.count / 2)
        changeCount -= revisions.prefix(dropped).reduce(0) { $0 + $1.outcomes.count + $1.runs.count }
        revisions.removeFirst(dropped)
        first += dropped
    }

    /// - Returns: nil if the revision was forgotten, or is not from this log.
    func changes(since seen: Int) -> Changes? {
        guard seen >= first, seen <= revision else { return nil }
        let later = revisions[(seen - first + 1)...]
        return Changes(
            from: revisions[seen - first].mark, to: revisions[revisions.count - 1].mark,
            outcomes: Set(later.flatMap(\.outcomes)).sorted(), runs: Set(later.flatMap(\.runs)).sorted())
    }
}
