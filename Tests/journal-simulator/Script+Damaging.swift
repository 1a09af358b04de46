import Foundation
import JournalStore

extension Script {
    /// Damages a copy of the files. Verification must notice that, and an opening must refuse it or find the same
    /// state, unless the rows are the same.
    func damage() async {
        guard let journal = world.journal, !world.hasFault, !life.plan.hasFaults else { return }
        let path = world.folder + "/damaged-\(life.newName("x")).db"
        do {
            let what = try copyDamaged(to: path)
            let isSame = isNoticed(in: path, original: try journal.reader.lines())
            life.note("\(what): \(isSame)")
            if let problem = await problem(opening: path) { life.report("\(what): \(problem)") }
        } catch {
            life.report("the damaged copy cannot be made: \(error)")
        }
        if world.isDead { return }
        for suffix in ["", "-wal", "-shm", "-lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    /// - Returns: what was damaged.
    private func copyDamaged(to path: String) throws -> String {
        var files: [String: Data] = [:]
        for suffix in ["", "-wal", "-lock"] {
            files[suffix] = try? Data(contentsOf: URL(fileURLWithPath: world.path + suffix))
        }
        let suffix = choices.pick(["", "-wal"])
        guard var bytes = files[suffix], !bytes.isEmpty else { return "nothing is damaged" }
        let (place, bit) = (choices.next(bytes.count), choices.next(8))
        bytes[place] ^= 1 << UInt8(bit)
        files[suffix] = bytes
        for (suffix, data) in files { try data.write(to: URL(fileURLWithPath: path + suffix)) }
        return "bit \(bit) of byte \(place) of the copy's file \(suffix) is wrong"
    }

    /// Reads and verifies the copy.
    private func isNoticed(in path: String, original: [String]) -> String {
        do {
            let reader = try JournalReader(path: path)
            let report = try reader.verify()
            if !report.isSound { return "not sound" }
            // An opening leaves its time and the place of its file. Nothing is derived from them, and they are not
            // missed.
            func trusted(_ lines: [String]) -> [String] {
                lines.filter { !$0.hasPrefix("opening|") && !$0.hasPrefix("writer|") }
            }
            if try trusted(reader.lines()) == trusted(original) { return "harmless" }
            life.report("a damaged copy has other rows, and is said to be sound")
        } catch {
            return "\(error.code)"
        }
        return "not noticed"
    }

    /// Opens the copy with bodies that do not count.
    private func problem(opening path: String) async -> String? {
        let other = World(life, number: world.number, folder: world.folder, at: world.now)
        other.copy = World.Copy(original: world)
        var (options, opening) = (other.options, OpenOptions())
        let notices = Lock(0)
        options.report = { _ in notices.withLock { $0 += 1 } }
        opening.restart = .ask
        do {
            let copy = try Journal(path: path, options: options)
            for name in Game.streams {
                let head = try copy.reader.stream(name).headStep
                let store = try await copy.open(
                    Game.machine(version: life.version, other), stream: name, environment: other, clock: other.clock,
                    options: opening)
                if world.isDead { return nil }
                let (state, expected) = (store.state, life.model.streams[name]?.scores)
                // The copy was made before it was known which of these steps count.
                guard head <= life.model.streams[name]?.decided ?? 0 else { continue }
                guard notices.withLock({ $0 }) == 0, try copy.reader.stream(name).headStep == head else { break }
                if let expected, head < expected.count, expected[head].digest != state.digest {
                    return "\(name) has the state \(state) at step \(head), not \(expected[head])"
                }
            }
            try await copy.close()
            life.count("damage that an opening does not meet")
        } catch {
            life.note("the damaged copy: \(kind(error))")
            life.count("damage that an opening refuses")
        }
        return nil
    }
}
