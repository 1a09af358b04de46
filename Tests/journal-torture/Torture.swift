import CFork
import Foundation
import JournalStore
import TortureKit

/// Kills processes and cuts the power as often as requested; also the child processes that the tests kill.
@main
struct Torture {
    static let usage = """
        usage: journal-torture all [--kills N] [--cuts N] [--mutants N] [--seed N]
               journal-torture hosts [--streams N] [--live N] [--kills N] [--seconds N] [--seed N]
               journal-torture append FILE full|normal [COUNT]
               journal-torture pay FILE PORT ORDERS watch|ignore
               journal-torture poison FILE effect|reducer broken|mended
               journal-torture hold FILE [fork]
               journal-torture count FILE [USER]
               journal-torture open FILE [USER]
        """

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("all", _): try await all(arguments)
        case ("hosts", _): try await hosts(arguments)
        case ("hosted", 7):
            do {
                try await HostedStreams.work(
                    arguments[1], outside: arguments[2], streams: Int(arguments[3]) ?? 0, live: Int(arguments[4]) ?? 0,
                    seconds: Int(arguments[5]) ?? 0, seed: UInt64(arguments[6]) ?? 0)
            } catch {
                fail("\(error)")
            }
        case ("append", 3...):
            guard let durability = Durability(rawValue: arguments[2]) else { return fail(usage) }
            let count = arguments.count > 3 ? Int(arguments[3]) ?? .max : .max
            do {
                try await Appender(path: arguments[1], durability: durability, count: count).run()
            } catch {
                fail("\(error)")
            }
        case ("pay", 5...):
            do {
                try await Payments.work(
                    arguments[1], port: UInt16(arguments[2]) ?? 0, orders: Int(arguments[3]) ?? 1,
                    findsCrashLoops: arguments[4] == "watch")
            } catch {
                fail("\(error)")
            }
        case ("poison", 4...):
            do {
                try await Poison.work(arguments[1], arguments[2], isMended: arguments[3] == "mended")
            } catch {
                fail("\(error)")
            }
        case ("hold", 2...): hold(arguments[1], forks: arguments.contains("fork"))
        case ("count", 2...): count(arguments[1], user: arguments.dropFirst(2).first)
        case ("open", 2...): open(arguments[1], user: arguments.dropFirst(2).first)
        default: fail(usage)
        }
    }

    private static func hosts(_ arguments: [String]) async throws {
        func number(_ name: String, _ standard: Int) -> Int { Int(Torture.number(arguments, name, UInt64(standard))) }
        let seed = Torture.number(arguments, "--seed", UInt64.random(in: 0...UInt64(UInt32.max)))
        say("seed \(seed)")
        let hosted = HostedStreams(
            streams: number("--streams", 100_000), live: number("--live", 10_000), kills: number("--kills", 50),
            seconds: number("--seconds", 90), seed: seed)
        let watchdog = Watchdog()
        let result = try await hosted.run { stage in
            switch stage {
            case .making: watchdog.begins("making \(hosted.streams) streams, seed \(seed)")
            case .kill(let number):
                watchdog.begins("kill \(number) of a host, seed \(seed)")
                if number > 1, number % 10 == 1 { say("  \(number - 1) kills") }
            case .ending: watchdog.begins("the last life of a host, seed \(seed)")
            case .checking: watchdog.begins("checking the journal of a host, seed \(seed)")
            }
        }
        say(
            "hosts: \(hosted.streams) streams, \(result.kills) rounds of SIGKILL, \(result.timers) timers (the latest "
                + "\(result.latest) ms late; a process stood still for \(result.stall) ms at most), \(result.effects) effects; "
                + "ready within \(result.recovery) ms, at most \(result.memory >> 20) MiB")
        guard result.problems.isEmpty else { return fail(result.problems.prefix(20).joined(separator: "\n")) }
    }

    private static func number(_ arguments: [String], _ name: String, _ standard: UInt64) -> UInt64 {
        guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return standard }
        return UInt64(arguments[index + 1]) ?? standard
    }

    private static func all(_ arguments: [String]) async throws {
        func number(_ name: String, _ standard: UInt64) -> UInt64 { Torture.number(arguments, name, standard) }
        let seed = number("--seed", UInt64.random(in: 0...UInt64(UInt32.max)))
        let cuts = Int(number("--cuts", 200))
        let rounds = Int(number("--kills", 1_000))
        say("seed \(seed)")
        let watchdog = Watchdog()

        watchdog.begins("kill 1, seed \(seed)")
        let kills = try Kills(rounds: rounds, seed: seed).run { result in
            watchdog.begins("kill \(result.rounds + 1), seed \(seed)")
            if result.rounds % 100 == 0 {
                say("  \(result.rounds) kills, \(result.acknowledged) entries acknowledged")
            }
        }
        say(
            "SIGKILL: \(kills.rounds) rounds, \(kills.acknowledged) entries acknowledged, \(kills.lost) lost")
        var problems = kills.problems

        watchdog.begins("payments: kill 1, seed \(seed)")
        let payments = try await Payments(rounds: rounds, seed: seed).run { result in
            watchdog.begins("payments: kill \(result.rounds + 1) or the end, seed \(seed)")
        }
        say(
            "payments: \(payments.rounds) rounds of SIGKILL, \(payments.orders) orders, each charged once and settled "
                + "(\(payments.requests) requests, \(payments.resumed) effects started again)")
        problems += payments.problems

        for durability in Durability.allCases {
            let name = "power cuts, \(durability.rawValue.uppercased())"
            watchdog.begins("\(name): round 1, seed \(seed)")
            let result = try await PowerCuts(rounds: max(1, cuts / 2), seed: seed, durability: durability).run {
                watchdog.begins("\(name): round \($0.rounds + 1), seed \(seed)")
            }
            say("\(name): \(result.cuts) cuts, \(result.acknowledged) entries acknowledged, \(result.lost) lost")
            problems += result.problems
        }
        problems += try await mutants(Int(number("--mutants", 10_000)), seed: seed, watchdog)
        guard problems.isEmpty else { return fail(problems.joined(separator: "\n")) }
        say("every journal verified")
    }

    /// Damages files and rows.
    private static func mutants(_ count: Int, seed: UInt64, _ watchdog: Watchdog) async throws -> [String] {
        watchdog.begins("making the journals that are damaged")
        let rot = try await BitRot()
        var damaged = BitRot.Result()
        for index in 0..<UInt64(count) {
            watchdog.begins("mutant \(seed &+ index)")
            try await rot.run(seed &+ index, &damaged)
        }
        say(
            "damaged files: \(damaged.mutants) mutants, \(damaged.noticed) noticed, \(damaged.harmless) without a change, "
                + "\(damaged.problems.count) silent changes")
        // A random mutant is seldom the one that ends in an endless loop.
        var zeroed = BitRot.Result()
        for sector in try rot.sectors() {
            watchdog.begins("\(sector)")
            try await rot.zero(sector, &zeroed)
        }
        say(
            "zeroed sectors: \(zeroed.mutants), \(zeroed.noticed) noticed, \(zeroed.harmless) without a change, "
                + "\(zeroed.problems.count) silent changes")
        // A random mutant seldom hits an index.
        let bytes = try rot.indexBytes()
        var changedIndexes = BitRot.Result()
        for index in stride(from: 0, to: bytes.count, by: max(1, bytes.count / max(1, count))) {
            watchdog.begins("\(bytes[index])")
            try await rot.change(bytes[index], &changedIndexes)
        }
        say(
            "bytes of indexes: \(changedIndexes.mutants) of \(bytes.count), \(changedIndexes.noticed) noticed, "
                + "\(changedIndexes.harmless) without a change, \(changedIndexes.problems.count) silent changes")
        var endless = BitRot.Result()
        for tree in try rot.trees() {
            watchdog.begins("\(tree)")
            try await rot.makeEndless(tree, &endless)
        }
        say("endless tables and indexes: \(endless.mutants), \(endless.noticed) noticed")
        watchdog.begins("making the journal that gets odd values")
        let fuzz = try await RowFuzz()
        var changed = RowFuzz.Result()
        // All of them, or as many as there are mutants of files.
        for index in stride(from: 0, to: fuzz.count, by: max(1, fuzz.count / max(1, count))) {
            watchdog.begins("odd value \(index)")
            try await fuzz.run(index, &changed)
        }
        say(
            "odd values: \(changed.mutants) mutants, \(changed.refused) refused by an opening, "
                + "\(changed.problems.count) called sound")
        return [damaged, zeroed, changedIndexes, endless].flatMap(\.problems) + changed.problems
    }

    /// Prints a line at once, also into a pipe: whoever watches a long run wants to see how far it is.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    /// Keeps a journal open until standard input is closed.
    private static func hold(_ path: String, forks: Bool) {
        do {
            let journal = try Journal(path: path)
            let child = forks ? cfork_waiting_child() : 0
            print("open \(getpid()) \(child)")
            fflush(nil)
            while readLine() != nil {}
            withExtendedLifetime(journal) {}
        } catch {
            fail("\(error)")
        }
    }

    /// Counts the entries, as another user if one is named.
    private static func count(_ path: String, user: String?) {
        tell(as: user) { "\(try JournalReader(path: path).entries(after: 0, limit: .max).count) entries" }
    }

    /// Opens for writing, as another user if one is named.
    private static func open(_ path: String, user: String?) {
        tell(as: user) { "opened \(try Journal(path: path).file ?? "")" }
    }

    private static func tell(as user: String?, _ body: () throws -> String) {
        if let user {
            guard let account = getpwnam(user), setgid(account.pointee.pw_gid) == 0, setuid(account.pointee.pw_uid) == 0
            else { return fail("cannot become \(user)") }
        }
        do {
            print(try body())
        } catch {
            print("\(error)")
        }
    }

    private static func fail(_ message: String) {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(1)
    }
}
