import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceProcess } from '../../../apps/shop/src/run/service.process.js';

type Started = typeof import('../../../apps/shop/src/run/service.process.js');
/** Built, as a service is started beside its own build. */
const BUILT = join(import.meta.dirname, '../../../apps/shop/dist/run/service.process.js');

describe('a service that ends instead of listening', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-service-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  async function start(script: string): Promise<ServiceProcess> {
    const { ServiceProcess } = (await import(BUILT)) as Started;
    const file = join(folder, 'main.mjs');
    writeFileSync(file, script);
    return ServiceProcess.start({ title: 'service', entry: pathToFileURL(file).href, environment: {} });
  }

  it('is reported with what it says after its standard output has ended', async () => {
    const script = `
      import { closeSync } from 'node:fs';
      closeSync(1);
      setTimeout(() => console.error('the reason'), 300);`;
    await expect(start(script)).rejects.toThrow('the service did not start: the reason');
  });

  it('is reported when it says nothing', async () => {
    await expect(start('process.exit(1)')).rejects.toThrow('the service did not start: it printed nothing');
  });
});
