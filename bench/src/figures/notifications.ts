let heard = 0;
let echoed = 0;

/** Counts a watch event of ZooKeeper. @param isEcho it tells a session of a node that it has deleted itself */
export function notificationCame(isEcho: boolean): void {
  if (isEcho) echoed += 1;
  else heard += 1;
}

/** Watch events that this process has been sent so far. */
export function notificationsSoFar(): { readonly heard: number; readonly echoed: number } {
  return { heard, echoed };
}
