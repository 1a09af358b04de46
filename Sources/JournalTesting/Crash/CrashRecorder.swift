import JournalStore

/// Records what the outside sees in one run of the machine, and an image at each moment at which it could be killed.
final class CrashRecorder: Sendable {
    private struct Held {
        var chronicle: Chronicle
        var images: [CrashImage] = []
        var commits = 0
        /// How often what it records has changed.
        var changes = 0
        var isOver = false
        var during = "opening"
    }

    private let folder: JournalFolder
    private let now: @Sendable () -> Timestamp
    private let keepsImages: Bool
    private let recordsStarts: Bool
    private let held: Watched<Held>

    init(
        _ folder: JournalFolder, now: @escaping @Sendable () -> Timestamp, keepsImages: Bool, recordsStarts: Bool,
        chronicle: Chronicle
    ) {
        self.folder = folder
        self.now = now
        self.keepsImages = keepsImages
        self.recordsStarts = recordsStarts
        held = Watched(Held(chronicle: chronicle))
    }

    var chronicle: Chronicle { held.read { $0.chronicle } }
    var images: [CrashImage] { held.read { $0.images } }

    /// Called by the library at each crash point. It must not read the journal: a transaction may be ending.
    func noticed(_ point: Journal.Options.CrashPoint) {
        switch point {
        case .committed:
            cut(
                held.change { held in
                    held.commits += 1
                    held.changes += 1
                    return "after commit \(held.commits)"
                })
        case .started(let body):
            held.change { held in
                held.changes += 1
                if !held.isOver { held.chronicle.started(body) }
            }
            cut("after the body of \(body.run), attempt \(body.attempt), was started")
        case .ended(let body):
            cut("after the body of \(body.run), attempt \(body.attempt), ended, before its result was submitted")
        }
    }

    /// Saves an image: the process could be killed now.
    ///
    /// - Parameter isAlone: whether the journal does nothing meanwhile. If not, the files are copied until they and what
    ///   is recorded stay the same during a copy: no kill leaves them as they were at different times.
    func cut(_ moment: String, isAlone: Bool = true) {
        guard keepsImages else { return }
        var isSaved = false
        repeat {
            let (isOver, changes) = held.read { ($0.isOver, $0.changes) }
            if isOver { return }
            let (files, time) = (folder.files(), now())
            if !isAlone, folder.files() != files { continue }
            isSaved = held.change { held in
                guard isAlone || held.changes == changes else { return false }
                held.images.append(
                    CrashImage(
                        moment: "\(moment) (\(held.during))", number: held.images.count + 1, files: files,
                        chronicle: held.chronicle, time: time, recordsStarts: recordsStarts))
                return true
            }
        } while !isSaved
    }

    @discardableResult
    func change<Result: Sendable>(_ body: (inout Chronicle) -> Result) -> Result {
        held.change { held in
            held.changes += 1
            return body(&held.chronicle)
        }
    }

    /// Notes that a part of the script begins.
    func begins(_ position: Int, _ during: String) {
        held.change {
            $0.changes += 1
            $0.chronicle.position = position
            $0.during = during
        }
    }

    /// Stops recording: only cleanup follows.
    func end() {
        held.change { $0.isOver = true }
    }
}
