import type { Backend } from 'bedrock-lock';
import { MUTEX, READER, type Shape } from 'bedrock-lock/backend';
import { claimOf, FREE, granted } from 'bedrock-testkit';
import { setImmediate as turn } from 'node:timers/promises';

/** Their statements wait for a connection, also where one statement carries 32 claims. */
export const CLAIMS = 320;

/** Takes what has to be renewed, and gives the renewal, which answers true if it was renewed. */
type Taking = (backend: Backend) => Promise<() => Promise<boolean>>;

function leaseOf(shape: Shape): Taking {
  return async (backend) => {
    const held = await granted(backend, `renewed:${shape.mode}`, { shape });
    return async () => (await backend.leases.renew([{ ...held, keepMs: 0 }]))[0] === 'renewed';
  };
}

const record: Taking = async ({ records }) => {
  const ref = { resource: 'renewed:record', owner: 'owner' };
  await records!.begin({ ...ref, fingerprint: 'f', leaseMs: 10_000, notAfter: Infinity });
  return () => records!.renew(ref, 10_000);
};

/** Everything that a backend renews. */
export const RENEWED: [string, Taking][] = [
  ['an exclusive lease', leaseOf(MUTEX)],
  ['a shared lease', leaseOf(READER)],
  ['a record', record],
];

/**
 * Renews while claims wait for the connection.
 * @param backend with one connection
 */
export async function renewAmongClaims(
  backend: Backend,
  take: Taking,
): Promise<{ isRenewed: boolean; answeredBefore: number }> {
  const renew = await take(backend);
  const claims = Array.from({ length: CLAIMS }, (_, i) => claimOf(backend, `among:${i}`));
  let answered = 0;
  const all = claims.map(async (claim) => {
    await backend.leases.claim(claim);
    answered += 1;
  });
  await turn();
  const isRenewed = await renew();
  const answeredBefore = answered;
  await Promise.all(all);
  await Promise.all(claims.map((claim) => backend.leases.withdraw(claim, FREE)));
  return { isRenewed, answeredBefore };
}
