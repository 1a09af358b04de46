import Testing

@testable import JournalStore

@Suite struct `Effects that crash the process, simulated` {
    private typealias Guilty = CrashLoopSimulation.Guilty

    /// Opens until an opening is stable.
    private func openUntilStable(_ count: Int, _ guilty: [Guilty]) -> CrashLoopSimulation {
        var simulation = CrashLoopSimulation()
        let runs = (1...count).map { RunKey(step: $0) }
        let life = CrashLoopSimulation.Life(killed: .seconds(100_000))
        while simulation.deaths < 100, !simulation.open(runs, life, guilty: guilty) {}
        return simulation
    }

    @Test(arguments: [0, 1, 20, 300, 900, 9_000], 1...5)
    func `one of a few is parked by the seventh opening, and no other`(_ milliseconds: Int, _ step: Int) {
        let guilty = Guilty(key: RunKey(step: step), after: .milliseconds(milliseconds))
        let simulation = openUntilStable(5, [guilty])
        #expect(simulation.parked == [guilty.key])
        #expect(simulation.deaths == 6)
    }

    @Test(arguments: [1, 2, 3, 100, 511, 512, 756, 1000])
    func `one of a thousand is parked by the fourteenth opening, and no other`(_ step: Int) {
        let guilty = Guilty(key: RunKey(step: step), after: .milliseconds(40))
        let simulation = openUntilStable(1000, [guilty])
        #expect(simulation.parked == [guilty.key])
        #expect(simulation.deaths <= 13)
    }

    @Test(arguments: [(2, 4), (40, 41), (7, 64)])
    func `several are parked one after the other, and no others`(_ first: Int, _ second: Int) {
        let guilty = [first, second].map { Guilty(key: RunKey(step: $0), after: .milliseconds(30)) }
        let simulation = openUntilStable(64, guilty)
        #expect(simulation.parked.sorted() == guilty.map(\.key))
        #expect(simulation.deaths <= 3 + 2 * 7)
    }

    /// The group after it is suspected at first. In the next opening that one starts alone, and outlives its watch.
    @Test func `an effect that crashes the process later than its watch ends is found as well, and no other`() {
        var simulation = CrashLoopSimulation()
        let runs = (1...3).map { RunKey(step: $0) }
        let guilty = Guilty(key: runs[0], after: .milliseconds(150))
        for _ in 0..<3 { simulation.open(runs, CrashLoopSimulation.Life(killed: .milliseconds(20))) }
        for _ in 0..<40 {
            simulation.open(runs, CrashLoopSimulation.Life(killed: .seconds(1_000)), guilty: [guilty])
        }
        #expect(simulation.parked == [runs[0]])
    }
}
