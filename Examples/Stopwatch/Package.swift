// swift-tools-version: 6.2
import PackageDescription

// The smallest store with an effect function, which uses a timer.
let package = Package(
    name: "Stopwatch",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "stopwatch", targets: ["stopwatch"])],
    dependencies: [.package(name: "JournalStore", path: "../..")],
    targets: [
        .executableTarget(
            name: "stopwatch",
            dependencies: [
                .product(name: "JournalStore", package: "JournalStore"),
                .product(name: "JournalReplayKit", package: "JournalStore"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
