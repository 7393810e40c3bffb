import type { RunningServer } from './running-server.js';
import { NotHere } from './finding.js';
import { serverUrl } from './server-url.js';

export interface ContainerRecipe {
  readonly image: string;
  readonly scheme: string;
  /** Account and database that the URL names. */
  readonly login?: string;
  readonly database?: string;
  readonly command: string[];
  /** The port inside the container. */
  readonly inside: number;
  /** The port on 127.0.0.1, fixed, so that a restart keeps it. */
  readonly port: number;
}

/**
 * Runs a server in a container.
 * @throws NotHere when testcontainers is not installed, no engine answers, or the image cannot be had
 */
export async function startContainer(recipe: ContainerRecipe): Promise<RunningServer> {
  // Lazy: the import is slow, and of no use where a local binary was found.
  const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers').catch(notHere);
  const client = await getContainerRuntimeClient().catch(notHere);
  const started = await new GenericContainer(recipe.image)
    .withCommand(recipe.command)
    .withExposedPorts({ container: recipe.inside, host: recipe.port })
    .start()
    .catch(notHere);
  const container = client.container.getById(started.getId());
  const host = started.getHost();
  return {
    url: serverUrl({ ...recipe, host }),
    host,
    port: recipe.port,
    pid: undefined,
    source: 'testcontainers',
    stop: async () => void (await started.stop()),
    kill: (signal) => void container.kill({ signal }).catch(() => undefined),
    restart: () => started.restart(),
    pause: () => void container.pause().catch(() => undefined),
    resume: () => void container.unpause().catch(() => undefined),
  };
}

/** Whether there is an engine that could run a server. */
export async function containerEngineAnswers(): Promise<boolean> {
  try {
    const { getContainerRuntimeClient } = await import('testcontainers');
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}

function notHere(error: unknown): never {
  throw new NotHere(error instanceof Error ? error.message : String(error), { cause: error });
}
