import { availableParallelism } from 'node:os';

// Native ESM: Nest 12 is ESM only. The second transform is for Node 20, where Jest cannot require() an ES module.
const swc = (jsc) => ['@swc/jest', { jsc, module: { type: 'es6' }, sourceMaps: 'inline' }];

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
    '^.+\\.ts$': swc({
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      target: 'es2023',
      keepClassNames: true,
    }),
    '/node_modules/(?:content-disposition|cookie)/.+\\.js$': swc({ target: 'es2023' }),
  },
  transformIgnorePatterns: ['/node_modules/(?!(?:.*/)?(?:content-disposition|cookie)/)'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // What a worker's module registries leave behind is never collected; a fresh worker is cheaper than a heap of gigabytes.
  workerIdleMemoryLimit: '900MB',
  // One more than the cores of a small machine: these tests wait as much as they compute. Each takes memory, and connections.
  maxWorkers: Math.min(availableParallelism() + 1, 4),
  testTimeout: 180_000,
};
