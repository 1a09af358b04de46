#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// Timers: described effects that need no handler.

extension Effect {
    /// Sends an action so long after the step, also over restarts. A clock that jumps cannot make it wait longer than that.
    ///
    /// - Parameters:
    ///   - duration: how long.
    ///   - action: the action.
    ///   - name: what it is called in the journal; by default the action's case.
    ///   - id: what it can be cancelled by.
    public static func after(
        _ duration: Duration, _ action: Action, name: String? = nil, id: (any EffectID)? = nil
    ) -> Effect {
        timer(.after(duration), action, name, id)
    }

    /// Sends an action at a time of the wall clock, or at once where that is over. A clock that is set back makes it
    /// wait for that time again.
    ///
    /// - Parameters:
    ///   - time: when.
    ///   - action: the action.
    ///   - name: what it is called in the journal; by default the action's case.
    ///   - id: what it can be cancelled by.
    public static func at(_ time: Timestamp, _ action: Action, name: String? = nil, id: (any EffectID)? = nil) -> Effect
    {
        timer(.at(time), action, name, id)
    }

    /// Sends an action again and again, the first time after one interval, until it is cancelled. Each tick is journaled once.
    ///
    /// The ticks stay in step with the first: they are due at whole intervals after the step.
    ///
    /// - Parameters:
    ///   - interval: from one tick to the next; a millisecond at least.
    ///   - action: the action.
    ///   - missed: what becomes of ticks whose time went by while nothing ran.
    ///   - name: what it is called in the journal; by default the action's case.
    ///   - id: what it can be cancelled by.
    public static func every(
        _ interval: Duration, _ action: Action, missed: MissedTicks = .one, name: String? = nil,
        id: (any EffectID)? = nil
    ) -> Effect {
        timer(.every(interval, missed), action, name, id)
    }

    /// Sends an action at a date; the same by a date.
    public static func at(_ date: Date, _ action: Action, name: String? = nil, id: (any EffectID)? = nil) -> Effect {
        .at(Timestamp(date), action, name: name, id: id)
    }

    private static func timer(_ plan: TimerPlan, _ action: Action, _ name: String?, _ id: (any EffectID)?) -> Effect {
        Effect(
            Run(
                name: name ?? StoredName.ofCase(action), id: id.map(AnyEffectID.init), work: .timer(plan, action)))
    }
}
