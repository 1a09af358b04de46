import Foundation
import JournalReplayKit
import JournalStore

/// What this program does as a child process, by its first argument. A process of its own measures the memory of one
/// operation alone.
enum ChildMode: String {
    /// The tool with the machine.
    case machine = "tool-with-machine"
    /// The tool without a machine.
    case plain = "tool"
    /// `replay FILE STEPS`: replays one stream from its beginning.
    case replay
    /// `decode STEPS`: decodes the actions of this many steps, and does nothing else.
    case decode
    /// The same with Foundation's decoder.
    case decodeByFoundation = "decode-by-foundation"

    /// `hold KIND COUNT`: holds this many of something in memory.
    case hold

    /// Runs a mode and exits, if the first argument names one. The last line on standard error holds the peak memory,
    /// and the measured seconds if the mode measures only a part of its run.
    static func runIfAsked(_ words: [String]) async {
        guard let mode = words.first.flatMap(ChildMode.init) else { return }
        let rest = Array(words.dropFirst())
        do {
            switch mode {
            case .machine, .plain: await mode.runTool(rest)
            case .replay: end(try await Replay.replay(path: rest[0], steps: steps(rest[1])))
            case .hold:
                guard let kind = Held(rawValue: rest[0]) else { throw BenchError.usage("Hold what?") }
                end(.zero, peakBytes: try await kind.hold(steps(rest[1])))
            case .decode:
                let codec = JSONCodec()
                end(try Replay.decode(steps: steps(rest[0])) { try codec.decode(BenchAction.self, from: $0) })
            case .decodeByFoundation:
                let decoder = JSONDecoder()
                end(
                    try Replay.decode(steps: steps(rest[0])) {
                        try decoder.decode(BenchAction.self, from: Data($0.utf8))
                    })
            }
        } catch {
            say("\(error)")
            exit(1)
        }
    }

    private func runTool(_ words: [String]) async {
        let machines = self == .machine ? [ReplayMachine(StoreLibrary.machine)] : []
        let status = await ReplayTool(program: "journal-bench \(rawValue)", machines: machines).run(words)
        ChildMode.say("\(Memory.peakBytes)")
        exit(status)
    }

    private static func end(_ time: Duration, peakBytes: Int = Memory.peakBytes) -> Never {
        say("\(peakBytes) \(time.inSeconds)")
        exit(0)
    }

    private static func steps(_ word: String) throws(BenchError) -> Int {
        guard let steps = Int(word), steps > 0 else { throw .usage("'\(word)' is not a number of steps.") }
        return steps
    }

    private static func say(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}
