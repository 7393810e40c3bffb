const RUNNER = ['describe', 'it', 'beforeAll', 'afterAll'] as const;

/** The titles of the tests that a spec file registers, from the outermost group inwards; runs none of them. */
export async function collectTitles(load: () => Promise<unknown>): Promise<string[]> {
  const titles: string[] = [];
  const groups: string[] = [];
  const collector = {
    describe: (title: string, body: () => void) => {
      groups.push(title);
      body();
      groups.pop();
    },
    it: (title: string) => void titles.push([...groups, title].join(' › ')),
    beforeAll: () => undefined,
    afterAll: () => undefined,
  };
  const scope = globalThis as unknown as Record<string, unknown>;
  const own = RUNNER.map((name) => [name, scope[name]] as const);
  Object.assign(scope, collector);
  try {
    await load();
  } finally {
    Object.assign(scope, Object.fromEntries(own));
  }
  return titles;
}
