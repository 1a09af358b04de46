import Foundation
import Testing
import TortureKit

@testable import JournalStore

/// Kills that no effect has caused. A parked effect waits until an operator acts, so they must park nothing.
@Suite struct `Kills from outside, simulated` {
    /// When processes are killed, and how fast they are.
    enum Killer: CaseIterable, CustomTestStringConvertible {
        case evenly, soon, late, afterDispatch, afterSlowDispatch, longTail, withoutMemory, halfMinute, anyScale

        var testDescription: String {
            switch self {
            case .evenly: "0 to 150 ms after the opening"
            case .soon: "0 to 150 ms after a start that takes 20 to 300 ms"
            case .late: "0 to 450 ms after a start that takes 20 to 300 ms"
            case .afterDispatch: "0 to 150 ms after the first dispatch, which follows a slow start"
            case .afterSlowDispatch: "0 to 150 ms after a first dispatch at some time after a slow start"
            case .longTail: "20 ms after the opening, half as often after twice the time, and so on"
            case .withoutMemory: "at any time, every ten seconds on average"
            case .halfMinute: "0 to 30 s after the opening"
            case .anyScale: "1 ms to 30 s after the opening, as often in each decade"
            }
        }

        private var isSlow: Bool {
            switch self {
            case .soon, .late, .afterDispatch, .afterSlowDispatch: true
            case .evenly, .longTail, .withoutMemory, .halfMinute, .anyScale: false
            }
        }

        func life(_ random: inout SplitMix) -> CrashLoopSimulation.Life {
            let shares = (0..<6).map { _ in Double(random.next() >> 11) * 0x1p-53 }
            // In milliseconds.
            let ready = isSlow ? 20 + 280 * shares[0] : 20
            let planned = isSlow ? ready * shares[1] : 1
            let recorded = isSlow ? planned + (ready - planned) * shares[2] : 2
            let killed =
                switch self {
                case .evenly: recorded + 150 * shares[3]
                case .soon: 150 * shares[3]
                case .late: 450 * shares[3]
                case .afterDispatch: ready + 150 * shares[3]
                case .afterSlowDispatch: ready + 50 * shares[4] + 150 * shares[3]
                case .longTail: recorded + 20 / max(1e-6, 1 - shares[3])
                case .withoutMemory: recorded - 10_000 * log(1 - shares[3])
                case .halfMinute: recorded + 30_000 * shares[3]
                case .anyScale: recorded + pow(30_000, shares[3])
                }
            func time(_ milliseconds: Double) -> Duration { .microseconds(Int64(milliseconds * 1000)) }
            return CrashLoopSimulation.Life(
                planned: time(planned), recorded: time(recorded), ready: time(ready), killed: time(killed))
        }
    }

    /// What was parked by so many kills of a stream with some effects, and one opening after them.
    private func parked(_ killer: Killer, kills: Int, effects: Int, _ random: inout SplitMix) -> [RunKey] {
        var simulation = CrashLoopSimulation()
        let runs = (1...effects).map { RunKey(step: $0) }
        for _ in 0...kills {
            let randomPart = Double(random.next() >> 11) * 0x1p-53
            simulation.open(runs, killer.life(&random), randomPart: randomPart)
        }
        return simulation.parked
    }

    @Test(arguments: Killer.allCases, [1, 5])
    func `twenty-five kills park no effect, in two hundred streams`(_ killer: Killer, _ effects: Int) {
        var random = SplitMix(seed: UInt64(effects))
        for _ in 0..<200 {
            let parked = parked(killer, kills: 25, effects: effects, &random)
            #expect(parked == [])
        }
    }

    @Test(arguments: Killer.allCases)
    func `a thousand kills park no effect`(_ killer: Killer) {
        var random = SplitMix(seed: 7)
        let parked = parked(killer, kills: 1000, effects: 3, &random)
        #expect(parked == [])
    }

    @Test func `openings that live longer each time park no effect`() {
        var simulation = CrashLoopSimulation()
        let runs = (1...5).map { RunKey(step: $0) }
        for count in 0..<1000 {
            simulation.open(runs, CrashLoopSimulation.Life(killed: .milliseconds(5 + count * 9)))
        }
        #expect(simulation.parked == [])
    }
}
