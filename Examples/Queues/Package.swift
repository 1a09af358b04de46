// swift-tools-version: 6.2
import PackageDescription

// An effect queue with a maximum and a delay between starts.
let package = Package(
    name: "Queues",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "queues", targets: ["queues"])],
    dependencies: [.package(name: "JournalStore", path: "../..")],
    targets: [
        .executableTarget(
            name: "queues",
            dependencies: [
                .product(name: "JournalStore", package: "JournalStore"),
                .product(name: "JournalReplayKit", package: "JournalStore"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
