import type { WithdrawOptions, WithdrawOutcome } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { BackendUnavailableError } from '../../core/errors.js';
import type { CombinedClaim } from './combined-claim.js';

/**
 * Releases a grant on all its nodes. The requests go out together, from the right-most node to the left-most one, where others
 * ask first. Answers as soon as enough nodes have confirmed; those that failed are asked again in the background.
 * @throws BackendUnavailableError when too few nodes answer to decide
 */
export function releaseOnNodes(
  combined: CombinedClaim,
  minNodes: number,
  { keepMs, leaveQueue }: WithdrawOptions,
  clock: Clock,
): Promise<WithdrawOutcome> {
  const handles = combined.grants.map(({ handle }) => handle).reverse();
  let [released, absent, open] = [0, 0, handles.length];
  const failures: string[] = [];
  combined.withdrawUnanswered();
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      if (released >= minNodes) resolve('released');
      else if (absent > handles.length - minNodes) resolve('absent');
      else if (open === 0) reject(undecidedError(failures, released, minNodes));
    };
    // A grant on too few nodes was none: it can be decided at once.
    settle();
    for (const handle of handles) {
      const sentAt = clock.now();
      handle.node.leases.withdraw(combined, { keepMs, leaveQueue }).then(
        (outcome) => {
          handle.recordAnswer(sentAt);
          if (outcome === 'released') released += 1;
          else absent += 1;
          open -= 1;
          settle();
        },
        (error: Error) => {
          handle.recordFailure(error);
          // Read now: the node may have recovered before the others have answered.
          failures.push(handle.failureText);
          combined.withdrawFrom(handle, 0, keepMs, leaveQueue);
          open -= 1;
          settle();
        },
      );
    }
  });
}

function undecidedError(
  failures: readonly string[],
  released: number,
  minNodes: number,
): BackendUnavailableError {
  const detail = `${released} of the ${minNodes} nodes that are needed have confirmed (${failures.join('; ')})`;
  return new BackendUnavailableError('combination', detail, 'unknown');
}
