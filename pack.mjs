import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
const program = await rolldown({
  input: 'node_modules/.cache/compiled/main.js',
  platform: 'node',
  external: NOT_HERE,
  // A package that is asked for and is neither here nor in the list would be missed when the program runs.
  onLog: (level, log, say) => say(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
});
const { output } = await program.write({
  dir: 'dist',
  cleanDir: true,
  chunkFileNames: 'program/[name].js',
  // Nest, TypeORM and the schema of GraphQL know classes by their names.
  keepNames: true,
});

/**
 * The licences of the packages of which something is in the program: whoever gets it is owed them.
 * @param files absolute paths of the sources of the program
 * @returns Markdown, with a heading for each package
 */
function describeLicences(files) {
  const folders = new Set(
    files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/.][^/]*(?=\/)/.exec(file)?.[0] ?? []),
  );
  const sections = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const texts = readdirSync(folder)
      .filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [`## ${name} ${version}, ${license}`, ...texts].join('\n\n');
  });
  return `# Licences of what is in this program\n\n${[...new Set(sections)].sort().join('\n\n')}\n`;
}
const files = output.flatMap(({ moduleIds = [] }) => moduleIds);
writeFileSync('dist/LICENSES.md', describeLicences(files));
