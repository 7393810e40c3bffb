import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { RunningServer } from './running-server.js';
import { NotHere } from './finding.js';
import { serverUrl } from './server-url.js';
import type { Testcontainers } from './testcontainers.js';

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
 * @throws NotHere when testcontainers cannot be installed, no engine answers, or the image cannot be had
 */
export async function startContainer(recipe: ContainerRecipe): Promise<RunningServer> {
  const { GenericContainer, getContainerRuntimeClient } = await loadTestcontainers().catch(notHere);
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
    const { getContainerRuntimeClient } = await loadTestcontainers();
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}

/** Sockets of Docker, Docker Desktop, Colima and Podman. */
const SOCKETS = [
  '/var/run/docker.sock',
  join(homedir(), '.docker/run/docker.sock'),
  join(homedir(), '.colima/default/docker.sock'),
  join(process.env['XDG_RUNTIME_DIR'] ?? '/run', 'podman/podman.sock'),
];

/** Installs testcontainers where an engine may answer: a machine without one does not need its packages. */
async function loadTestcontainers(): Promise<Testcontainers> {
  const mayAnswer = process.env['DOCKER_HOST'] !== undefined || SOCKETS.some((path) => existsSync(path));
  if (!mayAnswer) throw new NotHere('no container engine is running');
  const tools = fileURLToPath(new URL('../../../tools/own-packages.mjs', import.meta.url));
  const { installOwnPackages } = (await import(pathToFileURL(tools).href)) as OwnPackages;
  installOwnPackages('test');
  // Not a literal: the compiler must not look for a package that most machines do not have.
  const name: string = 'testcontainers';
  return (await import(name)) as Testcontainers;
}

interface OwnPackages {
  installOwnPackages(folder: string): void;
}

function notHere(error: unknown): never {
  throw new NotHere(error instanceof Error ? error.message : String(error), { cause: error });
}
