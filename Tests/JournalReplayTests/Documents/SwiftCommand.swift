import Foundation

/// The command `swift` for the programs of documents. Building the library once more for each of them would take
/// minutes, so `swift build` compiles them against the modules and objects of this build. With
/// `JOURNAL_BUILDS_DOCUMENTS` in the environment, SwiftPM builds them and the library.
enum SwiftCommand {
    private static let isReal = ProcessInfo.processInfo.environment["JOURNAL_BUILDS_DOCUMENTS"] != nil

    /// The package's dependency as documents show it, and the same on this machine.
    static let dependency = #".package(url: "…/JournalStore.git", .upToNextMinor(from: "0.1.0"))"#
    static let localDependency = #".package(name: "JournalStore", path: "\#(Document.root.path)")"#

    private static let includes = [
        "CSQLite", "CJournalLinux/include", "CJournalSHA256/include", "CJournalSchema/include",
        "CJournalReplay/include", "CJournalPage/include",
        "CJournalServe/include",
    ]
    private static let objects = [
        "JournalStore", "JournalTesting", "JournalReplayKit", "CJournalLinux", "CJournalSHA256", "CJournalSchema",
        "CJournalReplay", "CJournalPage",
        "CJournalServe",
    ]

    /// The script that stands for `swift`.
    static var script: String { isReal ? sharing : compiling }

    /// SwiftPM with one folder for what it builds, so that it builds the library once, also for the examples. It keeps
    /// its last plan of a folder, which is that of another package.
    private static var sharing: String {
        """
        #!/bin/bash
        swift=$(type -ap swift | sed -n 2p)
        case $1 in
        build | run)
            exec "$swift" "$1" --scratch-path '\(Document.root.path)/.build/dependents' \\
                --disable-build-manifest-caching "${@:2}" ;;
        *) exec "$swift" "$@" ;;
        esac
        """
    }

    /// `swift build` and `swift run` for a package with one target, which has the name of the package.
    private static var compiling: String {
        let products = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path
        let folders = includes.map { "-I '\(Document.root.path)/Sources/\($0)'" }.joined(separator: " ")
        let libraries = objects.map { "'\(products)/\($0).build'" }.joined(separator: " ")
        return """
            #!/bin/bash
            set -euo pipefail
            swift=$(type -ap swift | sed -n 2p)
            # Not those of source files that were renamed or removed since.
            objects() {
                awk -F/ 'NR == FNR { known[$NF ".o"]; next } $NF in known' \\
                    <(find '\(Document.root.path)/Sources' -name '*.swift' -o -name '*.c') \\
                    <(find \(libraries) -name '*.o' 2>/dev/null)
            }
            build() {
                local name program
                name=$(ls Sources)
                program=.build/debug/$name
                if [[ -f Package.swift && ! -d .build ]]; then "$swift" package dump-package >/dev/null; fi
                [[ -x $program && -z $(find Sources -newer "$program") ]] && return
                mkdir -p .build/debug
                "${swift}c" -swift-version 6 -module-name "$name" -I '\(products)/Modules' \(folders) \\
                    Sources/"$name"/*.swift $(objects) -o "$program"
            }
            case $1 in
            build) build ;;
            run)
                shift
                [[ $1 != --skip-build ]] || shift
                [[ $1 != journal-replay ]] || exec "$@"
                build
                program=.build/debug/$1
                shift
                exec "$program" "$@"
                ;;
            *) exec "$swift" "$@" ;;
            esac
            """
    }
}
