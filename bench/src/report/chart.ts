import { PEERS, titleOf, type LibraryName } from '../libraries/catalogue.js';
import { threeDigits } from './numbers.js';
import type { Report, ScenarioResult } from './report.js';
import { circle, line, round, svg, text } from './svg.js';

const WIDTH = 860;
const LEFT = 250;
const RIGHT = 120;
const TOP = 88;
const ROW = 38;
const LEGEND = 66;

/** Libraries drawn next to Bedrock. */
const OTHERS = [...PEERS, 'redisson'] as const satisfies readonly LibraryName[];
const COLOURS: readonly string[] = [
  '#b35900',
  '#8250df',
  '#bf3989',
  '#1a7f37',
  '#57606a',
  '#9a6700',
  '#cf222e',
];

/** The gain of every library over raw, scenario by scenario, on a logarithmic scale. */
export function chart({ machine, results }: Report): string {
  // The engines have a chart of their own.
  const shown = results.filter((result) => gains(result).size > 0);
  const all = shown.flatMap((result) => [...gains(result).values()]);
  const from = Math.floor(Math.log10(Math.min(0.5, ...all)));
  const to = Math.ceil(Math.log10(Math.max(10, ...all)));
  const bottom = TOP + ROW * shown.length;
  const height = bottom + LEGEND;
  const x = (gain: number): number =>
    round(LEFT + ((Math.log10(gain) - from) / (to - from)) * (WIDTH - LEFT - RIGHT));
  const decades = Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));
  return svg(WIDTH, height, 'Bedrock and other lock libraries against raw Redis commands', [
    text(22, 32, 'How many times better than raw', 'title'),
    text(WIDTH - 22, TOP - 14, 'Bedrock', 'soft', 'end'),
    text(
      22,
      52,
      `logarithmic, right is better; ${machine.date}, ${machine.cores} cores, Redis ${machine.redis} on loopback`,
      'soft',
    ),
    ...decades.map((gain) => {
      const kind = gain === 1 ? 'raw' : 'grid';
      const label = gain === 1 ? 'raw' : `${gain >= 1 ? gain.toLocaleString('en-US') : String(round(gain))}×`;
      const upright = line(kind, [x(gain), TOP - 8], [x(gain), bottom]);
      return upright + text(x(gain), TOP - 14, label, 'soft', 'middle');
    }),
    ...shown.flatMap((result, i) => row(result, TOP + ROW * (i + 0.5), x)),
    ...legend(bottom + 26),
  ]);
}

/** Above 1 is better than raw, whether the scenario measures speed or cost. */
function gains({ scenario, rows }: ScenarioResult): Map<LibraryName, number> {
  const drawn: readonly LibraryName[] = ['bedrock', ...OTHERS];
  return new Map(
    rows.flatMap(({ library, ratioToRaw }) => {
      if (ratioToRaw === undefined || !(ratioToRaw > 0) || !drawn.includes(library)) return [];
      return [[library, scenario.better === 'more' ? ratioToRaw : 1 / ratioToRaw] as const];
    }),
  );
}

function row(result: ScenarioResult, y: number, x: (gain: number) => number): string[] {
  const found = gains(result);
  const { name, short } = result.scenario;
  const bedrock = found.get('bedrock');
  const label = /^[A-Z]/.test(name) ? `${name}  ${short}` : short;
  return [
    text(22, y + 4, label),
    ...OTHERS.flatMap((peer, i) => {
      const gain = found.get(peer);
      return gain === undefined ? [] : [circle(x(gain), y, 5, 'peer', COLOURS[i])];
    }),
    ...(bedrock === undefined
      ? []
      : [
          circle(x(bedrock), y, 7, 'bedrock'),
          text(WIDTH - 22, y + 4, `${threeDigits(bedrock)}×`, 'value', 'end'),
        ]),
  ];
}

function legend(y: number): string[] {
  const entries: readonly (readonly [title: string, colour: string | undefined])[] = [
    ['Bedrock', undefined],
    ...OTHERS.map((peer, i) => [titleOf(peer), COLOURS[i]] as const),
  ];
  const perLine = 4;
  return entries.map(([title, colour], i) => {
    const left = 30 + (i % perLine) * 205;
    const at = y + 22 * Math.floor(i / perLine);
    const mark = circle(left, at - 4, 5, colour === undefined ? 'bedrock' : 'peer', colour);
    return mark + text(left + 12, at, title, 'soft');
  });
}
