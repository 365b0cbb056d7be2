import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { build } from 'vite';

const manifest = readJson('package.json');

/** Packages that are not installed, or not for everybody: whoever wants one asks for it when it runs. */
const NOT_HERE = [
  /^@nestjs\/(?:websockets|microservices|platform-express)(?:\/|$)/,
  /^class-(?:transformer|validator)(?:\/|$)/,
  /^@apollo\/subgraph/,
  /^@fastify\/(?:view|multipart)$/,
  /^(?:@mercuriusjs\/gateway|ts-morph|typescript|pg-native|msgpackr-extract)$/,
];

/** Matches the folder of the package that contains a file, and captures the package's name. */
const PACKAGE_FOLDER = /^.*\/node_modules\/((?:@[^/]+\/)?[^/.][^/]*)(?=\/)/;

/** Source maps cover our own files only: with those of the packages they would be larger than the program. */
const noMapsOfPackages = {
  name: 'no-maps-of-packages',
  transform: {
    filter: { id: PACKAGE_FOLDER },
    handler: (code) => ({ code, map: { version: 3, names: [], sources: [], mappings: '' } }),
  },
};

/**
 * The program, with the packages that it runs: 2,500 files take seconds of a processor to find and load, a few of them a fraction.
 * A command loads the chunks that it needs.
 */
const program = await rolldown({
  input: 'src/main.ts',
  platform: 'node',
  // An import of `x.js` in a source means `x.ts`.
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  external: NOT_HERE,
  plugins: [noMapsOfPackages],
  // A package that is asked for and is neither here nor in the list would be missed when the program runs.
  onLog: (level, log, say) => say(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
});
const { output } = await program.write({
  dir: 'dist',
  cleanDir: true,
  chunkFileNames: nameChunk,
  // Nest, TypeORM and the schema of GraphQL know classes by their names.
  keepNames: true,
  // One character beyond Latin-1 doubles the memory of a chunk's text, which stays as long as the program runs.
  charset: 'ascii',
  // Notices of licences stay: code that a package took from elsewhere has no others.
  comments: { legal: true, annotation: false, jsdoc: false },
  sourcemap: true,
  sourcemapExcludeSources: true,
});
const pages = await build();

writeFileSync('dist/LICENSES.md', describeLicences(findPackages(output)));
writeJson('dist/sbom.cdx.json', describeComponents(findPackages([...output, ...pages.output])));
const { name, version, description, keywords, license, type, engines, optionalDependencies } = manifest;
const bin = { hindsight: 'main.js' };
const published = { name, version, description, keywords, license, type, bin, engines, optionalDependencies };
writeJson('dist/package.json', published);
const RUNBOOKS = ['docs/runbooks', 'docs/failure-causes.md'];
const SETTINGS = ['hindsight.example.yaml', 'hindsight.schema.json'];
for (const path of ['migrations', 'LICENSE', 'README.md', ...SETTINGS, ...RUNBOOKS])
  cpSync(path, join('dist', path), { recursive: true });

/**
 * Names a chunk after its largest file, since packages that we do not import ourselves say little:
 * `program/statistics/read/report.reader.js`, or `program/packages/typeorm.js` if the file is in a package.
 */
function nameChunk({ name, facadeModuleId, moduleIds }) {
  const parts = (facadeModuleId ? [facadeModuleId] : moduleIds).flatMap((file) => {
    const [, ofPackage] = PACKAGE_FOLDER.exec(file) ?? [];
    const [, ofSource] = /\/src\/(.+)\.ts$/.exec(file) ?? [];
    if (ofPackage === undefined && ofSource === undefined) return [];
    const isImported = ofPackage === undefined || ofPackage in manifest.dependencies;
    return [{ name: ofSource ?? `packages/${ofPackage}`, isImported, size: statSync(file).size }];
  });
  const [largest] = parts.toSorted((a, b) => b.isImported - a.isImported || b.size - a.size);
  return `program/${largest?.name ?? name}.js`;
}

/**
 * The packages of which something is in a bundle, sorted by name.
 * @param output chunks of rolldown
 * @returns their manifests, each with the folder that it is in
 */
function findPackages(output) {
  const files = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const folders = new Set(files.flatMap((file) => PACKAGE_FOLDER.exec(file)?.[0] ?? []));
  const found = [...folders].map((folder) => ({ ...readJson(join(folder, 'package.json')), folder }));
  const byTitle = new Map(found.map((one) => [`${one.name} ${one.version}`, one]));
  return [...byTitle].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** The licences of packages, in Markdown with a heading for each: whoever gets the program is owed them. */
function describeLicences(packages) {
  const sections = packages.map(({ name, version, license, folder }) => {
    const texts = readdirSync(folder)
      .filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [`## ${name} ${version}, ${license}`, ...texts].join('\n\n');
  });
  return `# Licences of what is in this program\n\n${sections.join('\n\n')}\n`;
}

/** The list of packages in CycloneDX, for scanners: they cannot see what is bundled. */
function describeComponents(packages) {
  const describe = (type, { name, version, license }) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { type, 'bom-ref': purl, name, version, purl, licenses: [{ expression: license }] };
  };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: describe('application', manifest) },
    components: packages.map((one) => describe('library', one)),
  };
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
