/// stub
public struct CasePath<Root, Value>: Sendable {
    private let e: @Sendable (Value) -> Root
    private let x: @Sendable (Root) -> Value?
    /// stub
    public init(embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) { e = embed; x = extract }
    /// stub
    public func embed(_ value: Value) -> Root { e(value) }
    /// stub
    public func extract(from root: Root) -> Value? { x(root) }
}
