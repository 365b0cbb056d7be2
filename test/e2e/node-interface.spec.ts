import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import type { DevnodeOptions } from '../../src/devnode/devnode-options.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { runShell } from '../support/page-commands.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const CHAIN = { chainId: 'interface-1', blockTimeMs: 500, daBlockTimeMs: 1_000 } satisfies DevnodeOptions;
const JSON_HEADERS = { 'content-type': 'application/json' };
const METHOD = '/evnode.v1.StoreService/GetBlock';

/** Scripts as readers of the specification write them. `$BASE` is a node, or Hindsight in its place. */
const SCRIPTS = {
  'the status of the DA layer': 'curl -s $BASE/da/health | jq -r .status',
  'what the health rests on': `curl -s $BASE/da/health | jq -S 'del(.timestamp, .hindsight)'`,
  'a loop over the submissions': `
    curl -s $BASE/da/submissions | jq -r '.submissions[] | [.timestamp, .status_code, .num_blobs, .message] | @tsv' |
      while IFS=$'\\t' read -r time status blobs message; do echo "$time $status: $blobs blobs $message"; done`,
  'a count of failures': `curl -s $BASE/da/submissions | jq '[.submissions[] | select(.status_code != "Success")] | length'`,
  'the statistics': `curl -s $BASE/da/stats | jq -S 'del(.history)'`,
  'the header of a block': `
    curl -s -X POST $BASE${METHOD} -H 'content-type: application/json' -d '{"height": 1}' | jq -S .block.header`,
  'where a block was included': `
    curl -s -X POST $BASE${METHOD} -H 'content-type: application/json' -d '{"height":"2"}' | jq -r '.headerDaHeight, .dataDaHeight'`,
  'what its services tell': `
    for call in Config.GetSignerInfo Store.GetGenesisDaHeight P2P.GetNetInfo P2P.GetPeerInfo; do
      curl -s -X POST "$BASE/evnode.v1.$(echo $call | sed 's#\\.#Service/#')" -H 'content-type: application/json' -d '{}' | jq -S -c .
    done`,
  'the state, all of it': `
    curl -s -X POST $BASE/evnode.v1.StoreService/GetState -H 'content-type: application/json' -d '{}' | jq -c '.state | keys'`,
  'a block that there is not': `
    curl -s -w '%{http_code}' -X POST $BASE${METHOD} -H 'content-type: application/json' -d '{"height": 99999999}'`,
};

/** Scripts that only a live node can answer. */
const LIVE_SCRIPTS = {
  'a whole block': `curl -s -X POST $BASE${METHOD} -H 'content-type: application/json' -d '{"height": 2}' | jq -S .`,
  'whether it lives': 'curl -sf -o /dev/null -w "%{http_code}" $BASE/health/live',
  'the content of a blob': `
    id=$(curl -s $BASE/da/submissions | jq -r '[.submissions[] | .blob_ids // empty | .[]][0]')
    curl -s "$BASE/da/blob?id=$id" | jq -S 'del(.submission)'`,
};

/** Programs that run the scripts and wait for the first answers. */
const TOOLS = ['curl', 'jq'] as const;

describe('the programs of operator scripts', () => TOOLS.forEach(itHasProgram));

(TOOLS.every(hasProgram) ? describe : describe.skip)('the interface of nodes, asked from Hindsight', () => {
  const home = new ServiceHome();
  const nodes = new Map<string, Devnode>();
  let database: TestDatabase;
  let service: ServiceProcess;

  beforeAll(async () => {
    database = await startTestDatabase();
    const start = async (id: string, options: DevnodeOptions): Promise<Devnode> => {
      const node = await startDevnode(options);
      nodes.set(id, node);
      return node;
    };
    const alpha = await start('alpha', CHAIN);
    await start('follower', { ...CHAIN, follow: alpha.url });
    await start('off', { ...CHAIN, chainId: 'interface-2', daMonitoring: 'disabled' });
    const given = [...nodes].flatMap(([id, node]) => ['--node', `${id}=${node.url}`]);
    service = home.launch(['start', ...given, '--default-node', 'alpha', '--port', '0'], {
      databaseUrl: database.url,
      env: { HINDSIGHT_POLL_CEILING: '500ms' },
    });
    await service.ready;
    alpha.faults.begin('down');
    await waitFor('failures in the list', () =>
      alpha.ring.list().some(({ status_code }) => status_code !== 'Success') ? true : undefined,
    );
    alpha.faults.end('down');
    await waitFor('inclusion after them', () =>
      alpha.ring.list()[0]?.status_code === 'Success' ? true : undefined,
    );
    // Nothing changes after this, so two answers can be compared.
    alpha.faults.begin('halted');
    await waitFor('the record of all that the nodes show', async () => {
      const asked: [string, string, RequestInit?][] = [
        ['alpha', '/da/submissions'],
        ['alpha', METHOD, postJson('{"height":"0"}')],
        ['follower', '/da/submissions'],
        ['off', '/da/submissions'],
        ['alpha', '/health/live'],
      ];
      const isSame = await Promise.all(asked.map((each) => isAnsweredAlike(...each)));
      const others = asked.filter((_, index) => !isSame[index]).map(([id, path]) => `${id}${path}`);
      if (alpha.chain.getMetadata('d') !== alpha.chain.head?.header.height) others.push('inclusion');
      if (others.length > 0) throw new Error(`not yet alike: ${others.join(', ')}`);
      return true;
    });
    await waitFor('the record that it is not ready without new blocks', async () => {
      const [own, ours] = await askBoth('alpha', '/health/ready');
      return own?.status === 503 && ours?.status === 503 ? true : undefined;
    });
    await waitFor('the record of its claim', async () => {
      const script = SCRIPTS['the status of the DA layer'];
      return (await run(script, alpha.url)) === (await run(script, base('alpha'))) ? true : undefined;
    });
  }, 240_000);

  afterAll(async () => {
    await home.clear();
    await Promise.all([...nodes.values()].map((node) => node.stop()));
    await database?.stop();
  });

  const base = (id: string): string => `${service.address}/nodes/${id}`;
  const urlOf = (id: string): string => nodes.get(id)?.url ?? '';
  const run = (script: string, url: string): Promise<string> =>
    runShell(script.replaceAll('$BASE', url), { folder: '.', url });
  const postJson = (body: string): RequestInit => ({ method: 'POST', headers: JSON_HEADERS, body });

  interface Seen {
    readonly status: number;
    readonly type: string | undefined;
    readonly text: string;
  }
  const ask = async (url: string, init?: RequestInit): Promise<Seen> => {
    const response = await fetch(url, init);
    const type = response.headers.get('content-type')?.split(';')[0];
    return { status: response.status, type, text: await response.text() };
  };
  const askBoth = (id: string, path: string, init?: RequestInit): Promise<Seen[]> =>
    Promise.all([ask(urlOf(id) + path, init), ask(base(id) + path, init)]);
  const isAnsweredAlike = async (id: string, path: string, init?: RequestInit): Promise<boolean> => {
    const [own, ours] = await askBoth(id, path, init);
    return own?.status === ours?.status && own?.text === ours?.text;
  };

  describe('as the node does', () => {
    it.each<[string, string, string, RequestInit?]>([
      ['the list of a follower', 'follower', '/da/submissions'],
      ['the list while DA monitoring is off', 'off', '/da/submissions'],
      ['the statistics while it is off', 'off', '/da/stats'],
      ['the health while it is off', 'off', '/da/health'],
      ['a blob while it is off', 'off', '/da/blob?id=ab'],
      ['the list by POST', 'alpha', '/da/submissions', { method: 'POST' }],
      ['the list by POST with a body', 'alpha', '/da/submissions', postJson('{"x":1}')],
      ['the list with unknown parameters', 'alpha', '/da/submissions?cachebust=1&_=2&a.b[]=c&d=/'],
      ['a blob without an id', 'alpha', '/da/blob'],
      ['a blob without an id, by POST', 'alpha', '/da/blob', { method: 'POST' }],
      ['a blob by an invalid id', 'alpha', '/da/blob?id=zz&cachebust=1'],
      ['an unknown path of DA monitoring', 'alpha', '/da/nothing', { method: 'POST' }],
      ['a body that is not JSON', 'alpha', METHOD, postJson('{"height"')],
      ['an empty body', 'alpha', METHOD, postJson('')],
      ['a body that is not an object', 'alpha', METHOD, postJson('[]')],
      ['no identifier', 'alpha', METHOD, postJson('{}')],
      ['a height below zero', 'alpha', METHOD, postJson('{"height":"-1"}')],
      ['a height beyond 64 bits', 'alpha', METHOD, postJson('{"height": "99999999999999999999"}')],
      ['two identifiers', 'alpha', METHOD, postJson('{"height":"1","hash":"AAAA"}')],
      ['a hash that no block has', 'alpha', METHOD, postJson('{"hash":"AAAA"}')],
      [
        'metadata from a body that is not JSON',
        'alpha',
        '/evnode.v1.StoreService/GetMetadata',
        postJson('{'),
      ],
      ['unknown metadata', 'alpha', '/evnode.v1.StoreService/GetMetadata', postJson('{"key":"no"}')],
      ['an unknown method', 'alpha', '/evnode.v1.StoreService/GetNothing', postJson('{}')],
      ['an unknown method, by GET', 'alpha', '/evnode.v1.StoreService/GetNothing'],
      ['an unknown method, by PUT', 'alpha', '/evnode.v1.StoreService/GetNothing', { method: 'PUT' }],
      ['a call by PUT', 'alpha', METHOD, { ...postJson('{"height":1}'), method: 'PUT' }],
      ['a call by PATCH', 'alpha', METHOD, { method: 'PATCH' }],
      ['a call by DELETE', 'alpha', METHOD, { method: 'DELETE' }],
      ['the list by PUT', 'alpha', '/da/submissions', { method: 'PUT' }],
      ['the list by DELETE', 'alpha', '/da/submissions', { method: 'DELETE' }],
      ['the statistics while it is off by PATCH', 'off', '/da/stats', { method: 'PATCH' }],
      ['liveness by POST', 'alpha', '/health/live', { method: 'POST' }],
      ['liveness by POST with a body', 'alpha', '/health/live', postJson('{"x":1}')],
      [
        'the list by POST with an announced empty body',
        'alpha',
        '/da/submissions',
        { method: 'POST', headers: JSON_HEADERS, body: '' },
      ],
      ['readiness by PUT with a body', 'alpha', '/health/ready', { ...postJson('{'), method: 'PUT' }],
      ['a blob by an invalid id, by PUT', 'alpha', '/da/blob?id=zz', { method: 'PUT' }],
      ['a blob by two ids', 'alpha', '/da/blob?id=zz&id=ab'],
      ['a blob by two namespaces', 'alpha', '/da/blob?id=ab&namespace=00&namespace=11'],
      ['an unknown path', 'alpha', '/nothing'],
      ['a path that ends in a slash', 'alpha', '/da/'],
      ['the list with a trailing slash', 'alpha', '/da/submissions/'],
      ['a call without a method', 'alpha', '/evnode.v1.StoreService/', postJson('{}')],
      ['an unknown path, by POST', 'alpha', '/nothing/at/all', postJson('{}')],
      ['the list by POST with a body that is not JSON', 'alpha', '/da/submissions', postJson('{')],
      [
        'the list by POST with bytes',
        'alpha',
        '/da/submissions',
        { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: 'x' },
      ],
      [
        'a call in protobuf',
        'alpha',
        METHOD,
        { method: 'POST', headers: { 'content-type': 'application/proto' }, body: 'x' },
      ],
      [
        'a call of an unknown method, in protobuf',
        'alpha',
        '/evnode.v1.StoreService/GetNothing',
        { method: 'POST', headers: { 'content-type': 'application/proto' }, body: 'x' },
      ],
      ['a call by GET', 'alpha', `${METHOD}?height=1`],
      ['a call with parameters', 'alpha', `${METHOD}?cachebust=1`, postJson('{"height":1}')],
      [
        'a call by text',
        'alpha',
        METHOD,
        { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' },
      ],
    ])('answers %s', async (...[, id, path, init]) => {
      const [own, ours] = await askBoth(id, path, init);
      // An empty body has no type from the real node, and a harmless type from Hindsight.
      expect(ours).toEqual(own?.text === '' ? { ...own, type: expect.anything() as unknown } : own);
    });

    it.each(['/da/submissions', '/da/stats', '/da/health', '/health/live', '/health/ready'])(
      'answers HEAD %s without a body',
      async (path) => {
        const [own, ours] = await askBoth('alpha', path, { method: 'HEAD' });
        expect(ours).toEqual(own);
      },
    );

    it.each(['stats', 'health'])('answers the %s of a follower', async (name) => {
      const [own, ours] = await askBoth('follower', `/da/${name}`);
      const told = JSON.parse(ours?.text ?? '') as object;
      const added = { history: expect.anything() as unknown, hindsight: expect.anything() as unknown };
      expect({ ...added, ...told, timestamp: null }).toEqual({
        ...added,
        ...(JSON.parse(own?.text ?? '') as object),
        timestamp: null,
      });
    });

    it('answers 404, as the specification has it, while DA monitoring is off', async () => {
      for (const path of ['/da/submissions', '/da/stats', '/da/health', '/da/blob?id=ab']) {
        const { status, text } = await ask(
          `${base('off')}${path}${path.includes('?') ? '&' : '?'}shape=spec`,
        );
        expect([path, status, text]).toEqual([path, 404, '404 page not found\n']);
      }
    });
  });

  describe('for requests beyond those of nodes', () => {
    const refusalOf = async (url: string, init?: RequestInit): Promise<[number, string, string]> => {
      const { status, text } = await ask(url, init);
      const [error] = (JSON.parse(text) as { errors: { message: string; extensions: { code: string } }[] })
        .errors;
      return [status, error?.extensions.code ?? '', error?.message ?? ''];
    };

    it.each([
      ['/da/submissions?limit=0', 'limit'],
      ['/da/submissions?limit=1001', 'limit'],
      ['/da/submissions?limit=x', 'limit'],
      ['/da/submissions?before=x', 'before'],
      ['/da/submissions?from=yesterday', 'from'],
      ['/da/submissions?to=2026-11', 'to'],
      ['/da/submissions?at=yesterday', 'at'],
      ['/da/submissions?at=', 'at'],
      ['/da/submissions?at=2026-11-21T00:00:00', 'at'],
      ['/da/stats?shape=other', 'shape'],
      ['/da/health?limit=5', 'limit'],
      ['/health/live?at=1', 'at'],
    ])("refuses Hindsight's own parameters when they are wrong or have no effect: %s", async (path, name) => {
      const [status, code, message] = await refusalOf(base('alpha') + path);
      expect([status, code]).toEqual([400, 'BAD_USER_INPUT']);
      expect(message).toMatch(new RegExp(`["\`]${name}["\`]`));
    });

    it.each(['nobody', 'alpha%2Fda', 'off%2F..%2Falpha', 'a'.repeat(90)])(
      'says that there is no node %s',
      async (id) => {
        const paths = [
          '/da/submissions',
          '/da/stats',
          '/da/health',
          '/da/blob?id=ab',
          '/health/live',
          '/status',
        ];
        const asked = [
          ...(await Promise.all(paths.map((path) => refusalOf(base(id) + path)))),
          await refusalOf(base(id) + METHOD, postJson('{"height":1}')),
        ];
        for (const [status, code, message] of asked) {
          expect([status, code]).toEqual([404, 'NOT_FOUND']);
          expect(message).toMatch(/no node/);
        }
      },
    );

    it('accepts an id with any percent-encoding', async () => {
      expect((await ask(`${base('%61lph%61')}/da/submissions`)).text).toBe(
        (await ask(`${base('alpha')}/da/submissions`)).text,
      );
    });

    it('answers a future time with what is known now, without proof', async () => {
      const later = `at=${new Date(Date.now() + 86_400_000).toISOString()}`;
      const now = await ask(`${base('alpha')}/da/submissions`);
      const response = await fetch(`${base('alpha')}/da/submissions?${later}`);
      expect([response.headers.get('x-hindsight-proven'), await response.text()]).toEqual([
        'false',
        now.text,
      ]);
      const block = postJson('{"height":"0"}');
      expect((await ask(`${base('alpha')}${METHOD}?${later}`, block)).text).toBe(
        (await ask(base('alpha') + METHOD, block)).text,
      );
      for (const path of ['/da/health', '/da/stats', '/health/live']) {
        const { status, headers } = await fetch(`${base('alpha')}${path}?${later}`);
        expect([path, status, headers.get('x-hindsight-proven')]).toEqual([path, 200, 'false']);
      }
    });

    it('says that nothing is on record before the first poll', async () => {
      const before = 'at=2020-01-01T00:00:00Z';
      const asked = [
        ...['/da/submissions', '/da/stats', '/da/health', '/health/live', '/health/ready'].map((path) =>
          fetch(`${base('alpha')}${path}?${before}`),
        ),
        ...['{"height":"1"}', '{"height":"0"}'].map((body) =>
          fetch(`${base('alpha')}${METHOD}?${before}`, postJson(body)),
        ),
        fetch(`${base('alpha')}/evnode.v1.StoreService/GetState?${before}`, postJson('{}')),
      ];
      for (const response of await Promise.all(asked)) {
        const { status, headers, url } = response;
        expect([url, status, headers.get('x-hindsight-proven')]).toEqual([url, 503, 'false']);
        expect(await response.text()).toMatch(/on record/);
      }
    });
  });

  it('is served at the root for the default node', async () => {
    const root = await ask(`${service.address}/da/submissions`);
    expect(root).toEqual(await ask(`${base('alpha')}/da/submissions`));
    const document = JSON.parse((await ask(`${service.address}/openapi.json`)).text) as {
      paths: Record<string, object>;
    };
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/da', '/da/submissions', '/da/blob', '/status', '/{service}/{method}']),
    );
    const { status } = await fetch(`${service.address}/da`);
    expect(status).toBe(200);
  });

  describe('by scripts', () => {
    const byName = Object.entries(SCRIPTS);

    it.each([...byName, ...Object.entries(LIVE_SCRIPTS)])(
      'returns what the node returns: %s',
      async (_, script) => {
        const [own, ours] = [await run(script, urlOf('alpha')), await run(script, base('alpha'))];
        expect(ours).toBe(own);
        expect(own.trim()).not.toBe('');
      },
    );

    it('returns the same while the node is down', async () => {
      const before = new Map<string, string>();
      for (const [name, script] of byName) before.set(name, await run(script, urlOf('alpha')));
      await nodes.get('alpha')?.stop();
      await waitFor('the record of its end', async () =>
        (await fetch(`${base('alpha')}/health/live`)).status === 503 ? true : undefined,
      );
      for (const [name, script] of byName) {
        expect([name, await run(script, base('alpha'))]).toEqual([name, before.get(name)]);
      }
    });
  });
});
