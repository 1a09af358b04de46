/// How far a replay or an opening has come.
public struct ReplayProgress: Hashable, Sendable {
    /// The step that was reduced last.
    public var step: Int
    /// The last step to reduce.
    public var last: Int
}
