// Errors of codecs and upcasters.

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a codec encodes and decodes, as errors name it.
enum CodedValue: String, CustomStringConvertible {
    case action, state, message, queue
    case id = "ID"
    case describedEffect = "described effect"

    var description: String { rawValue }
    /// What of a machine reads an earlier name.
    fileprivate var renaming: String { self == .state ? "renamingProperty" : "renamingAction" }
    /// What of a machine can fail to convert an earlier form, for advice.
    fileprivate func conversion(from version: Int) -> String {
        (self == .state ? "" : "`replacingAction` or ") + "`upcasting(\(self)sFrom: \(version))`"
    }
    /// What of a machine reads an earlier form, for advice.
    fileprivate var changes: String { "`\(renaming)`" + (self == .state ? "" : " or `replacingAction`") }
}

extension ErrorLocation {
    /// - Parameter isAppended: whether the value belongs to a step that is in the journal already.
    func notEncodable(
        _ what: CodedValue, _ name: String, _ error: any Error, isAppended: Bool = false
    ) -> JournalError {
        switch error as? LossyCoding {
        case .notDecodable(let thrown)?:
            self.error(
                .lossyCoding,
                "The \(what) '\(name)' cannot be decoded after it was encoded\(ErrorLocation.reason(thrown)).",
                advice: "A replay could not read it. Make its Codable conformance decode what it encodes.")
        case .differs(let place)?:
            self.error(
                .lossyCoding, "The \(what) '\(name)' \(LossyCoding.difference(at: place)).",
                advice: "A replay would see another value. Make its Codable conformance keep all that == compares.")
        case nil:
            self.error(
                .notStorable, "The \(what) '\(name)' cannot be encoded\(ErrorLocation.reason(error)).",
                advice: (isAppended || what == .state ? "" : "Nothing was appended. ")
                    + "Make sure it holds only what its codec can encode.")
        }
    }

    /// An action cannot be decoded. The case of an enum is named: it is a part of the program.
    func notDecodable<Action>(
        _ type: Action.Type, _ text: String, _ version: Int, _ current: Int, _ error: any Error, isUpcast: Bool
    ) -> JournalError {
        let name = EnumTag<Action>() == nil ? nil : ActionName.of(text)
        return notDecodable(
            .action, name: name.map { " '\($0)'" } ?? "", version, current, error, isUpcast: isUpcast)
    }

    /// - Parameter isUpcast: whether an upcaster changes what this version has stored.
    func notDecodable(
        _ what: CodedValue, name: String = "", _ version: Int, _ current: Int, _ error: any Error, isUpcast: Bool
    ) -> JournalError {
        switch error {
        case Upcasters.Failure.newer:
            self.error(
                .newerMachine,
                "The \(what) was written by version \(version) of the machine; this is version \(current).",
                advice: "Open it with the newer code.")
        case Upcasters.Failure.missing(let missing):
            self.error(
                .noUpcaster,
                "The \(what) was written by version \(version) of the machine, and there is no upcaster from version "
                    + "\(missing).",
                advice: "Add `upcasting(\(what)sFrom: \(missing))` to the machine, or `unchanged(since: \(missing))`.")
        case Upcasters.Failure.failed(let failed, let error):
            self.error(
                .noUpcaster,
                "The upcaster from version \(failed) failed on the \(what)\(name)\(ErrorLocation.reason(error)).",
                advice: "Fix \(what.conversion(from: failed)). It gets what the changes before it gave: after "
                    + "`\(what.renaming)`, the new name.")
        default:
            self.error(
                .notDecodable,
                "The \(what)\(name) of version \(version) cannot be decoded\(ErrorLocation.reason(error)).",
                advice: adviceForDecoding(what, version, current, error, isUpcast: isUpcast))
        }
    }

    private func adviceForDecoding(
        _ what: CodedValue, _ version: Int, _ current: Int, _ error: any Error, isUpcast: Bool
    ) -> String {
        let conversion = "`upcasting(\(what)sFrom: \(version))`"
        // A renaming reaches only the properties of the state itself.
        var isInside = false
        if what == .state, case DecodingError.keyNotFound(_, let context) = error {
            isInside = !context.codingPath.isEmpty
        }
        if isUpcast {
            let more =
                isInside
                ? "convert this place with \(conversion): `renamingProperty` reaches only properties of the state itself."
                : "add \(what.changes)."
            return
                "The upcasters from version \(version) on were applied, and the type does not decode what they gave: "
                + "correct them, or \(more)"
        }
        guard version < current else {
            return "If the type has changed, raise the machine's version and add an upcaster from version \(version)."
        }
        return "Make a new property optional, give it a default in `init(from:)`, or add "
            + (isInside ? "" : "\(what.changes) or ") + "\(conversion) to the machine."
    }

    /// The part of an error that describes the type. It never includes the value.
    static func reason(_ error: any Error) -> String {
        /// A type's coding key is part of the program and is shown; a dictionary's key is stored data and is not.
        func name(_ key: any CodingKey) -> String {
            if let index = key.intValue { return "\(index)" }
            let type = String(reflecting: type(of: key))
            return type.hasPrefix("Swift.") || type.hasPrefix("Foundation") ? "<key>" : key.stringValue
        }
        func path(_ context: [any CodingKey]) -> String {
            let names = context.map(name)
            return names.allSatisfy { $0 == "<key>" } ? "" : " at \(names.joined(separator: "."))"
        }
        switch error {
        case let failure as EncodingFailure: return failure.reason
        case EncodingError.invalidValue(_, let context) where context.isOfDepth: return ": it is nested too deeply"
        case EncodingError.invalidValue(let value, let context):
            let isNumber =
                (value as? any BinaryFloatingPoint).map { !$0.isFinite } ?? (value as? Decimal)?.isNaN ?? false
            if isNumber { return path(context.codingPath) + ": not a finite number" }
            return path(context.codingPath)
        case DecodingError.keyNotFound(let key, let context):
            return ": no '\(name(key))'" + path(context.codingPath)
        case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
            return ": not a \(type)" + path(context.codingPath)
        case DecodingError.dataCorrupted(let context): return path(context.codingPath)
        default: return " (\(type(of: error)))"
        }
    }
}

extension EncodingError.Context {
    /// Whether the value has more levels than JSON may have here. Foundation tells nothing else of the whole value.
    fileprivate var isOfDepth: Bool {
        codingPath.count > 250
            || codingPath.isEmpty && debugDescription.hasPrefix("Unable to encode the given top-level")
    }
}
