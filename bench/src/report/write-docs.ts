import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { chart } from './chart.js';
import { enginesChart } from './engines-chart.js';
import { fillPage, RESULT_PAGES } from './fill-page.js';
import type { Report } from './report.js';

const DOCS = join(import.meta.dirname, '../../../docs');

/** Writes the results into the pages of docs/performance, between their marks, and redraws the charts. */
export async function writeDocs(report: Report): Promise<void> {
  for (const name of RESULT_PAGES) {
    const page = join(DOCS, 'performance', name);
    const filled = fillPage(await readFile(page, 'utf8'), report);
    const config = await resolveConfig(page);
    await writeFile(page, await format(filled, { ...config, parser: 'markdown' }));
  }
  await writeFile(join(DOCS, 'images/performance.svg'), chart(report));
  await writeFile(join(DOCS, 'images/engines.svg'), enginesChart(report));
}
