// swift-tools-version: 6.2
import PackageDescription

// Ten thousand orders on a host, which keeps a few hundred of them open, and a tally that each shipped order reports to
// once.
let package = Package(
    name: "Orders",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "orders", targets: ["orders"])],
    dependencies: [.package(name: "JournalStore", path: "../..")],
    targets: [
        .executableTarget(
            name: "orders",
            dependencies: [
                .product(name: "JournalStore", package: "JournalStore"),
                .product(name: "JournalReplayKit", package: "JournalStore"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
