/** An environment variable prevents a service's start. The process ends with exit code 2. */
export class SettingError extends Error {
  readonly code = 'BAD_SETTING';

  constructor(
    /** Name of the variable. */
    readonly variable: string,
    requirement: string,
    given: string | undefined,
  ) {
    const found = given === undefined ? 'it is not set' : `not ${JSON.stringify(given.slice(0, 80))}`;
    super(`${variable} must be ${requirement}; ${found}`);
    this.name = 'SettingError';
  }
}
