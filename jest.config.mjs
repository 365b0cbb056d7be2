import { availableParallelism } from 'node:os';

// What takes minutes or is made up anew runs by `npm run test:long`, or where its folder is named.
const isLong = process.argv.some((argument) => argument.includes('test/long'));

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...(isLong ? [] : ['/test/long/'])],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  transform: {
    // Native ESM: Nest 12 is ESM only.
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          target: 'es2023',
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // What a worker's module registries leave behind is never collected; a fresh worker is cheaper than a heap of gigabytes.
  workerIdleMemoryLimit: '900MB',
  // One more than the cores of a small machine: these tests wait as much as they compute. Each takes memory, and connections.
  maxWorkers: Math.min(availableParallelism() + 1, 4),
  testTimeout: 180_000,
};
