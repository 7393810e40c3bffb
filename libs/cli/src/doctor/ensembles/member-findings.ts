import { note, ok, problem, type Finding } from '../findings/finding.js';

/**
 * Whether the ensemble survives the loss of a member, and whether processes would find the others.
 * @param members how many there are; undefined if that is not known
 * @param named how many the URL names
 * @param option what the applications name them by
 */
export function memberFindings(
  members: number | undefined,
  named: number,
  option: string,
): readonly Finding[] {
  if (members === undefined) return [];
  return [
    members === 1
      ? note('members', 'a single member: locks stop while it is down')
      : members % 2 === 0
        ? note(
            'members',
            `${members} members survive the loss of no more than ${members - 1} do, and need a larger majority`,
          )
        : ok('members', `${members} members: the ensemble survives the loss of ${(members - 1) / 2}`),
    ...(named < members
      ? [
          problem(
            'members',
            `the URL names ${named} of ${members}: name all in ${option}, so that a process finds another when its own is down`,
          ),
        ]
      : []),
  ];
}
