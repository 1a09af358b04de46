import JournalStore

/// A codec whose texts are not JSON.
struct ReversedCodec: Codec {
    func encode<Value: Encodable>(_ value: Value) throws -> String {
        String(try JSONCodec().encode(value).reversed())
    }

    func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONCodec().decode(type, from: String(text.reversed()))
    }
}
