import { describe, expect, it } from '@jest/globals';
import { printReport } from '../src/report/print-report.js';
import { Progress } from '../src/report/progress.js';
import { tableLines } from '../src/report/table.js';
import { Terminal, type OutputStream } from '../src/report/terminal.js';

function screen(isTTY: boolean): OutputStream & { text: string } {
  return {
    isTTY,
    columns: 60,
    text: '',
    write(chunk: string | Uint8Array) {
      this.text += String(chunk);
      return true;
    },
  };
}

const report = {
  sections: [{ rows: [['oversold', '0']] }],
  checks: [
    { isMet: true, text: 'kept' },
    { isMet: false, text: 'broken' },
  ],
  verdict: 'flash sale: …',
};

describe('the report', () => {
  it('lines up its columns, whatever is painted', () => {
    const red = (text: string) => `<${text}>`;
    const rows = [
      ['a', { text: '1', paint: red }, 'x'],
      ['long', '1,000', { text: 'yes', paint: red }],
    ];
    expect(tableLines(rows, { head: ['', 'n', ''], right: [1] })).toEqual([
      '            n',
      '  ────  ─────  ───',
      '  a         <1>  x',
      '  long  1,000  <yes>',
    ]);
  });

  it('has colour on a terminal, none elsewhere, and none where NO_COLOR is set', () => {
    const printed = (isTTY: boolean, environment: NodeJS.ProcessEnv) => {
      const stream = screen(isTTY);
      printReport(new Terminal(stream, environment), report);
      return stream.text;
    };
    expect(printed(true, {})).toContain('\u001b[31m✘\u001b[0m broken');
    expect(printed(true, { NO_COLOR: '1' })).not.toContain('\u001b[3');
    expect(printed(false, {})).not.toContain('\u001b');
    expect(printed(true, {})).toMatch(/\nflash sale: …\n$/);
  });
});

describe('progress', () => {
  it('is a bar that moves in one line of a terminal', () => {
    const stream = screen(true);
    const progress = new Progress(new Terminal(stream, { NO_COLOR: '1' }), 10, 'purchases');
    progress.show(5);
    progress.show(10);
    progress.end();
    expect(stream.text.split('\n')).toHaveLength(3);
    expect(stream.text).toMatch(/█+ 10 of 10 purchases/);
    for (const line of stream.text.split(/[\r\n]/))
      expect(line.length).toBeLessThanOrEqual(60 + '\u001b[K'.length);
  });

  it('is a line per quarter elsewhere', () => {
    const stream = screen(false);
    const progress = new Progress(new Terminal(stream), 100, 'purchases');
    for (let done = 1; done <= 100; done += 1) progress.show(done);
    progress.end();
    expect(stream.text.match(/^ {2}\d+ of 100 purchases/gm)).toEqual([
      '  25 of 100 purchases',
      '  50 of 100 purchases',
      '  75 of 100 purchases',
      '  100 of 100 purchases',
    ]);
  });
});
