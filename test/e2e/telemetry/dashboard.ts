import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  COUNTERS,
  GAUGES,
  HISTOGRAMS,
  type Metric,
} from '../../../libs/lock/src/observability/metric-catalog.js';

const FOLDER = join(import.meta.dirname, '../../../observability');

/** The path of the alerts. */
export const RULES = join(FOLDER, 'prometheus/rules.yml');

/** A panel that shows series. */
export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid?: string };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly options?: { readonly legend?: { readonly showLegend?: boolean } };
  readonly targets: readonly { readonly expr: string; readonly legendFormat?: string }[];
}

interface Dashboard {
  readonly schemaVersion: number;
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly definition?: string }[];
  };
  readonly panels: readonly Panel[];
}

export const DASHBOARD = JSON.parse(readFileSync(join(FOLDER, 'grafana/bedrock.json'), 'utf8')) as Dashboard;

/** The panels, without the rows between them. */
export const PANELS = DASHBOARD.panels.filter(({ type }) => type !== 'row');

/** What Grafana puts in for its variables while all jobs and locks are chosen. */
const VALUES: Readonly<Record<string, string>> = { job: '.*', lock: '.*', __rate_interval: '10s' };

/** A query as Grafana sends it; a variable that it does not know stays, and Prometheus refuses it. */
export function queryOf(expr: string): string {
  return expr.replaceAll(/\$(\w+)/g, (text, name: string) => VALUES[name] ?? text);
}

/** The names that metrics of the catalog have in Prometheus: one, or the three of a histogram. */
export const CATALOG: readonly (readonly string[])[] = [
  ...Object.values(GAUGES).map((metric) => [nameOf(metric)]),
  ...Object.values(COUNTERS).map((metric) => [`${nameOf(metric)}_total`]),
  ...Object.values(HISTOGRAMS).map((metric) =>
    ['bucket', 'sum', 'count'].map((part) => `${nameOf(metric)}_${part}`),
  ),
];

function nameOf({ name, unit }: Metric): string {
  return name.replaceAll('.', '_') + (unit === 's' ? '_seconds' : '');
}

/** The metrics and labels of Bedrock that a text names, each once. */
export function namesIn(text: string): readonly string[] {
  return [...new Set(text.match(/\bbedrock_\w+/g))];
}
