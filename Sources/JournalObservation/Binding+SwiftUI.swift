#if canImport(SwiftUI)
    public import SwiftUI

    // Untested: the checks of this package run where there is no SwiftUI.
    extension Binding {
        /// A binding of SwiftUI: `TextField("Name", text: Binding(observed.binding(get: \.name, send: AppAction.rename)))`.
        @MainActor public init(_ binding: ObservedBinding<Value>) {
            self.init(get: { binding.wrappedValue }, set: { binding.wrappedValue = $0 })
        }
    }
#endif
