// swift-tools-version: 6.2
import PackageDescription

// The smallest store: an update function and a journal.
let package = Package(
    name: "Counter",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "counter", targets: ["counter"])],
    dependencies: [.package(name: "JournalStore", path: "../..")],
    targets: [
        .executableTarget(
            name: "counter",
            dependencies: [
                .product(name: "JournalStore", package: "JournalStore"),
                .product(name: "JournalReplayKit", package: "JournalStore"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
