/** Ends closer than this are not left to chance, ms: the system may interrupt a server for as long. */
export const SHORT_MS = 20;
