// swift-tools-version: 6.2
import PackageDescription

// An HTTP service on the loopback: orders on a host, with idempotency keys as dispatch IDs.
let package = Package(
    name: "Service",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "service", targets: ["service"])],
    dependencies: [.package(name: "JournalStore", path: "../..")],
    targets: [
        .executableTarget(
            name: "service",
            dependencies: [
                .product(name: "JournalStore", package: "JournalStore"),
                .product(name: "JournalReplayKit", package: "JournalStore"),
            ]),
        .testTarget(name: "ServiceTests", dependencies: ["service"]),
    ],
    swiftLanguageModes: [.v6]
)
