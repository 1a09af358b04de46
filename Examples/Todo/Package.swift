// swift-tools-version: 6.2
import PackageDescription

// A to-do list in the terminal, with undo and redo that are journaled.
let package = Package(
    name: "Todo",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "todo", targets: ["todo"])],
    dependencies: [.package(name: "JournalStore", path: "../..")],
    targets: [
        .executableTarget(
            name: "todo",
            dependencies: [
                .product(name: "JournalStore", package: "JournalStore"),
                .product(name: "JournalReplayKit", package: "JournalStore"),
            ]),
        .testTarget(
            name: "TodoTests",
            dependencies: ["todo", .product(name: "JournalTesting", package: "JournalStore")]),
    ],
    swiftLanguageModes: [.v6]
)
