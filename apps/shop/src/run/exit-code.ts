/** Exit codes of the command; the help page explains them. */
export const EXIT = { agrees: 0, broken: 1, usage: 2, notRun: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
