import { parseArgs } from 'node:util';

/**
 * Answers `--help` with the usage, and an unlisted option with one line and the usage; then ends the process, before
 * anything is compiled. The usage is the list of options: lines such as `  --seeds N  how many`. An option without a
 * value has two spaces after its name.
 * @param {string} usage
 * @param {readonly string[]} [args]
 */
export function answerUsage(usage, args = process.argv.slice(2)) {
  const lines = [...usage.matchAll(/^ {2}--([a-z-]+)( \S+)?/gm)];
  /** @type {import('node:util').ParseArgsConfig['options']} */
  const options = Object.fromEntries(
    lines.map(([, name, value]) => [name, { type: value === undefined ? 'boolean' : 'string' }]),
  );
  try {
    const { values } = parseArgs({ args: [...args], options: { ...options, help: { type: 'boolean' } } });
    if (values['help'] !== true) return;
    process.stdout.write(usage);
    process.exit(0);
  } catch (error) {
    const [line] = /** @type {Error} */ (error).message.split('. To specify');
    process.stderr.write(`${line}\n\n${usage}`);
    process.exit(2);
  }
}
