/// The command that people type to call the tool.
struct ToolName: Hashable, Sendable {
    let text: String

    /// The name of the tool when no app embeds it. The library's advice names it too, also in an app that embeds the
    /// tool.
    static let standard = ToolName(text: "journal-replay")

    /// A text of the library, with the commands as people type them here.
    func inCommands(of text: String) -> String {
        text.replacing("`\(ToolName.standard.text) ", with: "`\(self.text) ")
    }
}
