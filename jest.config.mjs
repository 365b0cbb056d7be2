import { availableParallelism } from 'node:os';

// What takes minutes or is made up anew runs by `npm run test:long`, or where its folder is named.
const isLong = process.argv.some((argument) => argument.includes('test/long'));

export default {
  // What specs import is loaded once in each worker, by Node.
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  testSequencer: '<rootDir>/test/support/jest/sequencer.mjs',
  testEnvironment: '<rootDir>/test/support/jest/environment.mjs',
  transform: {},
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...(isLong ? [] : ['/test/long/'])],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // One more than the cores of a small machine: these tests wait as much as they compute. Each takes memory, and connections.
  maxWorkers: Math.min(availableParallelism() + 1, 4),
  testTimeout: 180_000,
};
