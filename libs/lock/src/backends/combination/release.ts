import type { WithdrawOptions, WithdrawOutcome } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { BackendUnavailableError } from '../../core/errors.js';
import type { Bid } from './bid.js';
import type { Member } from './member.js';

/**
 * Gives a grant back on all its nodes, from right to left, without waiting for one before the next. Answers as soon as
 * enough of them have; those that do not answer are asked again in the background.
 * @throws BackendUnavailableError when too few answer to tell
 */
export function release(
  bid: Bid,
  minNodes: number,
  { keepMs, leaveQueue }: WithdrawOptions,
  clock: Clock,
): Promise<WithdrawOutcome> {
  const members = bid.seals.map(({ member }) => member).reverse();
  let [released, absent, open] = [0, 0, members.length];
  bid.takeBackSilent();
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      if (released >= minNodes) resolve('released');
      else if (absent > members.length - minNodes) resolve('absent');
      else if (open === 0) reject(undecided(members, released, minNodes));
    };
    // A grant that too few nodes have is none.
    settle();
    for (const member of members) {
      const sentAt = clock.now();
      member.node.leases.withdraw(bid, { keepMs, leaveQueue }).then(
        (outcome) => {
          member.answered(sentAt);
          if (outcome === 'released') released += 1;
          else absent += 1;
          open -= 1;
          settle();
        },
        (error: Error) => {
          member.failed(error);
          bid.takeBack(member, 0, keepMs, leaveQueue);
          open -= 1;
          settle();
        },
      );
    }
  });
}

function undecided(members: readonly Member[], released: number, minNodes: number): BackendUnavailableError {
  const troubles = members.filter(({ isAvailable }) => !isAvailable).map(({ trouble }) => trouble);
  const detail = `${released} of the ${minNodes} nodes that are needed have confirmed (${troubles.join('; ')})`;
  return new BackendUnavailableError('combination', detail, 'unknown');
}
