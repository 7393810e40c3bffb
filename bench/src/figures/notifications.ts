let heard = 0;
let echoed = 0;

/** Counts a watch event of ZooKeeper. @param isEcho true if it reports the session's own deletion of a node */
export function notificationCame(isEcho: boolean): void {
  if (isEcho) echoed += 1;
  else heard += 1;
}

/** Watch events that this process has received so far. */
export function notificationsSoFar(): { readonly heard: number; readonly echoed: number } {
  return { heard, echoed };
}
