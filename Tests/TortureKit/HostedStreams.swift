import Foundation
import JournalStore

/// Many streams on a host, some with timers and some with effects, in a process that is killed again and again: every
/// timer fires in time, every effect ends, and outside each idempotency key is used by one effect.
package struct HostedStreams: Sendable {
    package enum Action: Codable, Sendable, Equatable {
        case touch
        /// Starts a timer.
        case remind(after: Int)
        case reminded
        /// Starts an effect that takes a while.
        case deliver(milliseconds: Int)
        case delivered
    }

    package struct State: Codable, Sendable, Equatable {
        package var steps = 0
    }

    package var streams: Int
    /// How many of them have a timer or an effect, half of them each.
    package var live: Int
    package var kills: Int
    package var seed: UInt64
    /// Timers are due, and effects end, within this time.
    package var seconds: Int
    package var program = Child.program("journal-torture")

    package struct Result: Sendable {
        package var kills = 0
        package var timers = 0
        package var effects = 0
        /// How late the latest timer fired, in milliseconds.
        package var latest = 0
        /// How long a process stood still in its life, at most, in milliseconds: its timers may be as much later.
        package var stall = 0
        /// The most memory that a process used, in bytes.
        package var memory = 0
        /// How long it took from the start of a process until it had found its live streams, at most, in milliseconds.
        package var recovery = 0
        package var problems: [String] = []
    }

    /// What a run does next.
    package enum Stage: Sendable {
        case making
        /// The number of the kill, from 1 on.
        case kill(Int)
        /// A life that ends by itself.
        case ending
        case checking
    }

    package init(streams: Int, live: Int, kills: Int, seconds: Int, seed: UInt64) {
        (self.streams, self.live, self.kills, self.seconds, self.seed) = (streams, live, kills, seconds, seed)
    }

    private static func machine(_ outside: String) -> Machine<Action, State, Void> {
        Machine("hosted", initialState: State()) { action, state, _ in
            state.steps += 1
            switch action {
            case .touch, .reminded, .delivered: return .none
            case .remind(let after): return .after(.milliseconds(after), .reminded, name: "remind")
            case .deliver(let milliseconds):
                return .run("deliver") { context in
                    try await context.clock.sleep(for: .milliseconds(milliseconds))
                    try await context.step("note") {
                        try append("\(context.stream) \(context.idempotencyKey)\n", to: outside)
                        return true
                    }
                    return .delivered
                }
            }
        }
    }

    /// The file with the times at which the processes were alive.
    private static func beats(of path: String) -> String { path + "-beats" }

    private static func append(_ line: String, to path: String) throws {
        let descriptor = Foundation.open(path, O_WRONLY | O_APPEND | O_CREAT, 0o644)
        guard descriptor >= 0 else { throw CocoaError(.fileNoSuchFile) }
        defer { close(descriptor) }
        let bytes = Array(line.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw CocoaError(.fileWriteUnknown) }
    }

    // MARK: The process that is killed

    /// `journal-torture hosted FILE OUTSIDE STREAMS LIVE SECONDS SEED`: makes what is missing, and waits to be killed;
    /// ends if nothing is live.
    package static func work(
        _ path: String, outside: String, streams: Int, live: Int, seconds: Int, seed: UInt64
    ) async throws {
        try Heartbeat.start(beats(of: path))
        var options = Journal.Options()
        options.durability = .normal
        let journal = try Journal(path: path, options: options)
        var hosting = HostOptions()
        hosting.maxOpenStreams = 20_000
        // It is killed on purpose.
        hosting.opening.crashLoopLimit = nil
        let host = try journal.host(machine(outside), options: hosting)
        let recovery = await host.recovery()
        print("ready \(Timestamp.now().microseconds) \(recovery.failed)")
        fflush(nil)
        let made = try journal.reader.statistics().counts.streams
        if made < streams {
            var random = SplitMix(seed: seed)
            let actions = (0..<streams).map { number -> Action in
                let span = Int.random(in: 0..<seconds * 1_000, using: &random)
                guard number % (streams / live) == 0 else { return .touch }
                return number / (streams / live) % 2 == 0 ? .remind(after: span) : .deliver(milliseconds: span / 4)
            }
            try await withThrowingTaskGroup { group in
                for first in 0..<64 {
                    group.addTask {
                        for number in stride(from: first, to: streams, by: 64) {
                            try await host.dispatch(actions[number], to: "s-\(number)", id: "first")
                        }
                    }
                }
                try await group.waitForAll()
            }
            print("made")
            fflush(nil)
        }
        // The parent kills it. It ends when nothing is live.
        while try journal.reader.statistics().counts.liveRuns > 0 { try await Task.sleep(for: .milliseconds(200)) }
        print("done \(peakMemory())")
        fflush(nil)
        await host.close()
        try await journal.close()
    }

    /// The most memory that this process used, in bytes.
    private static func peakMemory() -> Int {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #else
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss * 1024
        #endif
    }

    // MARK: The process that kills

    /// When a process had found its streams, and when it was killed, in microseconds since 1970.
    private struct Life {
        var ready: Int64
        var killed: Int64
    }

    /// - Parameter begins: called when a stage begins.
    package func run(begins: (Stage) -> Void = { _ in }) async throws -> Result {
        var result = Result()
        var random = SplitMix(seed: seed &+ 1)
        let folder = try TemporaryFolder()
        let (path, outside) = (folder.path("a.db"), folder.path("outside"))
        let arguments = ["hosted", path, outside, "\(streams)", "\(live)", "\(seconds)", "\(seed)"]
        var lives: [Life] = []
        begins(.making)
        while true {
            let started = Timestamp.now().microseconds
            let child = try Child(program, arguments)
            guard let line = child.line(), let ready = Int64(line.split(separator: " ")[1]) else {
                result.problems.append("a process ended at its start with \(child.wait())")
                return result
            }
            result.recovery = max(result.recovery, Int((ready - started) / 1_000))
            if !line.hasSuffix(" 0") { result.problems.append("openings failed: \(line)") }
            if lives.isEmpty {
                while let line = child.line(), line != "made" {}
                begins(kills > 0 ? .kill(1) : .ending)
            }
            if result.kills < kills {
                try await Task.sleep(for: .milliseconds(Int.random(in: 50...1_500, using: &random)))
                result.memory = max(result.memory, Self.memory(of: child))
                child.kill()
                result.kills += 1
                begins(result.kills < kills ? .kill(result.kills + 1) : .ending)
            }
            let last = child.remainingLines().last
            if let last, last.hasPrefix("done ") { result.memory = max(result.memory, Int(last.dropFirst(5)) ?? 0) }
            child.wait()
            lives.append(Life(ready: ready, killed: Timestamp.now().microseconds))
            if last?.hasPrefix("done ") == true { break }
        }
        begins(.checking)
        try check(path, outside, lives, &result)
        return result
    }

    private static func memory(of child: Child) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(child.identifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
    }

    private func check(_ path: String, _ outside: String, _ lives: [Life], _ result: inout Result) throws {
        let reader = try JournalReader(path: path)
        let beats = try Heartbeat(Self.beats(of: path))
        for life in lives {
            result.stall = max(result.stall, Int(beats.stall(from: life.ready, to: life.killed) / 1_000))
        }
        let report = try reader.verify()
        if !report.isSound { result.problems.append("the journal is damaged: \(report)") }
        for stream in try reader.streams() {
            let entries = try reader.entries(in: stream.name, limit: 10)
            guard let first = entries.first else {
                result.problems.append("\(stream.name) is empty")
                continue
            }
            let action = try JSONCodec().decode(Action.self, from: first.action)
            let answer: Action
            switch action {
            case .touch:
                if entries.count != 1 { result.problems.append("\(stream.name) has \(entries.count) steps") }
                continue
            case .remind(let after):
                answer = .reminded
                result.timers += 1
                let due = first.time.microseconds + Int64(after) * 1_000
                if entries.count == 2 {
                    note(entries[1].time.microseconds, due, lives, beats, stream.name, &result)
                }
            default:
                answer = .delivered
                result.effects += 1
            }
            let answers = try entries.dropFirst().map { try JSONCodec().decode(Action.self, from: $0.action) }
            if answers != [answer] { result.problems.append("\(stream.name): \(answers) instead of \(answer)") }
        }
        if result.timers + result.effects != live {
            result.problems.append("\(result.timers) timers and \(result.effects) effects instead of \(live)")
        }
        let lines = try String(contentsOfFile: outside, encoding: .utf8).split(separator: "\n")
        let keys = Set(lines)
        let effects = Set(keys.map { key in key.prefix { $0 != " " } })
        if keys.count != result.effects || effects.count != keys.count {
            result.problems.append("outside there are \(keys.count) keys for \(result.effects) effects")
        }
    }

    /// Notes how late a timer fired: after it was due, in the first process that ran for a second from then on. A time
    /// in which the machine did not run the process does not count.
    private func note(
        _ time: Int64, _ due: Int64, _ lives: [Life], _ beats: Heartbeat, _ stream: String, _ result: inout Result
    ) {
        if time < due { result.problems.append("\(stream) fired \(due - time) µs too early") }
        for life in lives where life.killed > due {
            let start = max(due, life.ready)
            guard life.killed - start - beats.stall(from: start, to: life.killed) >= 1_000_000 else { continue }
            let late = Int((time - start) / 1_000)
            let stall = Int(beats.stall(from: start, to: min(time, life.killed)) / 1_000)
            result.latest = max(result.latest, late)
            if late > 1_000 + stall {
                result.problems.append("\(stream) fired \(late) ms too late; its process stood still for \(stall) ms")
            }
            return
        }
    }
}
