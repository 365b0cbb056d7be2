// The direction of the flow, as a table: each folder of src/, and the other folders or files that it may import.
const MAY_IMPORT = {
  domain: [],
  tables: ['domain'],
  platform: ['domain/printable-text.ts', 'tables'],
  settings: ['domain', 'platform/errors.ts', 'platform/logger.ts', 'platform/redact.ts', 'platform/role.ts'],
  'node-api': ['domain', 'platform'],
  'node-service': ['domain'],
  'event-log': ['domain', 'tables', 'platform'],
  observe: ['domain', 'tables', 'platform', 'node-api', 'event-log'],
  projections: ['domain', 'tables', 'platform', 'event-log'],
  statistics: ['domain', 'tables', 'platform', 'event-log', 'projections'],
  alerts: ['domain', 'tables', 'platform', 'event-log', 'statistics'],
  api: [
    'domain',
    'tables',
    'platform',
    'node-api',
    'node-service',
    'event-log',
    'projections',
    'statistics',
    'alerts',
  ],
  devnode: ['domain', 'platform', 'node-service'],
  conformance: ['platform', 'node-api'],
  dashboard: ['domain'],
};

const folders = Object.keys(MAY_IMPORT);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...folders.map((folder) => ({
      name: `${folder}-imports-only-what-is-before-it`,
      severity: 'error',
      from: { path: `^src/${folder}/`, pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/', pathNot: `^src/(${[folder, ...MAY_IMPORT[folder]].join('|')})(/|$)` },
    })),
    {
      name: 'api-asks-the-readers-of-projections',
      comment: 'Code that answers from a read model does not depend on how the read model is made.',
      severity: 'error',
      from: { path: '^src/api/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^src/projections/',
        pathNot:
          '^src/projections/(projection|all-projections|fault-list|projection-readers\\.module|.*\\.reader|rebuild/disk-room)\\.ts$',
      },
    },
    {
      name: 'domain-is-pure',
      comment: 'Only node:crypto of Node, and no npm package.',
      severity: 'error',
      from: { path: '^src/domain/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^src/domain/|^(node:)?crypto$', dependencyTypesNot: ['local'] },
    },
    {
      name: 'decisions-of-the-record-are-pure',
      comment: 'They take loaded rows and return changes. turns/ loads and writes.',
      severity: 'error',
      from: { path: '^src/projections/record/decisions/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/(platform|event-log)/|^src/projections/(projection\\.ts|record/(turns|readers)/)' },
    },
    {
      name: 'platform-knows-the-orm',
      comment: 'All others send SQL through the Database of platform/sql.ts; tables are declared by it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/|^src/tables/columns\\.ts$|\\.spec\\.ts$' },
      to: { path: '(^|/)node_modules/typeorm/' },
    },
    {
      name: 'no-circles',
      comment:
        'Types count too: code that can only be understood together belongs in one file, or in a third one.',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: '\\.(spec|d)\\.ts$|/static/' },
      to: {},
    },
    {
      name: 'no-tests-in-the-product',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(test|bench)/|\\.spec\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
