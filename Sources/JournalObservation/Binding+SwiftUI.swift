#if canImport(SwiftUI)
    public import SwiftUI

    // Not tested: the checks of this package run where there is no SwiftUI. `Examples/Groceries/check` type-checks it
    // with a stub.
    extension Binding {
        /// A binding of SwiftUI: `TextField("Name", text: Binding(observed.binding(get: \.name, send:
        /// AppAction.rename)))`.
        @MainActor public init(_ binding: ObservedBinding<Value>) {
            // The closures are `Sendable`, so they do not inherit the actor of this initializer.
            self.init(get: { @MainActor in binding.wrappedValue }, set: { @MainActor in binding.wrappedValue = $0 })
        }
    }
#endif
