/** The classes that the scripts use; an upper-case letter is the opposite. */
const CLASSES: Readonly<Record<string, string>> = {
  d: '0-9',
  s: '\\t-\\r ',
  x: '0-9A-Fa-f',
  w: '0-9A-Za-z',
  a: 'A-Za-z',
};

const compiled = new Map<string, RegExp>();

/** A Lua pattern as a regular expression. @throws Error for an unsupported pattern */
export function patternOf(pattern: string): RegExp {
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    expression = new RegExp(translate(pattern), 's');
    compiled.set(pattern, expression);
  }
  return expression;
}

function translate(pattern: string): string {
  let out = '';
  for (let at = 0; at < pattern.length;) {
    const char = pattern[at]!;
    if ((char === '^' && at === 0) || (char === '$' && at === pattern.length - 1)) {
      out += char;
      at += 1;
    } else if (char === '(' || char === ')') {
      if (pattern[at + 1] === ')') throw new Error(`a position capture is not supported: ${pattern}`);
      out += char;
      at += 1;
    } else {
      const [single, next] = singleAt(pattern, at);
      const repeat = pattern[next];
      const isRepeated = repeat !== undefined && '*+-?'.includes(repeat);
      out += single + (isRepeated ? (repeat === '-' ? '*?' : repeat) : '');
      at = next + (isRepeated ? 1 : 0);
    }
  }
  return out;
}

/** One class of characters, and where it ends. */
function singleAt(pattern: string, at: number): readonly [string, number] {
  const char = pattern[at]!;
  if (char === '.') return ['.', at + 1];
  if (char === '[') {
    const end = pattern.indexOf(']', at + 2);
    const inside = pattern.slice(at + 1, end);
    if (end < 0 || inside.includes('%') || inside.includes('\\'))
      throw new Error(`a set is not supported: ${pattern}`);
    return [`[${inside}]`, end + 1];
  }
  if (char !== '%') return [literal(char), at + 1];
  const letter = pattern[at + 1] ?? '';
  const own = CLASSES[letter.toLowerCase()];
  if (own !== undefined) return [letter in CLASSES ? `[${own}]` : `[^${own}]`, at + 2];
  if (letter === '' || /[0-9A-Za-z]/.test(letter)) throw new Error(`%${letter} is not supported: ${pattern}`);
  return [literal(letter), at + 2];
}

function literal(char: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}
