const WITHIN_MS = 1_000;

/** What a member says of itself and of its cluster. */
export interface EtcdStatus {
  readonly id: string;
  /** Id of the leader that it follows; '0' where it knows of none. */
  readonly leader: string;
}

/** Whether a member answers, and could read through the leader. */
export async function etcdAnswers(url: string): Promise<boolean> {
  const reply = await fetch(`${url}/health`, { signal: AbortSignal.timeout(WITHIN_MS) });
  const { health } = (await reply.json()) as { health?: string | boolean };
  return String(health) === 'true';
}

/** Asks a member through its JSON gateway, so that no client library has a part in it. */
export async function etcdStatus(url: string): Promise<EtcdStatus> {
  const { header, leader } = (await etcdCall(url, 'maintenance/status', {})) as {
    header: { member_id: string };
    leader?: string;
  };
  return { id: header.member_id, leader: leader ?? '0' };
}

/**
 * Any call of the JSON gateway, such as `kv/range`. Keys and values travel in base64, numbers of 64 bits as strings.
 * @throws Error with what the member answers, or when it says nothing in a second
 */
export async function etcdCall(url: string, path: string, body: object): Promise<unknown> {
  const reply = await fetch(`${url}/v3/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(WITHIN_MS),
  });
  if (!reply.ok) throw new Error(`etcd answers ${reply.status} to ${path}: ${await reply.text()}`);
  return reply.json();
}
