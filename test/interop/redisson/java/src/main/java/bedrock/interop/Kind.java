package bedrock.interop;

/** One type of Redisson's objects: what can be asked of it by name. */
interface Kind {
    /** @return what the method of Redisson returned; null for nothing */
    Object ask(Request request) throws Exception;

    /** The two ends of a critical section, for crowds. */
    default Gate gate(Request request) {
        throw new UnsupportedOperationException(request.kind() + " guards no section");
    }
}
