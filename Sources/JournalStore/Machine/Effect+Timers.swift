#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// Timers: described effects that need no handler.

extension Effect {
    /// Sends an action after a duration, counted from the step, across restarts. A clock change cannot extend the wait
    /// while the stream is open. If the clock is set back while it is closed, the next opening waits for the whole
    /// duration at most.
    ///
    /// - Parameters:
    ///   - duration: the time between the step and the action.
    ///   - action: the action to send.
    ///   - name: the timer's name in the journal; by default the action's case.
    ///   - id: the ID that cancels the timer.
    public static func after(
        _ duration: Duration, _ action: Action, name: String? = nil, id: (any EffectID)? = nil
    ) -> Effect {
        timer(.after(duration), action, name, id)
    }

    /// Sends an action at a time of the wall clock, or at once if that time has passed. If the clock is set back, the
    /// timer waits until the clock shows that time.
    ///
    /// - Parameters:
    ///   - time: the time to send the action at.
    ///   - action: the action to send.
    ///   - name: the timer's name in the journal; by default the action's case.
    ///   - id: the ID that cancels the timer.
    public static func at(_ time: Timestamp, _ action: Action, name: String? = nil, id: (any EffectID)? = nil) -> Effect
    {
        timer(.at(time), action, name, id)
    }

    /// Sends an action repeatedly, first after one interval, until it is cancelled. Each tick is journaled once.
    ///
    /// Ticks do not drift: they are due at whole intervals after the step.
    ///
    /// - Parameters:
    ///   - interval: the time between two ticks; at least a millisecond.
    ///   - action: the action to send.
    ///   - missed: what happens to ticks that came due while the process was down or asleep.
    ///   - name: the timer's name in the journal; by default the action's case.
    ///   - id: the ID that cancels the timer.
    public static func every(
        _ interval: Duration, _ action: Action, missed: MissedTicks = .one, name: String? = nil,
        id: (any EffectID)? = nil
    ) -> Effect {
        timer(.every(interval, missed), action, name, id)
    }

    /// Sends an action at a date, or at once if that date has passed.
    public static func at(_ date: Date, _ action: Action, name: String? = nil, id: (any EffectID)? = nil) -> Effect {
        .at(Timestamp(date), action, name: name, id: id)
    }

    private static func timer(_ plan: TimerPlan, _ action: Action, _ name: String?, _ id: (any EffectID)?) -> Effect {
        let found = name.map { StoredName.CaseName(name: $0) } ?? StoredName.caseName(of: action)
        return Effect(
            Run(
                name: found.name, earlierName: found.earlierName, id: id.map(AnyEffectID.init),
                work: .timer(plan, action)))
    }
}
