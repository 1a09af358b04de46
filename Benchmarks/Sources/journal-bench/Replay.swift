import JournalStore

/// A replay of the steps that ``StoreLibrary`` makes, and its floor: decoding the same actions.
enum Replay {
    /// Replays from the beginning. Both measurements leave out the generic metadata lookups of the first decodes.
    ///
    /// - Parameter path: a journal without snapshots.
    @concurrent
    static func replay(path: String, steps: Int) async throws -> Duration {
        let reader = try JournalReader(path: path)
        let replayer = try Replayer(StoreLibrary.machine, reader: reader, stream: Library.streamName)
        guard try reader.snapshotSteps(in: Library.streamName).isEmpty, try replayer.lastStep == steps else {
            throw BenchError(message: "\(path) must have \(steps) steps and no snapshot.")
        }
        _ = try replayer.state(at: min(1_000, steps))
        let start = ContinuousClock.now
        let state = try replayer.state(at: steps)
        let time = ContinuousClock.now - start
        try check(state.sum, steps)
        return time
    }

    static func decode(steps: Int, _ decode: (String) throws -> BenchAction) throws -> Duration {
        let codec = JSONCodec()
        let texts = try (1...steps).map { try codec.encode(StoreLibrary.action($0)) }
        _ = try sum(texts.prefix(1_000), decode)
        let start = ContinuousClock.now
        let sum = try sum(texts[...], decode)
        let time = ContinuousClock.now - start
        try check(sum, steps)
        return time
    }

    private static func sum(
        _ texts: ArraySlice<String>, _ decode: (String) throws -> BenchAction
    ) throws -> Int {
        var sum = 0
        for text in texts {
            if case .add(let count, _) = try decode(text) { sum &+= count }
        }
        return sum
    }

    private static func check(_ sum: Int, _ steps: Int) throws(BenchError) {
        let expected = StoreLibrary.sum(of: 1..<steps + 1)
        guard sum == expected else { throw BenchError(message: "The sum is \(sum) instead of \(expected).") }
    }
}
