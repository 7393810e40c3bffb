import { codeIn, filesBelow, read, rowsOf, section, unionOf } from './pages.js';

const missingIn = (text: string, names: readonly string[]): readonly string[] => {
  const named = codeIn(text);
  return names.filter((name) => !named.has(name));
};

/** The public members of a class, as the record of the API has them. */
function membersOf(name: string): readonly string[] {
  const api = read('test/repository/public-api/bedrock-lock.api.txt');
  const [, body = ''] =
    new RegExp(`^\\s*(?:export )?(?:declare )?class ${name}[ <][^{]*\\{([\\s\\S]*?)^\\s{0,4}\\}`, 'm').exec(
      api,
    ) ?? [];
  const members = body.matchAll(/^\s+(?:readonly |get |async )*([a-zA-Z]\w*)\??[(:<]/gm);
  return [...new Set(Array.from(members, ([, member]) => member!))].filter(
    (member) => member !== 'constructor',
  );
}

/** The methods of an interface. */
function methodsOf(file: string, name: string): readonly string[] {
  const [, body = ''] = new RegExp(`interface ${name} \\{([\\s\\S]*?)^\\}`, 'm').exec(read(file)) ?? [];
  return Array.from(body.matchAll(/^ {2}([a-z]\w*)\(/gm), ([, method]) => method!);
}

describe('the documentation names', () => {
  it('every event', () => {
    const events = Array.from(
      read('libs/lock/src/core/events.ts').matchAll(/^ {2}'(\w+\.\w+)': /gm),
      ([, event]) => event!,
    );
    expect(events.length).toBeGreaterThan(25);
    const table = rowsOf(section('docs/primitives/mutex.md', '## Events'))
      .map(([first]) => first)
      .join();
    expect(missingIn(table, events)).toEqual([]);
    expect([...codeIn(table)].filter((name) => !events.includes(name))).toEqual([]);
  });

  it('every code of an error', () => {
    const codes = ['lock', 'nestjs'].flatMap((library) =>
      filesBelow(`libs/${library}/src`, '.ts').flatMap((file) =>
        // `ERR_` is what Node has.
        Array.from(read(file).matchAll(/readonly code = '((?!ERR_)[A-Z_]+)'/g), ([, code]) => code!),
      ),
    );
    expect(codes.length).toBeGreaterThan(20);
    const tables = [
      section('docs/primitives/mutex.md', '## Errors'),
      section('docs/primitives/idempotency.md', '## Errors and events'),
      section('docs/nest/README.md', '## Errors'),
    ];
    expect(missingIn(tables.join('\n'), codes)).toEqual([]);
    expect(missingIn(read('docs/operations/errors.md'), codes)).toEqual([]);
  });

  it('every warning', () => {
    const warnings = filesBelow('libs/lock/src', '.ts').flatMap((file) =>
      Array.from(read(file).matchAll(/code: '(BEDROCK_[A-Z_]+)'/g), ([, code]) => code!),
    );
    expect(warnings.length).toBeGreaterThan(3);
    expect(missingIn(read('docs/operations/errors.md'), warnings)).toEqual([]);
  });

  it('every reason of a loss', () => {
    const reasons = unionOf('libs/lock/src/core/errors.ts', 'LossReason');
    const [, list = ''] =
      /`reason` is ([\w, ]+) \|/.exec(section('docs/primitives/mutex.md', '## Errors')) ?? [];
    expect(
      list
        .trim()
        .split(/, | or /)
        .sort(),
    ).toEqual([...reasons].sort());
  });

  it('every outcome of a release', () => {
    const events = 'libs/lock/src/core/events.ts';
    const outcomes = [...unionOf(events, 'ReleaseEnd'), ...unionOf(events, 'ReleaseOutcome')];
    expect(outcomes.length).toBeGreaterThan(3);
    const [, text = ''] =
      /`release\(\)` answers ([\s\S]*?)never throws/.exec(
        section('docs/primitives/mutex.md', '## The lease'),
      ) ?? [];
    expect(missingIn(text, outcomes)).toEqual([]);
    for (const page of ['docs/primitives/mutex.md', 'docs/primitives/multi-lock.md']) {
      const [, comment = ''] = /lease\.release\(\)\); \/\/ (.*)/.exec(read(page)) ?? [];
      expect(Array.from(comment.matchAll(/'(\w+)'/g), ([, one]) => one!)).toEqual(outcomes);
    }
  });

  it.each([
    ['Lease', section('docs/primitives/mutex.md', '## The lease')],
    ['MultiLease', section('docs/primitives/multi-lock.md', '## run, acquire, tryAcquire')],
  ])('every member of a %s', (name, text) => {
    const members = membersOf(name);
    expect(members.length).toBeGreaterThan(8);
    const named = [...codeIn(text)].map((span) => /^\w+/.exec(span)?.[0]);
    expect(members.filter((member) => !named.includes(member))).toEqual([]);
  });

  it('every verb that may fail in a test', () => {
    const [, own = ''] =
      /interface VerbInput[\s\S]*?\{\n([\s\S]*?)^\}/m.exec(read('libs/testkit/src/faults/fault.ts')) ?? [];
    const verbs = [
      ...Array.from(own.matchAll(/^ {2}readonly (\w+): /gm), ([, verb]) => verb!),
      ...['counters', 'permits', 'records'].flatMap((driver) => {
        const port = `${driver[0]!.toUpperCase()}${driver.slice(1, -1)}Driver`;
        return methodsOf('libs/lock/src/core/ports/ports.ts', port).map((method) => `${driver}.${method}`);
      }),
    ];
    expect(verbs.length).toBeGreaterThan(20);
    expect(missingIn(read('libs/testkit/README.md'), verbs)).toEqual([]);
  });
});
