/// What a journal can keep: actions and states.
///
/// Any `Codable & Sendable` type will do. Conform to this protocol where a module is isolated to the main actor by default:
/// there a conformance to `Codable` alone would be bound to that actor, and could not be used elsewhere.
public protocol Journaled: Codable, Sendable {}
