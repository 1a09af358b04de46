/// How an arrow is drawn, where the language of the diagram allows it.
package enum DiagramEmphasis: Hashable, Sendable {
    case plain, faint, strong

    fileprivate var graphviz: String {
        switch self {
        case .plain: ""
        case .faint: ", style=dashed, color=gray"
        case .strong: ", color=red"
        }
    }
}

/// Writes a diagram, arrow by arrow. Equal arrows are one.
package struct DiagramText {
    private struct Arrow: Hashable {
        let from: Int
        let to: Int
        let label: String
        let emphasis: DiagramEmphasis
    }

    private let format: DiagramFormat
    private var nodes: [String] = []
    private var arrows: [Arrow] = []

    package init(_ format: DiagramFormat) {
        self.format = format
    }

    package mutating func add(from: String, to: String, label: String, _ emphasis: DiagramEmphasis = .plain) {
        let arrow = Arrow(from: node(from), to: node(to), label: label, emphasis: emphasis)
        if !arrows.contains(arrow) { arrows.append(arrow) }
    }

    private mutating func node(_ name: String) -> Int {
        if let index = nodes.firstIndex(of: name) { return index }
        nodes.append(name)
        return nodes.count - 1
    }

    /// The whole text. Names are quoted, so they can contain anything.
    package var finished: String {
        switch format.syntax {
        case .mermaid:
            // Mermaid has no empty names.
            let names = nodes.map { $0.isEmpty ? " " : mermaid($0) }
            let states = names.indices.map { "    state \"\(names[$0])\" as s\($0)" }
            let lines = arrows.map { "    s\($0.from) --> s\($0.to): \(mermaid($0.label))" }
            return (["stateDiagram-v2"] + states + lines).joined(separator: "\n") + "\n"
        case .graphviz:
            let lines = arrows.map { arrow in
                let ends = "\(quoted(nodes[arrow.from])) -> \(quoted(nodes[arrow.to]))"
                return "    \(ends) [label=\(quoted(arrow.label))\(arrow.emphasis.graphviz)];"
            }
            return (["digraph {"] + lines + ["}"]).joined(separator: "\n") + "\n"
        }
    }

    /// Mermaid ends a label at some characters, and takes `%%{` for a directive anywhere, so they become entities.
    private func mermaid(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "#", "%", ";", ":", "<", ">", "{", "}", "\n", "\r": "#\(scalar.value);"
            default: visible(scalar)
            }
        }.joined()
    }

    /// A control character ends the text for some programs, so its picture is shown instead.
    private func visible(_ scalar: Unicode.Scalar) -> String {
        guard scalar.value < 0x20 || scalar.value == 0x7F else { return String(scalar) }
        return String(Unicode.Scalar(scalar.value == 0x7F ? 0x2421 : 0x2400 + scalar.value) ?? scalar)
    }

    private func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: visible(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
