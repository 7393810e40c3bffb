import { bedrock, withoutWarnings, type StartOptions } from '../bedrock-command.js';

/** A line of `bedrock doctor --json`. */
export interface FoundLine {
  readonly subject: string;
  readonly check: string;
  readonly state: 'ok' | 'note' | 'problem';
  readonly text: string;
  readonly see?: string;
}

/** A request that takes a quarter of the time-out is a problem, and on a busy machine some take long. */
export const PATIENT = ['--operation-timeout', '10s'];
/** The default: for a server that grants nothing, since locks wait for it for several time-outs. */
export const USUAL = ['--operation-timeout', '1s'];

/** What a run of `bedrock doctor` has found. */
export class Findings {
  private constructor(
    readonly code: number | null,
    readonly lines: readonly FoundLine[],
  ) {}

  static async of(args: readonly string[], options?: StartOptions): Promise<Findings> {
    const patience = args.includes('--operation-timeout') ? [] : PATIENT;
    const { code, stdout, stderr } = await bedrock(['doctor', '--json', ...args, ...patience], options);
    const said = withoutWarnings(stderr);
    if (said !== '') throw new Error(`doctor says: ${said}`);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as FoundLine);
    return new Findings(code, lines);
  }

  /** `check: text` of each. */
  get problems(): readonly string[] {
    return this.#of('problem');
  }

  get notes(): readonly string[] {
    return this.#of('note');
  }

  /** The texts of a check that found nothing. */
  passed(check: string): readonly string[] {
    return this.lines.filter((line) => line.check === check && line.state === 'ok').map(({ text }) => text);
  }

  #of(state: FoundLine['state']): readonly string[] {
    return this.lines.filter((line) => line.state === state).map(({ check, text }) => `${check}: ${text}`);
  }
}
