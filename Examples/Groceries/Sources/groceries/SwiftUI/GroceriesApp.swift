#if canImport(SwiftUI)
    import Foundation
    import SwiftUI

    // Not tested: written on Linux, and type-checked with a stub of SwiftUI only.

    struct GroceriesApp: App {
        @State private var opening = Opening(path: Self.path)

        init() {
            #if os(macOS)
                // `swift run` starts it without a bundle: the system would take it for a tool, which has no menu and no
                // keyboard.
                NSApplication.shared.setActivationPolicy(.regular)
            #endif
        }

        var body: some Scene {
            WindowGroup("Groceries") { OpeningView(opening: opening) }
        }

        private static var path: String {
            let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
            let folder = support.appending(path: "Groceries")
            // If it fails, so does opening the journal, which tells the user.
            try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return folder.appending(path: "groceries.db").path
        }
    }
#endif
