import { readFileSync, writeFileSync } from 'node:fs';
import fastify from 'fastify';
import { parse } from 'yaml';
import { UserError } from '../platform/errors.js';
import { readSettingsFile } from './settings-file.js';
import { DEFAULT_THRESHOLDS } from '../domain/health/health-thresholds.js';
import { findSecretFlags, SETTINGS, settingsFileSchema, settingsTable } from './setting-list.js';
import type { SettingSources } from './merge.js';
import { loadSettings, type Settings } from './settings.js';

const load = (sources: Partial<SettingSources> & { yaml?: string }): Settings => {
  const { yaml, ...rest } = sources;
  const file = yaml === undefined ? undefined : { name: 'hindsight.yaml', text: yaml };
  return loadSettings({ flags: {}, env: {}, file, ...rest });
};

const complaint = (sources: Parameters<typeof load>[0]): string => {
  try {
    load(sources);
  } catch (error) {
    if (error instanceof UserError && error.exitCode === 2) return error.message;
    throw error;
  }
  return '';
};

describe('settings', () => {
  it('have defaults that need no file', () => {
    expect(load({ flags: { node: ['http://localhost:7331'] }, needsNodes: true })).toMatchObject({
      nodes: [{ id: 'localhost-7331', url: 'http://localhost:7331', record: 'none', backfillFrom: 'first' }],
      host: '127.0.0.1',
      port: 4400,
      dataDir: '.hindsight',
      poll: { floorMs: 500, ceilingMs: 2_000 },
      logBudget: 1e9,
      role: 'all',
      shard: { index: 1, count: 1 },
      logLevel: 'info',
    });
  });

  it('come from a flag before a variable before the file', () => {
    const yaml = 'port: 1\ndataDir: file\npoll: { floor: 200ms }';
    const env = { HINDSIGHT_PORT: '2', HINDSIGHT_DATA_DIR: 'variable', HINDSIGHT_ROLE: '' };
    expect(load({ flags: { port: '3' }, env, yaml })).toMatchObject({
      port: 3,
      dataDir: 'variable',
      poll: { floorMs: 200 },
      role: 'all',
    });
  });

  it('read everything that the file may contain', () => {
    const yaml = `
nodes:
  - id: alpha
    chain: alpha-1
    rpc: https://me:pa%20ss@rpc.example/base/
    status: http://you:two@localhost:26657/
    service: evnode.v1
    headers: { x-token: abc }
    statusHeaders: { x-status: def }
    record: { transactions: full }
    backfillFrom: 12
chains:
  - id: alpha-1
    reportingTimeZone: Asia/Kathmandu
    da: { layer: celestia, gasPrice: 0.004 }
    thresholds: { frozenAfter: 1m, failingCount: 7 }
    public: [state, incidents]
`;
    const settings = load({ yaml });
    expect(settings.nodes).toEqual([
      {
        id: 'alpha',
        chain: 'alpha-1',
        url: 'https://rpc.example/base',
        statusUrl: 'http://localhost:26657',
        statusHeaders: { authorization: 'Basic eW91OnR3bw==', 'x-status': 'def' },
        service: 'evnode.v1',
        headers: { authorization: 'Basic bWU6cGEgc3M=', 'x-token': 'abc' },
        record: 'full',
        backfillFrom: 12n,
      },
    ]);
    expect(settings.chains).toEqual([
      {
        id: 'alpha-1',
        reportingTimeZone: 'Asia/Kathmandu',
        da: { layer: 'celestia', gasPrice: '0.004' },
        thresholds: { frozenAfterMs: 60_000, failingCount: 7 },
        public: ['state', 'incidents'],
      },
    ]);
  });

  it('read the price of a DA layer, as flat text', () => {
    const yaml = `
chains:
  - id: alpha-1
    da:
      signer: true
      fiat: { unit: EUR, perTia: 1.23 }
      gasPrice: 0.004
      prices:
        - { from: 2026-01-01, gasPrice: "0.0000001" }
        - { from: 2026-03-01T12:00:00+01:00, fiat: { unit: EUR, perTia: 1.5 }, fixedGas: 80000 }
  - id: beta-1
    da: { prices: [] }
`;
    const [alpha, beta] = load({ yaml }).chains;
    expect(alpha?.da).toEqual({
      gasPrice: '0.004',
      fiatUnit: 'EUR',
      fiatPerTia: '1.23',
      signer: 'true',
      prices: JSON.stringify([
        { from: '2026-01-01T00:00:00.000Z', gasPrice: '0.0000001' },
        { from: '2026-03-01T11:00:00.000Z', fiat: { unit: 'EUR', perTia: '1.5' }, fixedGas: '80000' },
      ]),
    });
    expect(beta?.da).toEqual({});
  });

  it('read names that are numbers as they are written', () => {
    const yaml = `
defaultNode: 7
nodes: [{ id: 7, chain: 1234, rpc: http://a, headers: { x-version: 2 } }, { id: 007, chain: 0x1F, rpc: http://b }]
chains: [{ id: 1234 }, { id: 12345678901234567890, da: { gasPrice: 1.0 }, thresholds: { failingCount: 7.0 } }]
alerts: { rules: [{ name: 12, hindsight: not-ready, for: 1m }, { name: r, pending: { above: 5 }, chains: [1234] }] }
`;
    const { nodes, chains, alerts, defaultNode } = load({ yaml });
    expect(defaultNode).toBe('7');
    expect(nodes).toMatchObject([
      { id: '7', chain: '1234', headers: { 'x-version': '2' } },
      { id: '007', chain: '0x1F' },
    ]);
    expect(chains).toMatchObject([
      { id: '1234' },
      { id: '12345678901234567890', da: { gasPrice: '1.0' }, thresholds: { failingCount: 7 } },
    ]);
    expect(alerts.rules.map(({ name, scope }) => [name, scope?.chains])).toEqual(
      expect.arrayContaining([
        ['12', undefined],
        ['r', ['1234']],
      ]),
    );
    expect(complaint({ yaml: 'chains: [{ id: 1.5 }, { id: true }]' })).toBe(
      'Wrong settings: hindsight.yaml line 1: chains[1].id must be a text, in quotes; hindsight.yaml line 1: chains[2].id must be a text, in quotes.',
    );
  });

  it('name every error in the prices at once', () => {
    const yaml = `
chains:
  - id: alpha-1
    da:
      fiat: { unit: euro, perTia: -1 }
      prices:
        - { from: 2026-03-01, gasPrice: -0.1 }
        - { from: 2026-02-01, fixedGas: 1.5 }
        - { from: 2026-03-01T01:00:00+01:00, gasPrise: 1 }
        - { from: 2026-02-31, gasPrice: 1 }
        - { from: 2026-04-01 }
`;
    const message = complaint({ yaml });
    for (const fault of [
      'chains[1].da.fiat.unit must be a currency',
      'chains[1].da.fiat.perTia must be a decimal',
      'chains[1].da.prices[1].gasPrice must be a decimal',
      'chains[1].da.prices[2].fixedGas must be a whole number',
      'chains[1].da.prices[2].from must be later than the entry before it',
      'chains[1].da.prices[3].from is given twice',
      'chains[1].da.prices[3].gasPrise is unknown; did you mean "gasPrice"?',
      'chains[1].da.prices[4].from must be a time',
      'chains[1].da.prices[5] must set something',
    ]) {
      expect(message).toContain(fault);
    }
  });

  it('name every error at once, by the name under which it was given', () => {
    const yaml = `
prot: 4400
nodes:
  - { id: a b, rpc: ftp://x, chian: c }
  - { id: ok }
chains:
  - { id: c, reportingTimeZone: Mars/Olympus, da: { gasPrice: -1 }, thresholds: { frozenAftr: 1s, slowAfter: 3 } }
poll: { flor: 1s, ceiling: soon }
`;
    const flags = { port: '70000', shard: '5/4', logBudget: '12 cups' };
    const env = { HINDSIGHT_ROLE: 'king', DATABASE_URL: 'mysql://db' };
    const message = complaint({ yaml, flags, env });
    for (const fault of [
      'prot is unknown; did you mean "port"?',
      'nodes[1].id must be 1 to 64 letters',
      'nodes[1].rpc must be a URL with http:// or https://',
      'nodes[1].chian is unknown; did you mean "chain"?',
      'chains[1].reportingTimeZone must be a time zone',
      'chains[1].da.gasPrice must be a decimal',
      'chains[1].thresholds.frozenAftr is unknown; did you mean "frozenAfter"?',
      'chains[1].thresholds.slowAfter must be a duration like 15s',
      'poll.flor is unknown; did you mean "floor"?',
      'poll.ceiling must be a duration',
      '--port must be a port',
      '--shard must be like 2/4',
      '--log-budget must be a number of bytes from 1MB to 1000GB',
      'HINDSIGHT_ROLE must be one of all',
      'DATABASE_URL must be a URL with postgres://',
    ]) {
      expect(message).toContain(fault);
    }
  });

  it('name conflicts in addition to single errors, and compare no wrong values', () => {
    const yaml =
      'nodes: [{ id: a, rpc: http://a:1 }, { id: A, rpc: http://b:1 }]\npoll: { floor: 5ms, ceiling: soon }';
    const flags = { role: 'api', port: 'x' };
    expect(
      complaint({ yaml, flags })
        .replace(/^Wrong settings: |\.$/g, '')
        .split('; '),
    ).toEqual([
      '--port must be a port from 0 to 65535',
      'hindsight.yaml line 2: poll.ceiling must be a duration like 500ms, 15s or 5m',
      'hindsight.yaml line 1: nodes[2].id repeats the id "A": give each node an id of its own',
      'hindsight.yaml line 2: poll.floor must be at least 10ms',
      '--role needs a DATABASE_URL, as the embedded database serves one process',
    ]);
    const wrong = 'nodes: [{ id: a, rpc: http://a:1 }, { id: a, rpc: ftp://b }]';
    expect(complaint({ yaml: wrong, flags: { role: 'king' } })).toMatch(
      /^Wrong settings: hindsight\.yaml line 1: nodes\[2\]\.rpc must be a URL with [^;]+; --role must be one of [^;]+$/,
    );
  });

  it('read reports by mail, to destinations of alerts that have a mail address', () => {
    const read = (reports: string): string => `
alerts:
  destinations:
    - { id: books, email: books@example.org, smtp: "smtp://mail.example.org", from: us@example.org }
    - { id: hook, webhook: https://ops.example/x }
reports: ${reports}
`;
    const yaml = read('[{ mail: books }, { mail: books, by: quarter, chains: prod-*, locale: de }]');
    expect(load({ yaml }).reports).toEqual([
      { mail: 'books', by: 'MONTH', locale: 'en' },
      { mail: 'books', by: 'QUARTER', chains: ['prod-*'], locale: 'de' },
    ]);
    const said = complaint({ yaml: read('[{ mail: hook }, { mail: nobody }, { mail: books, by: week }]') });
    expect(said).toContain('reports[3].by must be one of month, quarter');
    expect(complaint({ yaml: read('[{ mail: hook }]') })).toContain(
      'reports[1].mail must be the id of a destination with email under alerts.destinations',
    );
  });

  it('read the certificates of a node, and name what they need', () => {
    const { nodes } = load({
      yaml: 'nodes: [{ rpc: https://a, caFile: ca.pem, certFile: c.pem, keyFile: k.pem }]',
    });
    expect(nodes).toMatchObject([{ tls: { caFile: 'ca.pem', certFile: 'c.pem', keyFile: 'k.pem' } }]);
    for (const [node, words] of [
      ['rpc: http://a, caFile: ca.pem', 'nodes[1].caFile needs an https:// address'],
      ['rpc: https://a, certFile: c.pem', 'nodes[1].certFile needs a keyFile'],
      ['rpc: https://a, keyFile: k.pem', 'nodes[1].keyFile needs a certFile'],
    ])
      expect(complaint({ yaml: `nodes: [{ ${node} }]` })).toContain(words);
  });

  it('name a node without an address', () => {
    expect(complaint({ yaml: 'nodes: [{ id: ok }]' })).toContain('nodes[1].rpc must be given');
    expect(complaint({ yaml: 'nodes: [{ rpc: "http://me:50%@a" }]' })).toContain(
      'nodes[1].rpc must have its user and password percent-encoded',
    );
    expect(complaint({ yaml: 'nodes: [{ rpc: http://a, statusHeaders: { x: y } }]' })).toContain(
      'nodes[1].statusHeaders needs a status address',
    );
    expect(complaint({ yaml: 'nodes: [{ rpc: http://a, url: http://a }]' })).toContain(
      'nodes[1].rpc must be given',
    );
  });

  it('say how to write a password with special characters', () => {
    const load = (url: string) => complaint({ env: { DATABASE_URL: url, REDIS_URL: 'redis://:50%25@r' } });
    expect(load('postgres://me:50%@db/x')).toMatch(/DATABASE_URL must have .* percent-encoded \(% is %25/);
    expect(load('postgres://me:%E0%A4@db/x')).toContain('percent-encoded');
    expect(load('postgres://me:a/b@db/x')).toMatch(/DATABASE_URL must be a valid URL, .* \/ is %2F/);
    expect(load('postgres://me:50%25%2F@db/x')).toBe('');
  });

  it('never print a secret, even a broken one', () => {
    const secret = 'hunter2-hunter2';
    const env = {
      DATABASE_URL: `postgre://me:${secret}@db/x`,
      REDIS_URL: `http://:${secret}@redis`,
      HINDSIGHT_API_KEY: `${secret} with a space`,
    };
    const yaml = `
apiKeys: ["${secret}"]
nodes: [{ rpc: "ftp://me:${secret}@host", headers: { authorization: "${secret}\\nx" } }]
`;
    const message = complaint({ env, yaml, flags: {} });
    expect(message).toContain('HINDSIGHT_API_KEY must have');
    expect(message).toContain('apiKeys[1] must have');
    expect(message).not.toContain(secret);
    expect(complaint({ yaml: `apiKey: "${secret}\n  oops` })).not.toContain(secret);
    expect(complaint({ flags: { node: [`ftp://me:${secret}@host`] } })).not.toContain(secret);
  });

  it('make an id of an address without the key in it', () => {
    const key = '9aa3d95b3bc440fa88ea12eaa4456161';
    const [one, two, three] = load({
      flags: {
        node: [`https://rpc.example/v3/${key}`, `https://rpc.example/v3/${key}0`, 'https://h:1/base'],
      },
    }).nodes;
    expect(one).toMatchObject({
      id: expect.stringMatching(/^rpc\.example-v3-[0-9a-f]{8}$/) as unknown,
      url: `https://rpc.example/v3/${key}`,
    });
    expect(two?.id).not.toBe(one?.id);
    expect(three).toMatchObject({ id: 'h-1-base' });
  });

  it('know which flags were given a password', () => {
    const flags = {
      databaseUrl: 'postgres://me:s3cret@db/x',
      redisUrl: 'redis://r:6379',
      node: ['http://h:1', 'a=https://h/9aa3d95b3bc440fa88ea12eaa4456161'],
    };
    expect(findSecretFlags(flags)).toEqual([
      '--database-url (use DATABASE_URL, or databaseUrl in the settings file)',
      '--node (use HINDSIGHT_NODES, or nodes in the settings file)',
    ]);
    expect(findSecretFlags({ redisUrl: 'redis://:s3cret@r' })).toHaveLength(1);
    expect(findSecretFlags({ databaseUrl: 'postgres://me@db/x', node: ['http://h'] })).toEqual([]);
    // Every setting that takes a server's address is marked as a possible password.
    const servers = SETTINGS.filter(({ key }) => /url$/i.test(key));
    expect(servers.map(({ secretInUrl }) => secretInUrl)).toEqual(servers.map(() => true));
  });

  it.each([
    ['the same id', ['a=http://one:1', 'A=http://two:2'], '--node[2] the ID before = repeats the id "A"'],
    ['the same address', ['a=http://one:1/', 'b=http://ONE:1'], '--node[2] repeats the address of "a"'],
    ['the same computer', ['a=http://localhost:1', 'b=http://127.0.0.1:1'], 'repeats the address of "a"'],
  ])('refuse two nodes with %s', (_, node, problem) => {
    expect(complaint({ flags: { node } })).toContain(problem);
  });

  it('do not treat a query-like equals sign in a URL as an id', () => {
    expect(load({ flags: { node: ['b=http://h/x=y'] } }).nodes[0]).toMatchObject({
      id: 'b',
      url: 'http://h/x=y',
    });
    expect(
      load({ env: { HINDSIGHT_NODES: 'a=http://h:1  http://h:2' } }).nodes.map((node) => node.id),
    ).toEqual(['a', 'h-2']);
    expect(complaint({ flags: { node: ['=http://h'] } })).toContain('--node[1] the ID before =');
    expect(complaint({ flags: { node: ['..=http://h'] } })).toContain('--node[1] the ID before =');
    expect(complaint({ env: { HINDSIGHT_NODES: 'http://a b=ftp://h' } })).toContain(
      'Wrong settings: HINDSIGHT_NODES[2] must be a URL with http:// or https://.',
    );
  });

  it('read how often a client may send requests, from 0 for no limit', () => {
    expect(load({}).rateLimit).toBe(6000);
    expect(load({ env: { HINDSIGHT_RATE_LIMIT: '0' } }).rateLimit).toBe(0);
    expect(load({ yaml: 'rateLimit: 120' }).rateLimit).toBe(120);
    for (const wrong of ['-1', '1.5', 'many', '9999999999']) {
      expect(complaint({ env: { HINDSIGHT_RATE_LIMIT: wrong } })).toContain(
        'HINDSIGHT_RATE_LIMIT must be a whole',
      );
    }
  });

  it('read origins as a text with blanks or as a list, exactly as browsers name them', () => {
    expect(load({}).corsOrigins).toEqual([]);
    const env = { HINDSIGHT_CORS_ORIGINS: ' https://dash.example.org  http://localhost:3000 ' };
    expect(load({ env }).corsOrigins).toEqual(['https://dash.example.org', 'http://localhost:3000']);
    expect(load({ yaml: 'corsOrigins: [https://a.example]' }).corsOrigins).toEqual(['https://a.example']);
    for (const wrong of [
      '*',
      'null',
      'https://a.example/',
      'https://A.example',
      'https://a.example:443',
      'a.example',
      'file://',
    ]) {
      expect(complaint({ yaml: `corsOrigins: ["${wrong}"]` })).toContain('must be origins like');
      expect(complaint({ env: { HINDSIGHT_CORS_ORIGINS: wrong } })).toContain('must be origins like');
    }
  });

  it('say how to name a node if a node is needed', () => {
    expect(complaint({ needsNodes: true })).toContain('--node URL');
    const api = { role: 'api', databaseUrl: 'postgres://db/x' };
    expect(load({ needsNodes: true, flags: api }).nodes).toEqual([]);
    expect(complaint({ flags: { role: 'api' } })).toContain('role needs a DATABASE_URL');
  });

  it('accept a replica for queries in addition to a database, and not without one', () => {
    const env = { DATABASE_URL: 'postgres://db/x', DATABASE_READ_URL: 'postgres://replica/x' };
    expect(load({ env })).toMatchObject({ databaseReadUrl: 'postgres://replica/x' });
    expect(load({ yaml: 'databaseUrl: postgres://db/x' }).databaseReadUrl).toBeUndefined();
    expect(complaint({ flags: { databaseReadUrl: 'postgres://replica/x' } })).toContain(
      '--database-read-url needs a DATABASE_URL',
    );
    expect(complaint({ env: { ...env, DATABASE_READ_URL: 'replica' } })).toContain('DATABASE_READ_URL');
  });

  it('say where a file is no valid YAML, and what a file must be', () => {
    expect(complaint({ yaml: 'port: 1\nport: 2' })).toMatch(/hindsight\.yaml line 2, column 1/);
    expect(complaint({ yaml: '- 1' })).toContain('hindsight.yaml must have keys at its top level');
    expect(load({ yaml: '' }).port).toBe(4400);
    expect(load({ yaml: 'nodes:\npoll:\n' }).nodes).toEqual([]);
  });

  it('report a missing file that was requested, but not the usual one', () => {
    expect(readSettingsFile(undefined, '/nowhere')).toBeUndefined();
    expect(() => readSettingsFile('other.yaml', '/nowhere')).toThrow(
      'Cannot read the settings file other.yaml',
    );
  });

  it('are shown by the example file, which is right', () => {
    const text = readFileSync('hindsight.example.yaml', 'utf8');
    expect(load({ yaml: text }).nodes.map((node) => node.id)).toEqual(['alpha-sequencer', 'alpha-follower']);
    // Every line that is commented out is valid as well.
    const all = text.replace(/^( *)#= ?/gm, '$1');
    expect(load({ yaml: all })).toMatchObject({ port: 4400, logLevel: 'info' });
  });

  it('have a schema for editors, which accepts the example file and no unknown key', async () => {
    const schema = settingsFileSchema();
    const written = `${JSON.stringify(schema, null, 2)}\n`;
    if (process.env['UPDATE_SCHEMA'] === '1') writeFileSync('hindsight.schema.json', written);
    expect(readFileSync('hindsight.schema.json', 'utf8')).toBe(written);
    const customOptions = { removeAdditional: false, coerceTypes: false, strictTypes: false } as const;
    const app = fastify({ ajv: { customOptions } });
    app.post('/', { schema: { body: schema } }, () => '');
    const statusOf = async (payload: object) =>
      (await app.inject({ method: 'POST', url: '/', payload })).statusCode;
    const text = readFileSync('hindsight.example.yaml', 'utf8');
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/hindsight\.schema\.json\n/);
    expect(await statusOf(parse(text) as object)).toBe(200);
    expect(await statusOf(parse(text.replace(/^( *)#= ?/gm, '$1')) as object)).toBe(200);
    expect(await statusOf({ prot: 4400 })).toBe(400);
    expect(await statusOf({ poll: { floor: '1s' }, logLevel: 'loud' })).toBe(400);
  });

  it('make a table with a flag, a variable and a key for each', () => {
    expect(settingsTable()).toContain('| `--poll-floor` | `HINDSIGHT_POLL_FLOOR` | `poll.floor` | `500ms` |');
  });

  it('accept every threshold of the health rules, lengths of time without the unit in the name', () => {
    const lines = Object.keys(DEFAULT_THRESHOLDS).map((name) =>
      name.endsWith('Ms') ? `${name.slice(0, -2)}: 7s` : `${name}: 7`,
    );
    const [chain] = load({ yaml: `chains: [{ id: c, thresholds: { ${lines.join(', ')} } }]` }).chains;
    expect(chain?.thresholds).toEqual(
      Object.fromEntries(
        Object.keys(DEFAULT_THRESHOLDS).map((name) => [name, name.endsWith('Ms') ? 7_000 : 7]),
      ),
    );
  });

  it('accept a file that says whether a node runs Raft, and report that this is not needed', () => {
    const yaml = 'nodes: [{ rpc: "http://a:1" }, { rpc: "http://b:1", raft: true }]';
    const { nodes, unused } = load({ yaml });
    expect(unused).toEqual(['nodes[2].raft']);
    expect(nodes[1]).not.toHaveProperty('raft');
    expect(load({ flags: { node: ['http://a:1'] } }).unused).toEqual([]);
  });
});
