@testable import JournalStore

extension Bench {
    /// A timer of a step that is committed now.
    func addTimer(_ number: Int, _ plan: TimerPlan, id: (any EffectID)? = nil) {
        var request = Bench.request(number, id: id)
        request.timer = plan
        request.time = now.date
        scheduler.add(request, at: now)
    }

    /// A timer that came back as it is recorded.
    func restoreTimer(_ record: EffectRun, _ plan: TimerPlan, id: (any EffectID)? = nil) {
        var request = Bench.request(record.step, id: id)
        request.timer = plan
        request.record = record
        scheduler.restore(request, at: now)
    }

    /// Sets the wall clock alone.
    func setClock(by seconds: Int64) { now.date = now.date.advanced(by: .seconds(seconds)) }

    /// The timers whose action was to be committed, in order.
    var ticks: [Int] {
        commands.compactMap { if case .sendAction(let key) = $0 { key.step } else { nil } }
    }

    /// What the machine was to be told, by the number of the run.
    var told: [String] {
        commands.compactMap { if case .sendFailure(let key, let error) = $0 { "\(key.step) \(error)" } else { nil } }
    }

    /// Has a timer's action committed, and looks.
    func commitTick(_ number: Int) {
        guard let record = scheduler.recordAfterTick(Bench.key(number), at: now) else { return }
        scheduler.ticked(Bench.key(number), record, at: now)
        look()
    }

    /// What a run's record says as it stands.
    func record(_ number: Int) -> EffectRun? { scheduler.runs[Bench.key(number)]?.record }

    /// Turns the clocks from one moment of waking to the next, up to a tick, and has each timer's action committed at once.
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
