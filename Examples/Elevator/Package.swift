// swift-tools-version: 6.2
import PackageDescription

// The When/On language: an app with the built-in tool, a dynamic library of the machine for the stand-alone tool, and
// its tests.
let package = Package(
    name: "Elevator",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "elevator", targets: ["elevator"]),
        .library(name: "ElevatorPlugin", type: .dynamic, targets: ["ElevatorPlugin"]),
    ],
    dependencies: [.package(name: "JournalStore", path: "../..")],
    targets: [
        .target(name: "ElevatorMachine", dependencies: [.product(name: "JournalStore", package: "JournalStore")]),
        .executableTarget(
            name: "elevator",
            dependencies: ["ElevatorMachine", .product(name: "JournalReplayKit", package: "JournalStore")]),
        .target(
            name: "ElevatorPlugin",
            dependencies: ["ElevatorMachine", .product(name: "JournalReplayKit", package: "JournalStore")]),
        .testTarget(
            name: "ElevatorTests",
            dependencies: ["ElevatorMachine", .product(name: "JournalTesting", package: "JournalStore")]),
    ],
    swiftLanguageModes: [.v6]
)
