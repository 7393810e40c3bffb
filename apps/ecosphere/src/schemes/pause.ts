/** Called in the middle of a request, where another one may come between. The scenario lets all requests meet there. */
export type Pause = () => Promise<void>;

/** Goes on at once, as in production. */
export const noPause: Pause = async () => undefined;
