import type { Command } from 'commander';
import { addBackendOptions, addressOf, settingsOf, type BackendOptions } from '../input/backend-options.js';
import { UsageError } from '../input/usage-error.js';
import { EXIT } from '../output/exit-codes.js';
import { examine, isReached } from './examine.js';
import type { Examination } from './findings/finding.js';
import { countOf, reportLines, reportText, summaryText } from './findings/report.js';

const EXPLANATION = `
It takes and releases a lock of each kind, under names that begin with the prefix and bedrock-doctor. --create-tables also creates
tables. With --restart-guard it takes locks only where running processes have the same longest lease.

Exit codes:
  ${EXIT.ok}   no problem was found
  ${EXIT.problems}   at least one problem was found
  ${EXIT.usage}  wrong arguments
  ${EXIT.unavailable}  no server answered, or every one refused the user`;

/** Adds `doctor` to the program. @param exit receives the exit code */
export function addDoctor(program: Command, exit: (code: number) => void): void {
  const doctor = program
    .command('doctor')
    .description('check the settings, rights, clocks and versions of the servers')
    .argument('[prefix]', 'beginning of the names of your locks; on Redis, rights depend on it', '')
    .addHelpText('after', EXPLANATION);
  addBackendOptions(doctor, 'bedrock doctor').action(async (prefix: string, options: BackendOptions) => {
    if (options.sessions === true)
      throw new UsageError('doctor examines the locks of rows: leave --sessions out');
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
  return countOf(examinations, 'problem') > 0 ? EXIT.problems : EXIT.ok;
}
