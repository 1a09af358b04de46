import JournalStore

/// The parts of a page that do not depend on the journal. They are plain files in `Assets`.
enum PageAssets {
    static let style = PackageResources.page_css
    /// The order matters: a part uses those before it.
    static let script =
        Array("\"use strict\";\n(() => {\n".utf8)
        + [
            PackageResources.text_js, PackageResources.json_js, PackageResources.diff_js, PackageResources.chunks_js,
            PackageResources.runs_js, PackageResources.model_js, PackageResources.states_js, PackageResources.filter_js,
            PackageResources.lanes_js, PackageResources.painter_js, PackageResources.timeline_js,
            PackageResources.list_js, PackageResources.tree_js,
            PackageResources.step_js, PackageResources.state_js, PackageResources.app_js,
        ].joined() + Array("})();\n".utf8)

    /// The page before its data, and after it.
    ///
    /// - Parameter summary: the element with the summary, which the script reads first.
    static func parts(summary: [UInt8]) -> (head: [UInt8], tail: [UInt8]) {
        var head: [UInt8] = []
        var tail: [UInt8] = []
        for line in PackageResources.page_html.split(separator: 0x0A, omittingEmptySubsequences: false) {
            switch String(decoding: line, as: UTF8.self).drop(while: { $0 == " " }) {
            case "<!-- policy -->": head += Array(policy.utf8)
            case "<!-- style -->": head += Array("<style>".utf8) + style + Array("</style>".utf8)
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

    /// The page runs its own script and nothing else, and sends nothing anywhere.
    /// https://www.w3.org/TR/CSP3/#framework-directives
    static var policy: String {
        """
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
        script-src '\(source(script))'; style-src '\(source(style))'; img-src data:; \
        base-uri 'none'; form-action 'none'">
        """
    }

    private static func source(_ bytes: [UInt8]) -> String {
        let words = bytes.withUnsafeBytes { SHA256.hash($0) }
        let digest = (0..<8).flatMap { index in
            (0..<4).map { UInt8(truncatingIfNeeded: words[index] >> (24 - 8 * UInt32($0))) }
        }
        return "sha256-" + String(decoding: Base64.encode(digest), as: UTF8.self)
    }
}
