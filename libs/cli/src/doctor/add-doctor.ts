import type { Command } from 'commander';
import { addBackendOptions, addressOf, settingsOf, type BackendOptions } from '../input/backend-options.js';
import { EXIT } from '../output/exit-codes.js';
import { examine } from './examine.js';
import type { Examination } from './findings/finding.js';
import { countOf, reportLines, reportText, summaryText } from './findings/report.js';

const EXPLANATION = `
It takes and releases a lock of each kind under a name that begins with the prefix and bedrock-doctor, and changes nothing else.

Exit codes:
  ${EXIT.ok}   nothing was found that will hurt
  ${EXIT.found}   at least one problem was found
  ${EXIT.usage}  wrong arguments
  ${EXIT.unavailable}  no server could be reached`;

/** Adds `doctor` to the program. @param exit receives the exit code */
export function addDoctor(program: Command, exit: (code: number) => void): void {
  const doctor = program
    .command('doctor')
    .description('find what will hurt: settings, rights, clocks and versions of the servers')
    .argument('[prefix]', 'what the names of your locks begin with: it decides about rights', '')
    .addHelpText('after', EXPLANATION);
  addBackendOptions(doctor, 'bedrock doctor').action(async (prefix: string, options: BackendOptions) => {
    const examinations = await examine(addressOf(options, process.env), settingsOf(options), prefix);
    const text =
      options.json === true
        ? reportLines(examinations).join('\n')
        : `${reportText(examinations)}\n\n${summaryText(examinations)}`;
    process.stdout.write(`${text}\n`);
    exit(codeOf(examinations));
  });
}

function codeOf(examinations: readonly Examination[]): number {
  if (!examinations.some(isReached)) return EXIT.unavailable;
  return countOf(examinations, 'problem') > 0 ? EXIT.found : EXIT.ok;
}

/** Something else than a failed connection is known of it. */
function isReached({ findings }: Examination): boolean {
  return findings.some(({ check, state }) => check === 'reachable' && state === 'ok');
}
