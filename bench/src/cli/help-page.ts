import { LIBRARY_NAMES } from '../libraries/catalogue.js';
import { SCENARIOS } from '../scenarios/scenarios.js';

const EXAMPLES = `The bench: Bedrock compared with other lock libraries, on one Redis, in turns; then with raw calls on each engine.

  npm run bench                              every scenario, as Markdown tables; some 25 minutes
  npm run bench -- --scenario S3             one scenario; several: comma-separated or repeated
  npm run bench -- --scenario E1,E2,E3,E4    the engines; 3 to 4 minutes
  npm run --silent bench -- --json           one JSON object per line
  npm run bench -- --check                   exit code 1 if Bedrock misses a target

Scenarios
`;

const OPTIONS = `
Options
  --scenario <name>    scenarios to run; default all
  --library <name>     libraries to run; raw always runs (in E1 to E3 that of the same engine), for the ratios; default all
  --rounds <n>         turns of each library per scenario, 1 to 1000; default: set by the scenario
  --json               scenario, library, figures and ratioToRaw, one object per line
  --check              a line for each missed target, and exit code 1
  --write-docs         write the results of a whole run into the pages and charts of docs/performance
  --help, -h           show this page

The bench uses the Redis of REDIS_URL, else a redis-server that it starts and stops. It finds the engines of E1 to E4 in the
same way: ZOOKEEPER_URL, ETCD_URL, POSTGRES_URL and MYSQL_URL. It leaves out an unavailable engine and says why in one line.
Redisson needs a JDK 17 or newer and Maven (on PATH, or in JAVA_BIN and MVN_BIN); Maven builds it once.

Libraries
`;

const EXIT_CODES = `
Exit codes
  0  measured
  1  a target was missed, with --check
  2  an invalid option
  3  the run could not be completed, for instance because no Redis answers
`;

/** The page of `--help`. */
export function helpPage(): string {
  const scenarios = SCENARIOS.map(({ name, title }) => `  ${name.padEnd(12)} ${title}\n`).join('');
  return `${EXAMPLES}${scenarios}${OPTIONS}  ${LIBRARY_NAMES.join(', ')}\n${EXIT_CODES}`;
}
