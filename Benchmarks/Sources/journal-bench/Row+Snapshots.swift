import JournalStore

/// The rows of a large state.
extension Row {
    private static let often = 10

    static func snapshots(bytes: Int) -> [Row] {
        [encoding(bytes), writing(bytes, .full), writing(bytes, .normal)]
    }

    private static func encoding(_ bytes: Int) -> Row {
        Row(name: "snapshot of \(NumberText.short(bytes)) bytes: encoding it", entries: often) { bench in
            let times = bench.scaled(often)
            let state = LoadedState(bytes: bytes)
            let codec = JSONCodec()
            let length = try codec.encode(state).utf8.count
            guard abs(length - bytes) < bytes / 10 else {
                throw BenchError(message: "The state has \(length) bytes instead of about \(bytes).")
            }
            return try await bench.time(times) {
                try ContinuousClock().measure {
                    for _ in 0..<times { _ = try codec.encode(state) }
                }
            }
        }
    }

    /// From text to commit, one after the other, at different steps; retention drops the older ones.
    private static func writing(_ bytes: Int, _ durability: Durability) -> Row {
        Row(
            name: "snapshot of \(NumberText.short(bytes)) bytes: saveSnapshot, \(durability.name)", entries: often
        ) { bench in
            let times = bench.scaled(often)
            let text = try JSONCodec().encode(LoadedState(bytes: bytes))
            return try await bench.time(times) {
                try await bench.withLibrary(durability) { library in
                    for number in 1...times { try await library.stream.saveSnapshot(text, at: number * 10) }
                    guard try library.journal.reader.snapshotSteps(in: Library.streamName).last == times * 10 else {
                        throw BenchError(message: "The last snapshot is missing.")
                    }
                }
            }
        }
    }
}
