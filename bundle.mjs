import { rolldown } from 'rolldown';

/** Packages that are not installed, or not for everybody: whoever wants one asks for it when it runs. */
const NOT_HERE = [
  /^@nestjs\/(?:websockets|microservices|platform-express)(?:\/|$)/,
  /^class-(?:transformer|validator)(?:\/|$)/,
  /^@apollo\/subgraph/,
  /^@fastify\/(?:view|multipart)$/,
  /^(?:@mercuriusjs\/gateway|ts-morph|typescript|pg-native|msgpackr-extract)$/,
];

/**
 * The program, with the packages that it runs: 2,500 files take seconds of a processor to find and load, a few of them a fraction.
 * What a command needs alone stays in files of its own. Decorators are compiled by `tsc` before.
 */
const bundle = await rolldown({
  input: 'node_modules/.cache/compiled/main.js',
  platform: 'node',
  external: NOT_HERE,
  // A package that is asked for and is neither here nor in the list would be missed when the program runs.
  onLog: (level, log, say) => say(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
});
await bundle.write({
  dir: 'dist',
  cleanDir: true,
  chunkFileNames: 'program/[name].js',
  // Nest, TypeORM and the schema of GraphQL know classes by their names.
  keepNames: true,
});
