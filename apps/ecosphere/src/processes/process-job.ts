/** What one of several processes is to do. It says when it is ready, so that all begin at the same time. */
export type ProcessJob<O, R> = (input: O) => Promise<ReadyJob<R>>;

export interface ReadyJob<R> {
  /** @param onProgress takes what has been done since the last call */
  work(onProgress: (done: number) => void): Promise<R>;
  /** Closes what was opened. */
  close(): Promise<void>;
}
