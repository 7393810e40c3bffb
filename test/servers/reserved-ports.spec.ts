import { Neighbour } from './neighbour.js';
import { freePorts, PORTS } from './src/free-port.js';
import { reserve } from './src/reserved-ports.js';

/** None that a server is given; another one for each test, since a process keeps what it has. */
const [OWN, DEAD, THEIRS, OURS] = [9_999, 9_998, 9_997, 9_996];

const CALLED = new Error('called');
/** Stands where fetch would connect. */
const UNCONNECTED = {
  dispatch(): never {
    throw CALLED;
  },
} as unknown as NonNullable<RequestInit['dispatcher']>;

describe('a port of a test server', () => {
  let neighbour: Neighbour | undefined;
  afterEach(() => neighbour?.dies());

  it('is given to no other server while this process lives, whether its own runs or not', async () => {
    expect([await reserve(OWN), await reserve(OWN)]).toEqual([true, false]);
  });

  it('can be had again when the process that had it is dead', async () => {
    neighbour = await Neighbour.start();
    await expect(neighbour.asks('reserve', DEAD)).resolves.toBe(true);
    expect(await reserve(DEAD)).toBe(false);
    await neighbour.dies();
    expect(await reserve(DEAD)).toBe(true);
  });

  // As root the other process is of another user. Else it is another process of this one: no file is shared, so that
  // nothing could belong to the first of two users.
  it('is given to no other user, in either direction', async () => {
    neighbour = await Neighbour.start();
    const uid = process.getuid!();
    await expect(neighbour.asks('uid')).resolves.toBe(uid === 0 ? 65_534 : uid);
    await expect(neighbour.asks('reserve', THEIRS)).resolves.toBe(true);
    expect(await reserve(THEIRS)).toBe(false);
    expect(await reserve(OURS)).toBe(true);
    await expect(neighbour.asks('reserve', OURS)).resolves.toBe(false);
  });

  it('is another one each time', async () => {
    const ports = [...(await freePorts(50)), ...(await freePorts(50))];
    expect(new Set(ports).size).toBe(100);
  });

  it('can be called by fetch, which refuses some', async () => {
    const refused: number[] = [];
    const calls = Array.from({ length: PORTS.end - PORTS.first }, async (_, at) => {
      const error = await failureAt(PORTS.first + at);
      if (error !== CALLED) refused.push(PORTS.first + at);
    });
    await Promise.all(calls);
    expect(refused).toEqual([]);
    expect(await failureAt(10_080)).toMatchObject({ message: 'bad port' });
  }, 60_000);
});

/** Why fetch fails there: it gets as far as a connection, or not. */
async function failureAt(port: number): Promise<unknown> {
  return fetch(`http://127.0.0.1:${port}`, { dispatcher: UNCONNECTED }).catch(
    (error: unknown) => (error as Error).cause,
  );
}
