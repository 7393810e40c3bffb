import type { Pool } from 'pg';

/** Resolves when the connections have ended: `end()` resolves when it has begun to end them, and a server that stops then is an error. */
export async function endOf(pool: Pool): Promise<void> {
  let open = pool.totalCount;
  const ended = new Promise<void>((resolve) => {
    if (open === 0) resolve();
    pool.on('remove', () => {
      open -= 1;
      if (open === 0) resolve();
    });
  });
  await pool.end();
  await ended;
}
