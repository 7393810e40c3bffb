import { findPrograms } from './src/programs.js';

describe('findPrograms', () => {
  afterEach(() => {
    delete process.env['SOME_SHELL_BIN'];
  });

  it('finds each on PATH, or where its variable says', async () => {
    process.env['SOME_SHELL_BIN'] = process.execPath;
    const overrides = { sh: 'SOME_OTHER_BIN', bash: 'SOME_SHELL_BIN' };
    const { sh, bash } = await findPrograms({ overrides, packages: [] });
    expect(sh).toMatch(/\/sh$/);
    expect(bash).toBe(process.execPath);
  });

  it('does not install anything when a variable is wrong', async () => {
    process.env['SOME_SHELL_BIN'] = '/no/such/file';
    const found = findPrograms({ overrides: { bash: 'SOME_SHELL_BIN' }, packages: ['bash'] });
    await expect(found).rejects.toThrow('SOME_SHELL_BIN names "/no/such/file"');
  });

  it('fails and says which program is missing and what to do, when the packages do not bring it either', async () => {
    const found = findPrograms({ overrides: { 'no-such-program': 'NO_SUCH_BIN' }, packages: [] });
    await expect(found).rejects.toThrow(
      /^A program is missing: no no-such-program on PATH, and NO_SUCH_BIN is not set; .*\nInstall it/,
    );
  }, 120_000);
});
