// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// As much of SwiftUI as the example and JournalObservation use, with the types and isolation of the real one and
// without doing anything: so that their SwiftUI code can be type-checked where there is no SwiftUI. Nothing links it.

public import Foundation
public import Observation

// MARK: Views

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View { public var body: Never { fatalError("A stub.") } }

/// A view of the system.
public protocol Primitive: View where Body == Never {}
extension Primitive { public var body: Never { fatalError("A stub.") } }

public struct EmptyView: Primitive { public nonisolated init() {} }
public struct Either<First: View, Second: View>: Primitive { nonisolated init() {} }
public struct Several<each Content: View>: Primitive { nonisolated init() {} }
extension Optional: View where Wrapped: View { public var body: Never { fatalError("A stub.") } }

@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Several<repeat each Content> {
        Several()
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> Either<First, Second> { Either() }
    public static func buildEither<First: View, Second: View>(second: Second) -> Either<First, Second> { Either() }
}

public struct Text: Primitive {
    @_disfavoredOverload public init<Content: StringProtocol>(_ content: Content) {}
    public init(_ key: LocalizedStringKey) {}
}
public struct LocalizedStringKey: ExpressibleByStringInterpolation, Equatable {
    public init(stringLiteral value: String) {}
}
public struct ProgressView: Primitive { public init() {} }
public struct Group<Content: View>: Primitive { public init(@ViewBuilder content: () -> Content) {} }
public struct VStack<Content: View>: Primitive {
    public init(spacing: Double? = nil, @ViewBuilder content: () -> Content) {}
}
public struct HStack<Content: View>: Primitive {
    public init(spacing: Double? = nil, @ViewBuilder content: () -> Content) {}
}
public struct List<Content: View>: Primitive { public init(@ViewBuilder content: () -> Content) {} }

public struct Button<Label: View>: Primitive {}
extension Button where Label == Text {
    public nonisolated init(_ key: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}
}
public struct TextField<Label: View>: Primitive {}
extension TextField where Label == Text {
    public init(_ key: LocalizedStringKey, text: Binding<String>) {}
}
public struct Toggle<Label: View>: Primitive {}
extension Toggle where Label == Text {
    public init(_ key: LocalizedStringKey, isOn: Binding<Bool>) {}
    @_disfavoredOverload public init<Title: StringProtocol>(_ title: Title, isOn: Binding<Bool>) {}
}

public protocol DynamicViewContent: View {}
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}
extension ForEach: View where Content: View { public var body: Never { fatalError("A stub.") } }
extension ForEach: DynamicViewContent where Content: View {}
extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}
extension DynamicViewContent {
    public func onDelete(perform action: ((IndexSet) -> Void)?) -> some DynamicViewContent { self }
}

extension View {
    public nonisolated func padding(_ length: Double? = nil) -> some View { EmptyView() }
    public nonisolated func disabled(_ disabled: Bool) -> some View { EmptyView() }
    public nonisolated func onSubmit(_ action: @escaping () -> Void) -> some View { EmptyView() }
    public nonisolated func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { EmptyView() }
}

// MARK: Apps

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
}
extension Never: Scene {}

@resultBuilder public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
    public nonisolated init(_ key: LocalizedStringKey, @ViewBuilder content: @escaping () -> Content) {}
    public var body: Never { fatalError("A stub.") }
}

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}
extension App { public static func main() {} }

// MARK: Values

@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    // Without the attribute that the real one has, which lets closures inherit the actor of their context: so this is
    // stricter.
    @preconcurrency public init(
        get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {}
    public var wrappedValue: Value {
        get { fatalError("A stub.") }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }
    public subscript<Subject>(dynamicMember path: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        fatalError("A stub.")
    }
}

@propertyWrapper public struct State<Value> {
    public init(wrappedValue value: Value) {}
    public var wrappedValue: Value {
        get { fatalError("A stub.") }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError("A stub.") }
}

@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
    public init(wrappedValue: Value) where Value: AnyObject, Value: Observable { self.wrappedValue = wrappedValue }
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }
    public subscript<Subject>(dynamicMember path: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject>
    where Value: AnyObject {
        fatalError("A stub.")
    }
}
