// swift-tools-version: 6.2
import PackageDescription

/// The strict settings every Swift target is built with.
var strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

// Only for those who change this package, and in .ci/run: a warning that another compiler adds must not stop the build of
// an app, and the compiler does not accept this together with an app's -suppress-warnings.
if Context.environment["JOURNALSTORE_STRICT"] == "1" { strict.append(.treatAllWarnings(as: .error)) }

// On Apple's platforms its module map finds the SQLite of the system; pkg-config would find that of Homebrew, and the
// program would need Homebrew on each computer.
#if os(Linux)
    let nameForPkgConfig: String? = "sqlite3"
#else
    let nameForPkgConfig: String? = nil
#endif

let package = Package(
    name: "JournalStore",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "JournalStore", targets: ["JournalStore"]),
        .library(name: "JournalObservation", targets: ["JournalObservation"]),
        .library(name: "JournalTesting", targets: ["JournalTesting"]),
        .library(name: "JournalReplayKit", targets: ["JournalReplayKit"]),
        .executable(name: "journal-replay", targets: ["journal-replay"]),
    ],
    traits: [
        .trait(name: "Serve", description: "journal-replay serve: a live page in a browser. Needs libmicrohttpd.")
    ],
    targets: [
        // Names of targets must be unique among all packages of an app, and others have a CSQLite too.
        .systemLibrary(
            name: "CJournalSQLite",
            path: "Sources/CSQLite",
            pkgConfig: nameForPkgConfig,
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .target(name: "CJournalLinux"),
        .target(name: "CJournalSHA256"),
        // The schema as a text.
        .target(name: "CJournalSchema"),
        .target(
            name: "JournalStore",
            dependencies: ["CJournalLinux", "CJournalSHA256", "CJournalSQLite", "CJournalSchema"],
            swiftSettings: strict
        ),
        // Not part of JournalStore: an app without a user interface does not load Observation.
        .target(
            name: "JournalObservation",
            dependencies: ["JournalStore"],
            swiftSettings: strict
        ),
        .target(
            name: "JournalTesting",
            dependencies: ["JournalStore"],
            swiftSettings: strict
        ),
        .target(name: "CJournalReplay"),
        // The parts of the page as texts.
        .target(name: "CJournalPage"),
        // Not a system library target: its missing pkg-config file would be a warning in each build without the trait.
        .target(
            name: "CJournalServe",
            cSettings: [.define("JOURNAL_SERVE", .when(traits: ["Serve"]))],
            linkerSettings: [.linkedLibrary("microhttpd", .when(traits: ["Serve"]))]
        ),
        .target(
            name: "JournalReplayKit",
            dependencies: [
                "JournalStore", "CJournalReplay", "CJournalPage",
                .target(name: "CJournalServe", condition: .when(traits: ["Serve"])),
            ],
            exclude: ["Page/Assets"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "journal-replay",
            dependencies: ["JournalReplayKit"],
            swiftSettings: strict
        ),

        // What the tests, the torture run and the demo stand on.
        .target(
            name: "CFaultVFS",
            dependencies: ["CJournalSQLite"],
            path: "Tests/CFaultVFS"
        ),
        .target(name: "CFork", path: "Tests/CFork"),
        .target(
            name: "TortureKit",
            dependencies: ["JournalStore", "CFaultVFS", "CFork", "CJournalSQLite"],
            path: "Tests/TortureKit",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "journal-torture",
            dependencies: ["JournalStore", "TortureKit", "CFork"],
            path: "Tests/journal-torture",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "replay-app",
            dependencies: ["JournalStore", "JournalReplayKit", "TortureKit"],
            path: "Tests/replay-app",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Demo",
            dependencies: ["JournalStore", "JournalReplayKit"],
            path: "Examples/Demo",
            swiftSettings: strict
        ),
        .testTarget(
            name: "JournalStoreTests",
            // `journal-simulator` is built with the tests, but not linked into them: it replaces clocks and executors.
            dependencies: [
                "JournalStore", "JournalObservation", "JournalTesting", "CJournalSQLite", "TortureKit",
                "journal-torture",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "JournalReplayTests",
            dependencies: [
                "JournalStore", "JournalReplayKit", "CJournalSQLite", "TortureKit", "journal-replay", "replay-app",
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)

#if os(Linux)
    // It replaces the executors of its process, which the runtime of Linux permits, with an interface that Swift has since
    // version 6.3.
    #if compiler(>=6.3)
        package.targets += [
            .target(name: "CSimulator", dependencies: ["CJournalSQLite"], path: "Tests/CSimulator"),
            .executableTarget(
                name: "journal-simulator",
                dependencies: [
                    "JournalStore", "JournalTesting", "TortureKit", "CFaultVFS", "CSimulator", "CJournalSQLite",
                ],
                path: "Tests/journal-simulator",
                swiftSettings: strict
            ),
        ]
    #endif
    package.targets += [
        // Runs tests of XCTest in a process of its own, as only the XCTest of Linux can.
        .executableTarget(
            name: "xctest-app",
            dependencies: ["JournalStore", "JournalTesting"],
            path: "Tests/xctest-app",
            swiftSettings: strict
        )
    ]
#endif
