// swift-tools-version: 6.2
import PackageDescription

// An app with a machine and the built-in tool, and a dynamic library of the machine for the stand-alone tool.
let package = Package(
    name: "Ledger",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "ledger", targets: ["ledger"]),
        .library(name: "LedgerPlugin", type: .dynamic, targets: ["LedgerPlugin"]),
    ],
    dependencies: [.package(name: "JournalStore", path: "../..")],
    targets: [
        .target(name: "LedgerMachine", dependencies: [.product(name: "JournalStore", package: "JournalStore")]),
        .executableTarget(
            name: "ledger",
            dependencies: ["LedgerMachine", .product(name: "JournalReplayKit", package: "JournalStore")]),
        .target(
            name: "LedgerPlugin",
            dependencies: ["LedgerMachine", .product(name: "JournalReplayKit", package: "JournalStore")]),
    ],
    swiftLanguageModes: [.v6]
)
