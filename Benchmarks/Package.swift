// swift-tools-version: 6.2
import PackageDescription

/// The strict settings of the library itself.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Named, as otherwise it would be called after the folder it was cloned into.
        .package(name: "JournalStore", path: "..")
    ],
    targets: [
        // The library keeps its own SQLite module to itself, and two packages cannot have targets of one name.
        .systemLibrary(
            name: "CSystemSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(name: "CFloor", dependencies: ["CSystemSQLite"]),
        .executableTarget(
            name: "journal-bench",
            dependencies: [
                "CFloor", .product(name: "JournalStore", package: "JournalStore"),
                .product(name: "JournalReplayKit", package: "JournalStore"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
