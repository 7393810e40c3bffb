/** What a process of a crew is to do. It says when it is ready, so that all begin at the same time. */
export type Duty<O, R> = (order: O) => Promise<ReadyDuty<R>>;

export interface ReadyDuty<R> {
  /** @param onProgress takes what has been done since the last call */
  work(onProgress: (done: number) => void): Promise<R>;
  /** Closes what was opened. */
  close(): Promise<void>;
}
