import Foundation

/// The machine on which the numbers were measured.
struct Computer {
    var processor: String
    var cores: Int
    var memory: UInt64
    /// The file system of the folder of the databases; nil if it is unknown.
    var fileSystem: String?
    var kernel: String
    var swift: String
    var sqlite: String

    static func current(folder: String) -> Computer {
        Computer(
            processor: processorModel, cores: ProcessInfo.processInfo.activeProcessorCount,
            memory: ProcessInfo.processInfo.physicalMemory, fileSystem: fileSystem(of: folder), kernel: kernelName,
            swift: swiftVersion, sqlite: Floor.sqliteVersion)
    }

    var description: String {
        "\(cores) × \(processor), \(memory >> 30) GiB; \(kernel)\(fileSystem.map { ", \($0)" } ?? ""); Swift \(swift); SQLite \(sqlite)"
    }

    private static var processorModel: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let model = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
        return model?.trimmingCharacters(in: .whitespaces) ?? output(of: "sysctl -n machdep.cpu.brand_string")
    }

    private static var kernelName: String { output(of: "uname -sr") }

    private static var swiftVersion: String {
        let words = output(of: "swift --version").split(whereSeparator: \.isWhitespace)
        let version = words.firstIndex(of: "version").map { words.index(after: $0) }
        return version.flatMap { words.indices.contains($0) ? String(words[$0]) : nil } ?? "unknown"
    }

    private static func fileSystem(of folder: String) -> String? {
        #if os(Linux)
            output(of: "df --output=fstype . | tail -n 1", in: folder)
        #else
            nil
        #endif
    }

    private static func output(of command: String, in folder: String? = nil) -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder, isDirectory: true) }
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return "unknown" }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? "unknown" : text
    }
}
