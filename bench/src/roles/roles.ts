import type { Role } from './role.js';

const LOADERS = {
  sequential: async () => (await import('./sequential.js')).sequential,
  crowd: async () => (await import('./crowd.js')).crowd,
  team: async () => (await import('./team.js')).team,
  outage: async () => (await import('./outage.js')).outage,
  relay: async () => (await import('./relay.js')).relay,
  keep: async () => (await import('./keep.js')).keep,
  hold: async () => (await import('./hold.js')).hold,
  wait: async () => (await import('./wait.js')).wait,
  readers: async () => (await import('./readers.js')).readers,
  gate: async () => (await import('./gate.js')).gate,
  repeat: async () => (await import('./repeat.js')).repeat,
  sale: async () => (await import('./sale.js')).sale,
} satisfies Record<string, () => Promise<Role<never, unknown>>>;

export type RoleName = keyof typeof LOADERS;

/** Loads only the code of one role. */
export function roleOf(name: RoleName): Promise<Role<never, unknown>> {
  return LOADERS[name]();
}
