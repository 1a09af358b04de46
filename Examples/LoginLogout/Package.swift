// swift-tools-version: 6.2
import PackageDescription

// A transition table: an app with the built-in tool, and a dynamic library of the machine for the stand-alone tool.
let package = Package(
    name: "LoginLogout",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "login", targets: ["login"]),
        .library(name: "LoginPlugin", type: .dynamic, targets: ["LoginPlugin"]),
    ],
    dependencies: [.package(name: "JournalStore", path: "../..")],
    targets: [
        .target(name: "LoginMachine", dependencies: [.product(name: "JournalStore", package: "JournalStore")]),
        .executableTarget(
            name: "login",
            dependencies: ["LoginMachine", .product(name: "JournalReplayKit", package: "JournalStore")]),
        .target(
            name: "LoginPlugin",
            dependencies: ["LoginMachine", .product(name: "JournalReplayKit", package: "JournalStore")]),
    ],
    swiftLanguageModes: [.v6]
)
