// swift-tools-version: 6.2
import PackageDescription

// An agent: a long conversation of tool calls, each a remembered step.
let package = Package(
    name: "Agent",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "agent", targets: ["agent"])],
    dependencies: [.package(name: "JournalStore", path: "../..")],
    targets: [
        .executableTarget(
            name: "agent",
            dependencies: [
                .product(name: "JournalStore", package: "JournalStore"),
                .product(name: "JournalReplayKit", package: "JournalStore"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
