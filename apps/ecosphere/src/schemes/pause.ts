/** Called in the middle of a request, where another one may interfere. The scenario lets all requests meet there. */
export type Pause = () => Promise<void>;

/** Continues at once, as in production. */
export const noPause: Pause = async () => undefined;
