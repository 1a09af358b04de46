/// When a stream without a store needs one again, because of what is recorded of its effects.
enum WakePlan: Hashable, Sendable {
    /// Something is to be done.
    case now
    /// Each of its effects waits for a time, and this is the earliest.
    case at(Timestamp)
    /// Nothing happens without a new action.
    case never

    /// - Parameters:
    ///   - runs: the live runs of a stream whose outcomes are all recorded.
    ///   - knowsOrphans: whether this code has opened the stream: then another opening finds the same orphans.
    init(_ runs: some Sequence<EffectRun>, knowsOrphans: Bool = false) {
        self = .never
        for run in runs {
            switch run.status {
            case .asked, .parked: continue
            case .orphaned where knowsOrphans: continue
            // The first start, and a timer: a restart changes nothing about them. A retry has a restart policy.
            case .delayed where run.attempts == 0: add(run.notBefore)
            default: add(nil)
            }
        }
    }

    /// - Parameter hasInitialEffect: whether the machine has an effect that starts with the stream.
    init(_ stream: StreamInfo, _ runs: [EffectRun], hasInitialEffect: Bool) {
        let isSettled = stream.settledStep == stream.headStep && (stream.watermark >= 0 || !hasInitialEffect)
        self = isSettled ? WakePlan(runs) : .now
    }

    /// - Parameter time: when a run needs the store; nil for now.
    private mutating func add(_ time: Timestamp?) {
        guard let time else { return self = .now }
        switch self {
        case .now: break
        case .at(let other): self = .at(min(time, other))
        case .never: self = .at(time)
        }
    }
}
