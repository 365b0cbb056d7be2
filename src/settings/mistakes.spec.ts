import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../platform/errors.js';
import { printSettings } from './effective.js';
import type { SettingSources } from './merge.js';
import { loadSettings } from './settings.js';

const from = (yaml: string, env: SettingSources['env'] = {}): SettingSources => ({
  flags: {},
  env,
  file: { name: 'hindsight.yaml', text: yaml },
});

/** Mistakes that people make, each on the third line of a file unless another is given, with the words of the error that say what to do. */
const MISTAKES: readonly (readonly [mistake: string, lines: string, words: string, line?: number])[] = [
  ['a misspelt key', 'hots: 0.0.0.0', 'hots is unknown; did you mean "host"?'],
  ['an unknown key', 'colour: red', 'colour is unknown: remove it; hindsight.example.yaml has all keys'],
  ['a tab', 'poll:\n\tfloor: 1s', 'column 1 Tabs are not allowed as indentation', 4],
  ['a repeated key', 'host: a\nhost: b', 'Map keys must be unique', 4],
  ['a colon in a text', 'host: a: b', 'Nested mappings are not allowed'],
  ['an open quote', 'host: "a', 'Missing closing "quote', 4],
  [
    'a wrong indentation',
    'poll:\n    floor: 1s\n  ceiling: 2s',
    'All mapping items must start at the same column',
    5,
  ],
  ['no unit', 'poll: { floor: 500 }', 'poll.floor must be a duration like 500ms, 15s or 5m'],
  ['a limit on its head', 'poll: { floor: 5s }', 'poll.floor must not be longer than poll.ceiling'],
  [
    'no scheme',
    'databaseUrl: localhost:5432/x',
    'databaseUrl must be a URL with postgres:// or postgresql://',
  ],
  [
    'a plain percent sign',
    'databaseUrl: postgres://me:50%@db/x',
    'must have its user and password percent-encoded (% is %25',
  ],
  [
    'an unknown sslmode',
    'databaseUrl: postgres://db/x?sslmode=yes',
    'must have an sslmode of disable, prefer, require',
  ],
  ['another database', 'databaseUrl: mysql://db/x', 'must be a URL with postgres:// or postgresql://'],
  ['a large port', 'port: 70000', 'port must be a port from 0 to 65535'],
  ['an unknown level', 'logLevel: verbose', 'logLevel must be one of'],
  ['nodes that are no list', 'nodes: { rpc: "http://a" }', 'nodes must be a list of nodes'],
  ['a node without an address', 'nodes:\n  - id: a', 'nodes[1].rpc must be given, once (also as url)', 4],
  [
    'two nodes with one id',
    'nodes: [{ id: a, rpc: "http://a" }, { id: a, rpc: "http://b" }]',
    'nodes[2].id repeats the id "a": give each node an id of its own',
  ],
  [
    'one node twice',
    'nodes: [{ id: a, rpc: "http://a" }, { id: b, rpc: "http://a" }]',
    'nodes[2].rpc repeats the address of "a": remove one',
  ],
  [
    'a name with a blank',
    'nodes: [{ id: a b, rpc: "http://a" }]',
    'nodes[1].id must be 1 to 64 letters, digits',
  ],
  ['a number with a fraction as a name', 'chains: [{ id: 1.5 }]', 'chains[1].id must be a text, in quotes'],
  ['one chain twice', 'chains: [{ id: a }, { id: a }]', 'chains[2].id repeats the id "a": join both entries'],
  [
    'a part of a public page that does not exist',
    'chains: [{ id: a, public: [state, cost] }]',
    'chains[1].public[2] must be one of state, uptime, incidents, finality',
  ],
  [
    'a public page without parts',
    'chains: [{ id: a, public: [] }]',
    'chains[1].public must name one of state, uptime, incidents, finality; leave it out to show nothing',
  ],
  [
    'a time zone that nobody has',
    'chains: [{ id: a, reportingTimeZone: MEZ2 }]',
    'must be a time zone like Europe/Berlin',
  ],
  ['a comma in a number', 'chains: [{ id: a, da: { gasPrice: "0,004" } }]', 'must be a decimal number'],
  ['a variable that is not set', 'apiKey: ${NOT_SET_1}', 'the variable NOT_SET_1 is not set'],
  ['a default of a variable', 'host: ${HOST:-0.0.0.0}', 'a variable must be written ${NAME}'],
  ['a path in the public address', 'publicUrl: https://ops.example/hindsight', 'publicUrl must have no path'],
  ['a short key', 'apiKey: secret', 'apiKey must have 16 to 200 visible characters'],
  [
    'a destination without an address',
    'alerts: { destinations: [{ id: a }] }',
    'must have one of webhook, slack',
  ],
  [
    'a rule for an unknown destination',
    'alerts: { rules: [{ name: node-unreachable, destinations: [a] }] }',
    'names an unknown destination',
  ],
];

describe('a mistake in the settings file', () => {
  it.each(MISTAKES)('is named with its line and what to do: %s', (_, lines, words, line = 3) => {
    let error: unknown;
    try {
      loadSettings(from(`# Our settings.\n\n${lines}\n`));
    } catch (thrown) {
      error = thrown;
    }
    if (!(error instanceof UserError)) throw new Error('the mistake was accepted');
    expect(error.exitCode).toBe(2);
    expect(error.message).toMatch(new RegExp(`hindsight\\.yaml line ${line}\\b`));
    expect(error.message).toContain(words);
    expect(error.remedy).toContain('hindsight config check');
  });

  it('is one of several that are named at once', () => {
    const load = () => loadSettings(from('port: x\nhost: ${NONE}\nlogLevel: y', { HINDSIGHT_ROLE: 'z' }));
    for (const words of [
      'line 1: port',
      'line 2: the variable NONE',
      'line 3: logLevel',
      'HINDSIGHT_ROLE must',
    ])
      expect(load).toThrow(words);
  });
});

describe('secrets in the settings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-secrets-'));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  afterAll(() => rmSync(folder, { recursive: true }));

  it('come from variables that the file names, in any text', () => {
    const yaml = `
port: \${PORT}
nodes: [{ id: "\${NAME}-1", rpc: "http://me:\${PASSWORD}@a", headers: { x-token: "\${PASSWORD}", x-plain: "$\${A}" } }]
`;
    const { port, nodes } = loadSettings(from(yaml, { PORT: '4401', NAME: 'n', PASSWORD: 's3cret\n' }));
    expect(port).toBe(4401);
    expect(nodes).toMatchObject([{ id: 'n-1', headers: { 'x-token': 's3cret', 'x-plain': '${A}' } }]);
  });

  it('come from files that variables name', () => {
    const env = {
      DATABASE_URL_FILE: write('database', 'postgres://me:s3cret@db/x\n'),
      DATABASE_READ_URL_FILE: write('replica', 'postgres://me:s3cret@replica/x'),
      REDIS_URL_FILE: write('redis', 'redis://:s3cret@redis'),
      HINDSIGHT_API_KEY_FILE: write('key', 'a-key-of-16-chars\n'),
      HINDSIGHT_NODES_FILE: write('nodes', 'a=http://a:1\nb=http://b:1\n'),
    };
    expect(loadSettings({ flags: {}, env, file: undefined })).toMatchObject({
      databaseUrl: 'postgres://me:s3cret@db/x',
      databaseReadUrl: 'postgres://me:s3cret@replica/x',
      redisUrl: 'redis://:s3cret@redis',
      apiKeys: ['a-key-of-16-chars'],
      nodes: [{ id: 'a' }, { id: 'b' }],
    });
  });

  it('are refused if a file is missing, empty or wrong, or given twice', () => {
    const env = {
      DATABASE_URL: 'postgres://db/x',
      DATABASE_URL_FILE: write('database', 'postgres://db/x'),
      DATABASE_READ_URL_FILE: join(folder, 'none'),
      REDIS_URL_FILE: write('empty', '\n'),
      HINDSIGHT_API_KEY_FILE: write('short', 'short'),
    };
    const load = () => loadSettings({ flags: {}, env, file: undefined });
    for (const words of [
      'DATABASE_URL and DATABASE_URL_FILE are both set: unset one',
      'DATABASE_READ_URL_FILE must name a file that this account may read (ENOENT)',
      'REDIS_URL_FILE names an empty file',
      'HINDSIGHT_API_KEY_FILE must have 16 to 200 visible characters',
    ])
      expect(load).toThrow(words);
  });

  it('are masked where the settings are printed, with the source of each', () => {
    const yaml = `
nodes: [{ id: 12, rpc: "http://me:s3cret@a", headers: { x-token: s3cret }, daNode: { url: "http://d", token: s3cret } }]
poll: { floor: 300ms }
apiKeys: [s3cret-s3cret-s3cret]
alerts:
  heartbeat: "https://a/s3cret"
  destinations:
    - { id: w, webhook: "https://b/s3cret", secret: s3cret-s3cret-s3cret }
    - { id: am, alertmanager: "http://me:s3cret@am:9093/s3cret" }
    - { id: p, pagerduty: s3crets3crets3crets3crets3cretab }
    - { id: t, telegram: -100, token: "1:s3crets3crets3crets3cret", url: "https://c/s3cret" }
    - { id: ms, teams: "https://d/s3cret?sig=s3cret" }
    - { id: m, email: ops@example.org, from: us@example.org, smtp: "smtps://u:s3cret@mail.example.org" }
`;
    const env = {
      DATABASE_URL_FILE: write('database', 'postgres://me:s3cret@db/x'),
      HINDSIGHT_API_KEY: 's3cret-s3cret-s3cret',
    };
    const sources = { ...from(yaml, env), flags: { port: '1' } };
    loadSettings(sources);
    const printed = printSettings(sources);
    expect(printed).not.toContain('s3cret');
    for (const line of [
      'port: "1" # --port',
      'databaseUrl: postgres://me:***@db/x # DATABASE_URL_FILE',
      'apiKey: "***" # HINDSIGHT_API_KEY',
      '  floor: 300ms # hindsight.yaml line 3',
      '  ceiling: 2s # default',
      '      webhook: https://b/***',
      '      alertmanager: http://am:9093/***',
      '      pagerduty: "***"',
      '      telegram: -100',
      '      teams: https://d/***',
      '      email: ops@example.org',
      '      smtp: smtps://mail.example.org/***',
      '    rpc: http://me:***@a',
    ])
      expect(printed.split('\n')).toContain(line);
  });
});
