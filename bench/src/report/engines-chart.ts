import { ENGINE_TITLES } from '../engines/engines.js';
import { engineLines, type EngineLine, type Pair } from './engine-lines.js';
import { threeDigits } from './numbers.js';
import type { Report } from './report.js';
import { circle, line, round, svg, text } from './svg.js';

const [WIDTH, LEFT, TOP, ROW, FOOT] = [860, 120, 104, 34, 44];
const PANEL = 236;
/** Horizontal range of the scale within a panel. */
const [FROM, TO] = [8, 150];
const RAW_COLOUR = '#b35900';

interface Panel {
  readonly title: string;
  readonly figure: string;
  readonly pairOf: (line: EngineLine) => Pair | undefined;
}

const PANELS: readonly Panel[] = [
  { title: 'alone: cycle p50, µs', figure: 'p50Us', pairOf: ({ alone }) => alone },
  {
    title: '100 tasks, one process: cycles/s',
    figure: 'cyclesPerS',
    pairOf: ({ inProcess }) => inProcess,
  },
  {
    title: '100 callers, 4 processes: cycles/s',
    figure: 'cyclesPerS',
    pairOf: ({ betweenProcesses }) => betweenProcesses,
  },
];

/** Bedrock and the raw calls on every engine: duration and number of cycles, on logarithmic scales. */
export function enginesChart({ machine, results }: Report): string {
  const lines = engineLines(results);
  const bottom = TOP + ROW * lines.length;
  return svg(WIDTH, bottom + FOOT, 'Bedrock and the raw calls on each engine', [
    text(22, 32, 'Bedrock on each engine', 'title'),
    text(
      22,
      52,
      `logarithmic; less is better on the left, more on the right; ${machine.date}, ${machine.cores} cores, loopback`,
      'soft',
    ),
    ...lines.map(({ engine }, i) => text(22, rowAt(i) + 4, ENGINE_TITLES[engine])),
    ...PANELS.flatMap((panel, i) => drawn(panel, LEFT + PANEL * i, lines, bottom)),
    circle(30, bottom + 20, 5, 'bedrock'),
    text(42, bottom + 24, 'Bedrock', 'soft'),
    circle(130, bottom + 20, 5, 'peer', RAW_COLOUR),
    text(142, bottom + 24, 'raw: the calls of its client, written by hand', 'soft'),
  ]);
}

function drawn({ title, figure, pairOf }: Panel, left: number, lines: readonly EngineLine[], bottom: number) {
  const found = lines.map((one) => {
    const pair = pairOf(one);
    return { bedrock: pair?.bedrock.figures[figure], raw: pair?.raw?.figures[figure] };
  });
  const all = found.flatMap(({ bedrock, raw }) => [bedrock, raw]).filter((one) => one !== undefined);
  if (all.length === 0) return [];
  const low = Math.floor(Math.log10(Math.min(...all)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...all))));
  const x = (value: number): number =>
    round(left + FROM + ((Math.log10(value) - low) / (high - low)) * (TO - FROM));
  const decades = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  return [
    text(left + FROM, TOP - 34, title, 'soft'),
    ...decades.map(
      (value) =>
        line('grid', [x(value), TOP - 8], [x(value), bottom]) +
        text(x(value), TOP - 14, short(value), 'soft', 'middle'),
    ),
    ...found.flatMap(({ bedrock, raw }, i) => [
      ...(bedrock === undefined || raw === undefined
        ? []
        : [line('grid', [x(raw), rowAt(i)], [x(bedrock), rowAt(i)])]),
      ...(raw === undefined ? [] : [circle(x(raw), rowAt(i), 5, 'peer', RAW_COLOUR)]),
      ...(bedrock === undefined
        ? []
        : [
            circle(x(bedrock), rowAt(i), 6, 'bedrock'),
            text(left + PANEL - 22, rowAt(i) + 4, threeDigits(bedrock), 'value', 'end'),
          ]),
    ]),
  ];
}

function rowAt(row: number): number {
  return TOP + ROW * (row + 0.5);
}

/** 10000 → 10k */
function short(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 1_000 ? `${value / 1_000}k` : String(value);
}
