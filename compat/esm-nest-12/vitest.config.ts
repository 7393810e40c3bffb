import { defineConfig } from 'vitest/config';

// Vite takes what decorators need from tsconfig.json: no plugin for SWC.
export default defineConfig({
  test: { globals: true, include: ['src/**/*.spec.ts'], testTimeout: 30_000 },
});
