// swift-tools-version: 6.2
import PackageDescription

// An effect that sends the elements of a sequence until its ID is cancelled.
let package = Package(
    name: "Timer",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "timer", targets: ["timer"])],
    dependencies: [.package(name: "JournalStore", path: "../..")],
    targets: [
        .executableTarget(
            name: "timer",
            dependencies: [
                .product(name: "JournalStore", package: "JournalStore"),
                .product(name: "JournalReplayKit", package: "JournalStore"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
