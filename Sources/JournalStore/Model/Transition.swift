/// One step of a machine, as it happened.
public struct Transition<Action: Sendable, State: Sendable>: Sendable {
    /// The name of its stream.
    public let stream: String
    /// The step.
    public let step: Int
    /// When its action was committed.
    public let time: Timestamp
    /// Where its action came from.
    public let origin: Origin
    /// The action.
    public let action: Action
    /// The actions that `.next` added to it, without those that the reducer rejected.
    public let cascade: [Action]
    /// Why the reducer rejected it; nil if it did not.
    public let rejection: String?
    /// Whether it was not reduced: an operator skipped it, or an earlier step had cancelled the effect that sent the
    /// action.
    public let isSkipped: Bool
    /// The state before it.
    public let before: State
    /// The state after it.
    public let after: State
}

extension Transition: CustomStringConvertible {
    /// The step, the stream, where and when the action came from, its name, and whether it was rejected or skipped.
    public var description: String {
        StepLine.text(step, of: stream, origin, at: time, action: StoredName.ofCase(action))
            + StepLine.ending(isSkipped: isSkipped, rejection: rejection)
    }
}

/// Observes a store from outside the reducer: called for each new step, in order, and never by a replay. For a step that
/// the process had not reduced before it died it is never called. Messages that arrived while the stream was closed are
/// new steps only in the process that has received them.
///
/// It runs between two steps, so it must not block, and must not call the store and wait for it. Because it gets the
/// state before each step as well, the store keeps a second state and reduces each step twice.
///
/// Task-local values in it are those of any caller, or none, because one caller's thread also reduces what others have
/// dispatched. Take from the action what a request is known by.
public struct Observer<Action: Sendable, State: Sendable>: Sendable {
    let observe: @Sendable (Transition<Action, State>) -> Void

    /// Creates an observer from a function.
    public init(_ observe: @escaping @Sendable (Transition<Action, State>) -> Void) {
        self.observe = observe
    }
}
