import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import { join } from 'node:path';
import tseslint from 'typescript-eslint';

const root = join(import.meta.dirname, '..');

const throughTheClock = 'Only core/clock.ts may touch time and randomness: take a Clock instead.';

const clockGlobals = [
  'Date',
  'performance',
  'crypto',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
];

const clockProperties = [
  ...clockGlobals.flatMap((property) => [
    { object: 'globalThis', property },
    { object: 'global', property },
  ]),
  { object: 'Math', property: 'random' },
  { object: 'AbortSignal', property: 'timeout' },
  { object: 'process', property: 'hrtime' },
];

const clockModules = ['timers', 'timers/promises', 'perf_hooks'].flatMap((name) => [name, `node:${name}`]);
const randomNames = [
  'default',
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
  'randomUUID',
  'getRandomValues',
  'webcrypto',
];

// Where to stop; the aim is 80 lines a file, one screen a function, and one object instead of three arguments.
const sizes = {
  'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
  'max-depth': ['error', 3],
  'max-params': ['error', 5],
  complexity: ['error', 20],
};

export default defineConfig(
  globalIgnores(['**/dist/', '**/node_modules/', '**/*.generated.ts', 'coverage/', 'seeds/']),
  eslint.configs.recommended,
  { files: ['**/*.{ts,js,mjs,cjs}'], rules: sizes },
  {
    files: ['libs/*/src/**/*.ts', 'apps/*/src/**/*.ts'],
    rules: { 'max-lines': ['error', 300] },
  },
  {
    // Elsewhere under test/ a function is often a suite: `max-lines` bounds it.
    files: [
      '{libs,apps}/*/src/**/*.ts',
      '{bench,tools}/**/*.{ts,mjs}',
      'test/{faults,model,mutants,servers,simulation,support}/**/*.{ts,mjs}',
    ],
    ignores: ['**/*.spec.ts'],
    rules: {
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true, IIFEs: true }],
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', URL: 'readonly' },
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { globals: { __dirname: 'readonly' } },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: './test/tsconfig.json', tsconfigRootDir: root },
    },
    rules: {
      // consistent-type-imports stays off: its fix strips the types that dependency injection needs.
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // A driver in memory keeps the asynchronous signature of its port without awaiting anything.
      '@typescript-eslint/require-await': 'off',
      'no-restricted-exports': [
        'error',
        { restrictDefaultExports: { direct: true, named: true, defaultFrom: true, namedFrom: true } },
      ],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['bench/src/**/*.ts'],
    languageOptions: {
      parserOptions: { project: './bench/tsconfig.json', tsconfigRootDir: root },
    },
  },
  {
    // Types of the libraries to compare with, which only `npm run bench` installs.
    files: ['bench/src/libraries/**/*.ts'],
    extends: [tseslint.configs.disableTypeChecked],
  },
  {
    files: ['libs/lock/src/**/*.ts'],
    ignores: ['libs/lock/src/core/clock.ts', '**/*.spec.ts'],
    rules: {
      'no-restricted-globals': ['error', ...clockGlobals.map((name) => ({ name, message: throughTheClock }))],
      'no-restricted-properties': [
        'error',
        ...clockProperties.map((entry) => ({ ...entry, message: throughTheClock })),
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            ...clockModules.map((name) => ({ name, message: throughTheClock })),
            ...['crypto', 'node:crypto'].map((name) => ({
              name,
              importNames: randomNames,
              message: throughTheClock,
            })),
          ],
        },
      ],
    },
  },
  {
    files: ['libs/*/src/**/index.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'An index lists names; never export *.' },
      ],
    },
  },
  {
    files: ['apps/**/*.ts', 'test/servers/src/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // Their packages are installed only where they are checked, so rules that need types would see none.
    files: ['compat/**/*.ts'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { 'no-console': 'off' },
  },
  {
    // Vitest asks for it.
    files: ['compat/*/vitest.config.ts'],
    rules: { 'no-restricted-exports': 'off' },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      // A Jest matcher is called unbound by design, and mocks are rarely typed.
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'off',
    },
  },
);
