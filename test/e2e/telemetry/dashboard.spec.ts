import { startPrometheus, type PrometheusServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { readFileSync } from 'node:fs';
import { CATALOG, DASHBOARD, namesIn, PANELS, queryOf, RULES } from './dashboard.js';
import { ObservedProcess } from './observed-process.js';

const QUERIES = PANELS.flatMap(({ title, targets }) =>
  targets.map(({ expr, legendFormat = '' }) => ({ title, legend: legendFormat, expr })),
);
const DEFINITIONS = DASHBOARD.templating.list.map(({ definition = '' }) => definition);

describe('the dashboard', () => {
  it('lets its user choose a data source, jobs and locks', () => {
    expect(DASHBOARD.schemaVersion).toBeGreaterThanOrEqual(39);
    expect(DASHBOARD.templating.list.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      'datasource: datasource',
      'job: query',
      'lock: query',
    ]);
  });

  it('says in each panel what to do, and gives it a unit, a legend and the chosen data source', () => {
    const incomplete = PANELS.filter(
      ({ description = '', datasource, fieldConfig, options, targets }) =>
        description.length < 50 ||
        datasource?.uid !== '${datasource}' ||
        fieldConfig?.defaults.unit === undefined ||
        options?.legend?.showLegend !== true ||
        targets.length === 0 ||
        targets.some(({ legendFormat = '' }) => legendFormat === ''),
    );
    expect(PANELS.length).toBeGreaterThan(15);
    expect(incomplete.map(({ title }) => title)).toEqual([]);
    const ids = DASHBOARD.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('shows every metric of the catalog', () => {
    const shown = new Set(QUERIES.flatMap(({ expr }) => namesIn(expr)));
    expect(CATALOG.filter((names) => !names.some((name) => shown.has(name)))).toEqual([]);
  });
});

describe('a real Prometheus', () => {
  const observed = new ObservedProcess();
  let prometheus: PrometheusServer;

  beforeAll(async () => {
    const target = await observed.start();
    await observed.produceEvents();
    prometheus = await startPrometheus({ targets: [target], rules: [RULES] });
  }, 180_000);
  afterAll(async () => {
    await prometheus?.stop();
    await observed.stop();
  });

  it.each(QUERIES)('accepts a query of the dashboard: $title, $legend', async ({ expr }) => {
    await expect(prometheus.query(queryOf(expr))).resolves.toBeDefined();
  });

  it('refuses a query that is none', async () => {
    await expect(prometheus.query('sum by (')).rejects.toThrow(
      /^Prometheus refuses "sum by \(": bad_data: .*parse error/,
    );
    await expect(prometheus.query(queryOf('rate(x[$unknown])'))).rejects.toThrow('bad_data');
  });

  it('knows the metrics and labels that the dashboard and the alerts name', async () => {
    const metrics = await observed.register.getMetricsAsJSON();
    const labels = metrics.flatMap(({ values }) => values.flatMap((value) => Object.keys(value.labels)));
    const known = new Set([...CATALOG.flat(), ...labels]);
    const texts = [...QUERIES.map(({ expr }) => expr), ...DEFINITIONS, readFileSync(RULES, 'utf8')];
    const named = [...new Set(texts.flatMap(namesIn))];
    expect(named.length).toBeGreaterThan(CATALOG.length);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('has series for every query once the events have happened', async () => {
    let silent: readonly string[] = [];
    const shown = eventually(
      'series for every query',
      async () => {
        await observed.produceEvents();
        const answers = await Promise.all(QUERIES.map(({ expr }) => prometheus.query(queryOf(expr))));
        silent = QUERIES.filter((_, i) => !answers[i]!.some(({ value }) => !Number.isNaN(value))).map(
          ({ title, legend }) => `${title}, ${legend}`,
        );
        return silent.length === 0;
      },
      { withinMs: 60_000 },
    );
    await shown.catch((error: unknown) => {
      throw new Error(`no series for ${silent.join('; ')}`, { cause: error });
    });
  }, 300_000);

  it('alerts for the first lease that a process loses', async () => {
    const firing = 'ALERTS{alertname="BedrockLockLost", alertstate="firing", bedrock_reason="max_hold"}';
    await eventually('the alert', async () => (await prometheus.query(firing)).length > 0, {
      withinMs: 30_000,
    });
    const [alert] = await prometheus.query(firing);
    expect(alert?.labels).toMatchObject({ bedrock_lock_name: 'orders', severity: 'critical' });
  }, 150_000);
});
