/// A type that a journal can store: an action or a state.
///
/// Any `Codable & Sendable` type works. Conform to this protocol in a module that is isolated to the main actor by
/// default: there, a conformance to `Codable` alone is isolated to that actor and cannot be used elsewhere.
public protocol Journaled: Codable, Sendable {}
