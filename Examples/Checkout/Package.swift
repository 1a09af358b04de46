// swift-tools-version: 6.2
import PackageDescription

// Orders as sagas: three steps at three services, undone in reverse order if one fails or the customer cancels. A host
// keeps them.
let package = Package(
    name: "Checkout",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "checkout", targets: ["checkout"])],
    dependencies: [.package(name: "JournalStore", path: "../..")],
    targets: [
        .executableTarget(
            name: "checkout",
            dependencies: [
                .product(name: "JournalStore", package: "JournalStore"),
                .product(name: "JournalReplayKit", package: "JournalStore"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
