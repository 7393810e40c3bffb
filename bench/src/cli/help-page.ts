import { LIBRARY_NAMES } from '../libraries/catalogue.js';
import { SCENARIOS } from '../scenarios/scenarios.js';

const EXAMPLES = `The bench: Bedrock beside other lock libraries, on one Redis, in turns; then beside raw calls on each engine.

  npm run bench                              every scenario, as Markdown tables; some 25 minutes
  npm run bench -- --scenario S3             one of them; several by comma or by repetition
  npm run bench -- --scenario E1,E2,E3,E4    the engines; 3 to 4 minutes
  npm run --silent bench -- --json           one JSON object per line
  npm run bench -- --check                   exit code 1 when Bedrock misses a target

Scenarios
`;

const OPTIONS = `
Options
  --scenario <name>    what to run; default all of them
  --library <name>     whom to let run; raw always does (in E1 to E3 that of the same engine), for the ratios; default all of them
  --rounds <n>         turns of each library per scenario, 1 to 1000; default the scenario's own
  --json               scenario, library, figures and ratioToRaw, one object per line
  --check              a line for each missed target, and exit code 1
  --write-docs         write the results of a whole run into docs/performance.md, with the charts
  --help, -h           show this page

Redis is the one of REDIS_URL, else a redis-server that the run starts and stops. So are the engines of E1 to E4: those of
ZOOKEEPER_URL, ETCD_URL, POSTGRES_URL and MYSQL_URL. One that cannot be had is left out, and a line says why.
Redisson takes part where a JDK of 17 or newer and Maven are (on PATH, or in JAVA_BIN and MVN_BIN); Maven builds it once.

Libraries
`;

const EXIT_CODES = `
Exit codes
  0  measured
  1  a target was missed, with --check
  2  a wrong option
  3  the run could not be carried out, for instance because no Redis answers
`;

/** The page of `--help`. */
export function helpPage(): string {
  const scenarios = SCENARIOS.map(({ name, title }) => `  ${name.padEnd(12)} ${title}\n`).join('');
  return `${EXAMPLES}${scenarios}${OPTIONS}  ${LIBRARY_NAMES.join(', ')}\n${EXIT_CODES}`;
}
