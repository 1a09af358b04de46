import CJournalPage
import JournalStore

/// The parts of a page that do not depend on the journal. They are plain files in `Assets`.
struct PageAssets: Sendable {
    /// Returns the text of a file in `Assets`.
    private typealias Part = @Sendable () -> UnsafePointer<CChar>?

    /// The page as one file, which has its data in it.
    static let file = PageAssets([page_embedded_js], connect: "")
    /// The page of a server, which asks it for its data.
    static let live = PageAssets([page_live_js, page_acts_js], connect: " connect-src 'self';")

    private static let style = bytes(of: page_css)
    /// The order matters: a part uses those before it.
    private static let parts: [Part] = [
        page_text_js, page_json_js, page_diff_js, page_columns_js, page_runs_js, page_model_js, page_filter_js,
        page_lanes_js, page_painter_js, page_timeline_js, page_list_js, page_tree_js, page_step_js, page_state_js,
        page_app_js,
    ]

    private let script: [UInt8]
    /// The page runs its own script and nothing else, and sends nothing anywhere but, if it is live, to its server.
    /// https://www.w3.org/TR/CSP3/#framework-directives
    let policy: String

    /// - Parameters:
    ///   - source: where the page gets its data from; the last part starts it.
    ///   - connect: the directive that allows it to.
    private init(_ source: [Part], connect: String) {
        script =
            Array("\"use strict\";\n(() => {\n".utf8) + (PageAssets.parts + source).flatMap(PageAssets.bytes(of:))
            + Array("})();\n".utf8)
        policy = """
            default-src 'none'; script-src '\(PageAssets.source(script))'; \
            style-src '\(PageAssets.source(PageAssets.style))'; img-src data:;\(connect) base-uri 'none'; form-action \
            'none'
            """
    }

    /// The page before its data, and after it.
    ///
    /// - Parameter summary: the element with the summary, which the script reads first.
    func parts(summary: [UInt8]) -> (head: [UInt8], tail: [UInt8]) {
        var head: [UInt8] = []
        var tail: [UInt8] = []
        for line in PageAssets.bytes(of: page_html).split(separator: 0x0A, omittingEmptySubsequences: false) {
            switch String(decoding: line, as: UTF8.self).drop(while: { $0 == " " }) {
            case "<!-- policy -->":
                head += Array("<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">".utf8)
            case "<!-- style -->": head += Array("<style>".utf8) + PageAssets.style + Array("</style>".utf8)
            case "<!-- summary -->": head += summary
            case "<!-- script -->": head += Array("<script>".utf8) + script + Array("</script>".utf8)
            case "<!-- data -->":
                swap(&head, &tail)
                head += [0x0A]
                continue
            default: head += line
            }
            head += [0x0A]
        }
        return (tail, head)
    }

    private static func bytes(of part: Part) -> [UInt8] {
        part().map { Array(String(cString: $0).utf8) } ?? []
    }

    private static func source(_ bytes: [UInt8]) -> String {
        let words = bytes.withUnsafeBytes { SHA256.hash($0) }
        let digest = (0..<8).flatMap { index in
            (0..<4).map { UInt8(truncatingIfNeeded: words[index] >> (24 - 8 * UInt32($0))) }
        }
        return "sha256-" + String(decoding: Base64.encode(digest), as: UTF8.self)
    }
}
