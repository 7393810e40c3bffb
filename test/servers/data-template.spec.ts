import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hasRoom, newDataFolder } from './src/data-folder.js';
import { dataTemplate } from './src/data-template.js';

describe('the data of a server that was never started', () => {
  const name = `spec-${randomUUID()}`;
  const made = join(tmpdir(), `${name}.made`);
  const folders: string[] = [];
  afterAll(() => [made, ...folders].forEach((path) => rmSync(path, { recursive: true, force: true })));

  // It leaves a mark each time, and fails on demand.
  const template = (script: string): Promise<string> =>
    dataTemplate({
      name,
      program: process.execPath,
      command: (folder) => ['/bin/sh', '-c', `echo x >> '${made}'; ${script}`, 'make', folder],
    });

  it('are made once, however many ask at once', async () => {
    const script = 'mkdir "$1/data" && echo yes > "$1/data/file"';
    const all = await Promise.all([template(script), template(script)]);
    folders.push(dirname(all[0]));
    expect(new Set([...all, await template(script)])).toEqual(new Set([all[0]]));
    expect(readFileSync(join(all[0], 'file'), 'utf8')).toBe('yes\n');
    expect(readFileSync(made, 'utf8')).toBe('x\n');
  });

  it('are not there when making them has failed, and are made anew', async () => {
    const gate = `${made}.gate`;
    folders.push(gate);
    const script = `[ -e '${gate}' ] || { touch '${gate}'; echo broken >&2; exit 1; }; mkdir "$1/data"`;
    await expect(template(script)).rejects.toThrow('broken');
    const data = await template(script);
    folders.push(dirname(data));
    expect(existsSync(data)).toBe(true);
  });
});

describe('the folder of a server', () => {
  it('is in memory where there is enough of it, else in the temporary folder', () => {
    const folder = newDataFolder('spec');
    rmSync(folder, { recursive: true });
    expect(dirname(folder)).toBe(hasRoom('/dev/shm') ? '/dev/shm' : tmpdir());
  });

  it('is not where there is no folder, or too little room', () => {
    expect(hasRoom('/no/such/folder')).toBe(false);
    expect(hasRoom(tmpdir(), 1)).toBe(true);
    expect(hasRoom(tmpdir(), Infinity)).toBe(false);
  });
});
