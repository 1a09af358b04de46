@testable import JournalStore

extension Bench {
    /// Adds a timer whose step is committed now.
    func addTimer(_ number: Int, _ plan: TimerPlan, id: (any EffectID)? = nil) {
        var request = Bench.request(number, id: id)
        request.timer = plan
        request.time = now.date
        scheduler.add(request, at: now)
    }

    /// - Parameter time: when its step was committed.
    func restoreTimer(_ record: EffectRun, _ plan: TimerPlan, id: (any EffectID)? = nil, time: Timestamp? = nil) {
        var request = Bench.request(record.step, id: id)
        request.timer = plan
        if let time { request.time = time }
        request.record = record
        scheduler.restore(request, at: now)
    }

    /// Sets only the wall clock.
    func setClock(by seconds: Double) { now.date = now.date.advanced(by: .seconds(seconds)) }

    /// The timers whose actions the scheduler wanted committed, in order.
    var ticks: [Int] {
        commands.compactMap { if case .sendAction(let key) = $0 { key.step } else { nil } }
    }

    /// The failure actions that the scheduler wanted committed: the number of the run, and the error.
    var told: [String] {
        commands.compactMap { if case .sendFailure(let key, let error) = $0 { "\(key.step) \(error)" } else { nil } }
    }

    /// The failures that no machine hears of.
    var reported: [String] {
        commands.compactMap {
            if case .reportFailure(let failure) = $0 { "\(failure.key.step) \(failure.error)" } else { nil }
        }
    }

    /// Commits a timer's action, and pumps.
    func commitTick(_ number: Int) {
        guard let record = scheduler.recordAfterTick(Bench.key(number), at: now) else { return }
        scheduler.ticked(Bench.key(number), record, at: now)
        look()
    }

    func record(_ number: Int) -> EffectRun? { scheduler.runs[Bench.key(number)]?.record }

    /// Advances the clocks from one wake-up to the next, up to a tick, and commits each timer's action at once.
    func run(to tick: Duration) {
        look()
        while true {
            let before = ticks.count
            for number in speaking { commitTick(number) }
            if ticks.count > before { continue }
            guard let wake = scheduler.nextWake, wake <= tick else { break }
            turn(to: wake)
        }
        turn(to: tick)
    }

    private var speaking: [Int] {
        scheduler.runs.values.filter { $0.phase.isSending }.map(\.request.key.step).sorted()
    }
}
