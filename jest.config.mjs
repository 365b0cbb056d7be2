import { availableParallelism } from 'node:os';

// Suites that take minutes run with `npm run test:long`, or when their folder is named.
const isLong = process.argv.some((argument) => argument.includes('test/long'));

export default {
  // Stock Jest loads Nest, TypeORM and GraphQL again for each spec file: 3 s of processor time, 340 times.
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  testEnvironment: '<rootDir>/test/support/jest/environment.mjs',
  testSequencer: '<rootDir>/test/support/jest/sequencer.mjs',
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
