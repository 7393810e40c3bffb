import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const PROGRAM = `
  import { Bedrock } from 'bedrock-lock';
  import { memory } from 'bedrock-lock/memory';
  const bedrock = new Bedrock({ backend: memory() });
  await bedrock.mutex('job').acquire();
  await bedrock.close({ graceMs: 100 });
  console.log('closed');
`;

/** Calls that get no answer at first, on a backend without a connection. */
const UNANSWERED = `
  import { Bedrock } from 'bedrock-lock';
  import { memory } from 'bedrock-lock/memory';
  import { FaultyBackend } from 'bedrock-testkit';
  const backend = new FaultyBackend(memory());
  const bedrock = new Bedrock({ backend });
  backend.plan('withdraw', { kind: 'refuse' }, 3);
  const lease = await bedrock.mutex('job').acquire();
  console.log(await lease.release());
  backend.plan('add', { kind: 'refuse' }, 3);
  const latch = bedrock.countdownLatch('jobs');
  await latch.trySetCount(2);
  console.log(await latch.countDown());
`;

it('close() keeps the process alive until it has ended, and no longer', async () => {
  expect(await outputOf(PROGRAM)).toBe('closed\n');
});

it('a release and a change of a number keep the process alive until they are answered', async () => {
  expect(await outputOf(UNANSWERED)).toBe('released\n1\n');
});

async function outputOf(program: string): Promise<string> {
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 15_000 });
  return stdout;
}
