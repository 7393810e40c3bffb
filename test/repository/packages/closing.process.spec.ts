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

it('close() keeps the process alive until it has ended, and no longer', async () => {
  const program = ['--input-type=module', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, program, { timeout: 15_000 });
  expect(stdout).toBe('closed\n');
});
