import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { chart } from './chart.js';
import { enginesChart } from './engines-chart.js';
import { fillPage } from './fill-page.js';
import type { Report } from './report.js';

const DOCS = join(import.meta.dirname, '../../../docs');

/** Writes the results into docs/performance/README.md, between its marks, and redraws the charts. */
export async function writeDocs(report: Report): Promise<void> {
  const page = join(DOCS, 'performance/README.md');
  const filled = fillPage(await readFile(page, 'utf8'), report);
  const config = await resolveConfig(page);
  await writeFile(page, await format(filled, { ...config, parser: 'markdown' }));
  await writeFile(join(DOCS, 'images/performance.svg'), chart(report));
  await writeFile(join(DOCS, 'images/engines.svg'), enginesChart(report));
}
