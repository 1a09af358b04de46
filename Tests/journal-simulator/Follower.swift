import JournalStore

/// Follows the entries of a journal from one position on, and says which one is missing or comes twice.
final class Follower: @unchecked Sendable {
    // `@unchecked`: all jobs run on one thread.
    private let world: World
    private let reader: JournalReader
    /// The newest step of each stream that it knows of.
    private(set) var steps: [String: Int] = [:]
    private let position: Int

    /// Begins with the next entry.
    init(_ world: World, _ reader: JournalReader) throws(JournalError) {
        (self.world, self.reader) = (world, reader)
        position = try reader.entries(before: .max, limit: 1).first?.position ?? 0
        for stream in try reader.streams() { steps[stream.name] = stream.headStep }
    }

    /// Ends with the journal.
    func run() async {
        do {
            for try await entry in reader.follow(after: position) {
                if world.isDead { return }
                let expected = steps[entry.stream, default: 0] + 1
                // What was pruned before it was read does not arrive.
                if entry.step != expected, try entry.step < expected || !wasPruned(entry.stream, expected) {
                    return world.life.report("a follower of \(entry.stream) got step \(entry.step), not \(expected)")
                }
                steps[entry.stream] = entry.step
            }
        } catch {
            if !world.isDead, !world.hadFault { world.life.report("the entries cannot be followed: \(error)") }
        }
    }

    private func wasPruned(_ stream: String, _ step: Int) throws(JournalError) -> Bool {
        try step <= reader.stream(stream).prunedStep
    }
}
