import Foundation
package import JournalStore

/// Simulates power cuts at random moments, and checks what is left on the disk.
package struct PowerCuts: Sendable {
    package var rounds: Int
    package var seed: UInt64
    package var durability: Durability

    package struct Result: Sendable {
        package var rounds = 0
        package var cuts = 0
        package var acknowledged = 0
        /// How many acknowledged entries are missing. With FULL none may be; with NORMAL only the newest.
        package var lost = 0
        package var problems: [String] = []
    }

    package init(rounds: Int, seed: UInt64, durability: Durability) {
        self.rounds = rounds
        self.seed = seed
        self.durability = durability
    }

    package func run(progress: (Result) -> Void = { _ in }) async throws -> Result {
        var random = SplitMix(seed: seed)
        var result = Result()
        for round in 1...rounds {
            do {
                try await self.round(round, &random, &result)
            } catch {
                result.problems.append("round \(round) (seed \(seed)): \(error)")
            }
            result.rounds = round
            if !result.problems.isEmpty { return result }
            progress(result)
        }
        return result
    }

    private func round(_ round: Int, _ random: inout SplitMix, _ result: inout Result) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("journal.db")
        let vfs = FaultVFS()
        var acknowledged: [Acknowledgement] = []
        // The first cut hits a new journal, the second its recovery or later work.
        for life in 1...2 {
            vfs.cutPower(afterOperations: UInt64.random(in: 0...(life == 1 ? 1_500 : 150), using: &random))
            acknowledged += try await work(path, vfs, boot: "boot-\(life)", life: life, &random)
            result.cuts += 1
            guard vfs.loseUnsynced(seed: random.next()) else {
                result.problems.append("round \(round): the files could not be changed to what the disk holds")
                return
            }
            // A real power cut leaves no failure mark in the sidecar. Here the cut appears as I/O errors, which this
            // process has recorded in it. A sidecar that never reached the disk is what a real power cut can leave.
            try? FileManager.default.removeItem(atPath: path + "-lock")
        }
        await check(path, vfs, acknowledged, round, &result)
    }

    /// Appends until the power is cut, with snapshots and checkpoints in between.
    private func work(
        _ path: String, _ vfs: FaultVFS, boot: String, life: Int, _ random: inout SplitMix
    ) async throws -> [Acknowledgement] {
        var acknowledged: [Acknowledgement] = []
        do {
            let journal = try Journal(path: path, options: options(vfs, boot: boot))
            let streams = [
                try await journal.openStream("stream-0", machine: "torture"),
                try await journal.openStream("stream-1", machine: "torture"),
            ]
            for number in 1... {
                let stream = streams[Int.random(in: 0..<streams.count, using: &random)]
                let token = "\(life)-\(number)"
                let appended = try await stream.append(#"{"append":{"token":"\#(token)"}}"#)
                acknowledged.append(Acknowledgement(stream: stream.name, step: appended.step, token: token))
                if number % 15 == 0 {
                    let padding = String(repeating: "x", count: Int.random(in: 0...9_000, using: &random))
                    try await stream.saveSnapshot(#"{"after":"\#(token)\#(padding)"}"#, at: appended.step)
                }
            }
        } catch {
            // The power was cut. The outcome of the last commit is unknown; all entries before it are acknowledged.
            guard vfs.isCut else { throw error }
        }
        return acknowledged
    }

    private func options(_ vfs: FaultVFS, boot: String) -> Journal.Options {
        var options = Journal.Options()
        options.durability = durability
        options.vfs = vfs.name
        options.checkpointPages = 20
        var identity = ProcessIdentity.current()
        identity.boot = boot
        options.identity = { [identity] in identity }
        return options
    }

    private func check(
        _ path: String, _ vfs: FaultVFS, _ acknowledged: [Acknowledgement], _ round: Int, _ result: inout Result
    ) async {
        func problem(_ text: String) { result.problems.append("round \(round) (seed \(seed)): \(text)") }
        do {
            let journal = try Journal(path: path, options: options(vfs, boot: "boot-3"))
            // The journal must not only be readable, but also writable.
            let stream = try await journal.openStream("stream-0", machine: "torture")
            try await stream.append(#"{"append":{"token":"last"}}"#)
            let audit = try Audit(path: path, acknowledged: acknowledged, vfs: vfs.name)
            try await journal.close()
            result.acknowledged += acknowledged.count
            result.lost += audit.lost
            audit.problems.forEach(problem)
            // With NORMAL the newest entries may be lost. The verified digest chain shows that no older one is missing.
            if durability == .full, audit.lost > 0 {
                problem("\(audit.lost) of \(acknowledged.count) acknowledged entries are lost")
            }
        } catch {
            problem("\(error)")
        }
    }
}
