/** The job of one of several processes. It reports when it is ready, so that all begin at the same time. */
export type ProcessJob<O, R> = (input: O) => Promise<ReadyJob<R>>;

export interface ReadyJob<R> {
  /** What its starter must know before it begins, such as an address. */
  readonly notice?: string;
  /** @param onProgress takes the number of items done since the last call */
  work(onProgress: (done: number) => void): Promise<R>;
  /** Closes what the job opened. */
  close(): Promise<void>;
}
