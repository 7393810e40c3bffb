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
      ? note('members', 'a single one: locks stop while it is away')
      : members % 2 === 0
        ? note('members', `${members}: as many may be lost as of ${members - 1}, and a majority takes longer`)
        : ok('members', `${members}: ${Math.floor(members / 2)} may be away`),
    ...(named < members
      ? [
          problem(
            'members',
            `the URL names ${named} of ${members}: name all in ${option}, so that a process finds another when its own is away`,
          ),
        ]
      : []),
  ];
}
