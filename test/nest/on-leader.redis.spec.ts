import { startRedis, type RunningServer } from 'bedrock-servers';
import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const LEADER_APP = fileURLToPath(new URL('leader-app.mjs', import.meta.url));

class Candidate {
  readonly lines: string[] = [];
  readonly #news = new EventEmitter();
  readonly #child: ChildProcess;

  constructor(url: string) {
    this.#child = spawn(process.execPath, [LEADER_APP, url], { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface(this.#child.stdout!).on('line', (line) => {
      this.lines.push(line);
      this.#news.emit('line');
    });
  }

  async said(text: string): Promise<string> {
    for (;;) {
      const line = this.lines.find((one) => one.startsWith(text));
      if (line !== undefined) return line;
      await once(this.#news, 'line');
    }
  }

  /** The token of its term. */
  async elected(): Promise<number> {
    return Number((await this.said('elected')).split(' ')[1]);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    await closed;
  }
}

describe('@OnLeader() in several processes on one Redis', () => {
  let server: RunningServer;
  const candidates: Candidate[] = [];
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(async () => {
    for (const candidate of candidates) await candidate.end('SIGKILL');
    await server.stop();
  });

  async function candidate(): Promise<Candidate> {
    const one = new Candidate(server.url);
    candidates.push(one);
    await one.said('standing');
    return one;
  }

  it('is taken over when the leader closes, and when it is killed', async () => {
    const first = await candidate();
    const token = await first.elected();
    const second = await candidate();
    expect(second.lines).toEqual(['standing']);
    await first.end('SIGTERM');
    expect(first.lines.at(-1)).toBe('ended');
    const next = await second.elected();
    expect(next).toBeGreaterThan(token);
    const third = await candidate();
    const killedAt = performance.now();
    await second.end('SIGKILL');
    expect(second.lines).not.toContain('ended');
    expect(await third.elected()).toBeGreaterThan(next);
    // Its lease had to end: 1 s at most since the last renewal.
    expect(performance.now() - killedAt).toBeGreaterThan(300);
  });
});
