/** A promise that the test resolves. */
export function deferred<T = void>(): { readonly open: (value: T) => void; readonly opened: Promise<T> } {
  let resolve: (value: T) => void;
  const opened = new Promise<T>((done) => (resolve = done));
  return { open: (value) => resolve(value), opened };
}
