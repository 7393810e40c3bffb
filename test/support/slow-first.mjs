import Sequencer from '@jest/test-sequencer';
import { relative } from 'node:path';
import { ROOT, rankOf } from '../commands.mjs';

/** The order of the table of commands, which lists slow files first: Jest knows no times on a new machine. */
export default class SlowFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => rankOf(relative(ROOT, path));
    return [...tests].sort((a, b) => rank(a) - rank(b) || a.path.localeCompare(b.path));
  }
}
