import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBinary, isFound } from './binary.js';
import { installDebianPackages } from './debian.js';
import { startFromFirst } from './finding.js';
import { freePort } from './free-port.js';
import { findPrograms } from './programs.js';
import { prometheusIsReady, queryPrometheus, type PrometheusSeries } from './prometheus-api.js';
import type { RunningServer, ServerSource } from './running-server.js';
import { ServerProcess } from './server-process.js';

export interface PrometheusOptions {
  /** `host:port` of each process that it scrapes at `/metrics`. Their job is `bedrock`. @default none yet */
  readonly targets?: readonly string[];
  /** Absolute paths of files with rules. @default none */
  readonly rules?: readonly string[];
}

export interface PrometheusServer extends RunningServer {
  /** Scrapes these from now on. */
  scrape(targets: readonly string[]): void;
  /**
   * The series that an instant query answers now.
   * @throws Error with the query and the reason, where the server refuses it
   */
  query(promql: string): Promise<readonly PrometheusSeries[]>;
}

const ADVICE =
  'Install prometheus (Debian: apt-get install prometheus), or name it in PROMETHEUS_BIN and PROMTOOL_BIN.';
/** The package has promtool, too. */
const PACKAGES = ['prometheus'];
/** Of scrapes and of rules: a test sees a change within a second. */
const INTERVAL = '500ms';
const TARGETS = 'targets.json';

/**
 * Starts a Prometheus on 127.0.0.1 that scrapes the targets twice a second. Never in a container: from there it
 * would not reach the processes of a test.
 */
export async function startPrometheus({
  targets = [],
  rules = [],
}: PrometheusOptions): Promise<PrometheusServer> {
  const configuration = new Configuration(rules);
  const attempts = [
    { source: 'local' as const, start: () => fromBinary(configuration, 'local') },
    { source: 'debian' as const, start: () => fromDebian(configuration) },
  ];
  configuration.targets = targets;
  const server = await startFromFirst('Prometheus', attempts, ADVICE);
  return Object.assign(server, {
    query: (promql: string) => queryPrometheus(server.url, promql),
    scrape: (others: readonly string[]) => configuration.change(others),
  });
}

/** The path of promtool: as PROMTOOL_BIN says, else on PATH, else installed, as root on Debian. */
export async function findPromtool(): Promise<string> {
  const { promtool } = await findPrograms({ overrides: { promtool: 'PROMTOOL_BIN' }, packages: PACKAGES });
  return promtool;
}

async function fromBinary(configuration: Configuration, source: ServerSource): Promise<RunningServer> {
  const program = binary();
  const port = await freePort();
  return ServerProcess.start({
    name: 'prometheus',
    scheme: 'http',
    source,
    port,
    command: (dir) => [
      program,
      `--config.file=${configuration.write(dir)}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    isReady: (at) => prometheusIsReady(`http://127.0.0.1:${at}`),
  });
}

async function fromDebian(configuration: Configuration): Promise<RunningServer> {
  await installDebianPackages(PACKAGES, () => isFound(binary));
  return fromBinary(configuration, 'debian');
}

/** The files that a Prometheus reads: its configuration once, and its targets whenever they change. */
class Configuration {
  targets: readonly string[] = [];
  #folder = '';

  constructor(private readonly rules: readonly string[]) {}

  /** Gives back the path of the configuration. JSON is YAML. */
  write(folder: string): string {
    this.#folder = folder;
    this.change(this.targets);
    const file = join(folder, 'prometheus.yml');
    const configuration = {
      global: { scrape_interval: INTERVAL, scrape_timeout: INTERVAL, evaluation_interval: INTERVAL },
      rule_files: this.rules,
      scrape_configs: [{ job_name: 'bedrock', file_sd_configs: [{ files: [join(folder, TARGETS)] }] }],
    };
    writeFileSync(file, JSON.stringify(configuration, undefined, 2));
    return file;
  }

  change(targets: readonly string[]): void {
    // A rename: Prometheus must not read half a file.
    const next = join(this.#folder, 'next-targets');
    writeFileSync(next, JSON.stringify([{ targets }]));
    renameSync(next, join(this.#folder, TARGETS));
  }
}

function binary(): string {
  return findBinary('prometheus', 'PROMETHEUS_BIN');
}
