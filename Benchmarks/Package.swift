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

// The same SQLite as the library's.
#if os(Linux)
    let nameForPkgConfig: String? = "sqlite3"
#else
    let nameForPkgConfig: String? = nil
#endif

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(
            name: "Serve", description: "Builds the library as `make release` does, so that both can share its objects."
        )
    ],
    dependencies: [
        // Named explicitly: the default is the name of the folder it was cloned into.
        .package(
            name: "JournalStore",
            path: "..",
            traits: [.trait(name: "Serve", condition: .when(traits: ["Serve"]))]
        )
    ],
    targets: [
        // The library does not export its SQLite module, and two packages cannot have targets of the same name.
        .systemLibrary(
            name: "CSystemSQLite",
            pkgConfig: nameForPkgConfig,
            providers: [.apt(["libsqlite3-dev"])]
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
