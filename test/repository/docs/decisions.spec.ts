import { readdirSync } from 'node:fs';
import { read, rowsOf } from './pages.js';

const FOLDER = 'docs/decisions';
const DATE = String.raw`\d{4}-\d\d-\d\d`;
const RECORD = new RegExp(
  String.raw`^# (\d+)\. (.+)\n\nDate: (${DATE}(?:, amended ${DATE})?)\n\n## Context\n\n[^#]+\n\n## Decision\n\n[^#]+\n\n## Consequences\n\n[^#]+\n$`,
);
const files = readdirSync(FOLDER)
  .filter((name) => name !== 'README.md')
  .sort();

describe('the records of decisions', () => {
  it.each(files)('%s has a number, a date, its context, the decision and its consequences', (name) => {
    const [, number] = /^(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.md$/.exec(name) ?? [];
    const [, title] = RECORD.exec(read(`${FOLDER}/${name}`)) ?? [];
    expect([number, title]).toEqual([number, String(Number(number))]);
  });

  it('are numbered from 1 without a gap', () => {
    expect(files.map((name) => Number(name.slice(0, 4)))).toEqual(files.map((_name, at) => at + 1));
  });

  it('are all in the table, with their titles and dates', () => {
    const [, , ...rows] = rowsOf(read(`${FOLDER}/README.md`));
    const records = files.map((name) => {
      const [, , title, date] = RECORD.exec(read(`${FOLDER}/${name}`)) ?? [];
      return [`[${name.slice(0, 4)}](${name})`, title, date];
    });
    expect(rows).toEqual(records);
  });
});
