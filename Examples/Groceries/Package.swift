// swift-tools-version: 6.2
import PackageDescription

// An app with SwiftUI, whose machine and view model need no SwiftUI: without it, the same list is in the terminal.
let package = Package(
    name: "Groceries",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "groceries", targets: ["groceries"])],
    dependencies: [.package(name: "JournalStore", path: "../..")],
    targets: [
        .executableTarget(
            name: "groceries",
            dependencies: [
                .product(name: "JournalStore", package: "JournalStore"),
                .product(name: "JournalObservation", package: "JournalStore"),
                .product(name: "JournalReplayKit", package: "JournalStore"),
            ]),
        .testTarget(name: "GroceriesTests", dependencies: ["groceries"]),
    ],
    swiftLanguageModes: [.v6]
)
