/** What a caller may pass by mistake or malice, with a name for the test's title. */
export const BAD_VALUES: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
  ['-1', -1],
  ['0', 0],
  ['0.5', 0.5],
  ['2^31', 2 ** 31],
  ['2^53', 2 ** 53],
  ['"5"', '5'],
  ['empty text', ''],
  ['513 characters', 'x'.repeat(513)],
  ['1 MB of text', 'x'.repeat(1_048_576)],
  ['NUL', 'a\u0000b'],
  ['CRLF', 'a\r\nb'],
  ['a lone surrogate', 'a\ud800b'],
  ['{', '{'],
  ['}', '}'],
  ['{a}{b}', '{a}{b}'],
  ['{}', 'a{}'],
  ['*', '*'],
  [':', ':'],
  ['__proto__', '__proto__'],
  ['a reserved prefix', 'redisson_lock__channel:{x}'],
  ['a symbol', Symbol('bad')],
  ['a bigint', 5n],
  ['true', true],
  ['an array', []],
  ['an array of 5', [5]],
  ['a function', () => 5],
  ['an object', {}],
  [
    'an object with a throwing toString',
    {
      toString() {
        throw new Error('toString was called');
      },
      valueOf() {
        throw new Error('valueOf was called');
      },
    },
  ],
];

/** One public option or argument. */
export interface Parameter {
  readonly name: string;
  /** What the error's `field` must be. */
  readonly field: string | RegExp;
  readonly use: (value: unknown) => unknown;
  /** The values of the list that are good here, by their names. */
  readonly good: readonly string[];
}

const isInvalidOption = (error: unknown): error is Error & { field: string } =>
  error instanceof Error && (error as { code?: string }).code === 'INVALID_OPTION';

/** Calls with every value: the good ones must not be refused as options, the others must be, naming the field. */
export async function tryAll({ use, good, field }: Parameter): Promise<string[]> {
  const wrong: string[] = [];
  for (const [title, value] of BAD_VALUES) {
    let error: unknown;
    try {
      await use(value);
    } catch (caught) {
      error = caught;
    }
    if (good.includes(title)) {
      if (isInvalidOption(error)) wrong.push(`${title}: refused (${error.message})`);
    } else if (!isInvalidOption(error)) {
      wrong.push(
        `${title}: ${error === undefined ? 'accepted' : `another error: ${error instanceof Error ? error.message : typeof error}`}`,
      );
    } else if (typeof field === 'string' ? error.field !== field : !field.test(error.field)) {
      wrong.push(`${title}: names the field "${error.field}"`);
    } else if (error.message.length > 400) {
      wrong.push(`${title}: a message of ${error.message.length} characters`);
    }
  }
  return wrong;
}
