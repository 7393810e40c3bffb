package bedrock.interop;

/** The two ends of a critical section. */
interface Gate {
    /** Waits. @return the fencing token, 0 where there is none */
    long enter() throws Exception;

    void leave() throws Exception;
}
