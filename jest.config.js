/** Runs from source: the resolver finds the packages of this workspace in their src folders. */
export default {
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  modulePathIgnorePatterns: ['/dist/'],
  testEnvironment: '<rootDir>/test/support/test-environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  resolver: '<rootDir>/test/support/source-resolver.cjs',
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, verbatimModuleSyntax: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  filter: '<rootDir>/test/support/chosen-files.cjs',
  testSequencer: '<rootDir>/test/support/slow-first.mjs',
  globalSetup: '<rootDir>/test/support/preflight.mjs',
  globalTeardown: '<rootDir>/test/support/stop-shared-servers.mjs',
  maxWorkers: 3,
  // A worker keeps what its files have loaded: a new one is cheaper than the pauses of a full heap.
  workerIdleMemoryLimit: '700MB',
  testTimeout: 20_000,
};
