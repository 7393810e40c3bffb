import { startRedis } from 'bedrock-servers';
import { EngineServers } from '../engines/engine-servers.js';
import { jsonLines } from '../report/json-lines.js';
import { describeMachine, machineLine } from '../report/machine.js';
import type { ScenarioResult } from '../report/report.js';
import { scenarioSection } from '../report/scenario-section.js';
import { benchServers } from '../scenarios/bench-servers.js';
import { runScenario } from '../scenarios/run-scenario.js';
import type { Scenario } from '../scenarios/scenario.js';
import { SCENARIOS } from '../scenarios/scenarios.js';
import { checkTargets } from './check-targets.js';
import { EXIT, type ExitCode, type RunOptions } from './command.js';
import { leaveOutEngines, leaveOutMissing } from './leave-out.js';
import { UsageError } from './usage-error.js';

/** Runs the requested scenarios on one Redis, and prints each when it is done. */
export async function runBench(options: RunOptions): Promise<ExitCode> {
  const { scenarios: wanted, rounds, isJson, isChecked, writesDocs } = options;
  const plan = SCENARIOS.filter(({ name }) => wanted?.includes(name) ?? true).map((scenario) => ({
    scenario,
    libraries: librariesOf(scenario, options),
  }));
  const wantsNobody = plan.every(
    ({ scenario }) => !scenario.libraries.some((library) => options.libraries?.includes(library) ?? true),
  );
  if (wantsNobody) throw new UsageError('these scenarios use none of these libraries');
  const planned = await leaveOutMissing(plan);
  const server = await startRedis({ shared: true });
  const engines = new EngineServers(server.url);
  const results: ScenarioResult[] = [];
  try {
    const machine = await describeMachine(server.url);
    if (!isJson) print(`${machineLine(machine)}\n`);
    for (const { scenario, libraries } of planned) {
      const present = await leaveOutEngines({ scenario, libraries }, engines);
      if (present.length === 0) continue;
      const servers = benchServers(server.url, engines);
      const rows = await runScenario(scenario, present, rounds ?? scenario.rounds, servers);
      results.push({ scenario, rows });
      print(isJson ? jsonLines(scenario, rows) : `\n${scenarioSection(scenario, rows)}\n`);
    }
    if (writesDocs) {
      const { writeDocs } = await import('../report/write-docs.js');
      await writeDocs({ machine, results, engines: await engines.describe() });
    }
  } finally {
    await engines.stop();
    await server.stop();
  }
  return isChecked ? checkTargets(results) : EXIT.done;
}

/** The library that the others are compared with always runs. */
function librariesOf(scenario: Scenario, { libraries }: RunOptions): Scenario['libraries'] {
  const wanted = scenario.libraries.filter((library) => libraries?.includes(library) ?? true);
  const raws = scenario.rawOf === undefined ? ['raw'] : wanted.map(scenario.rawOf);
  const references: readonly (string | undefined)[] = [...raws, scenario.relative?.to];
  return scenario.libraries.filter((library) => references.includes(library) || wanted.includes(library));
}

function print(text: string): void {
  process.stdout.write(text);
}
