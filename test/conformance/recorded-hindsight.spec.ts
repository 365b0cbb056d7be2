import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { startReplayNode, type ReplayNode } from '../support/replay-node.js';
import { loadSamples, type Sample } from '../support/samples-node.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const NODES = ['aggregator', 'follower'] as const;
/** The time of the samples: the DA layer answers again after an outage, and blocks are included. */
const MOMENT_MS = 100_000;

const SAMPLES = loadSamples().filter(
  ({ node, status }) => NODES.some((name) => name === node) && status !== undefined,
);

/** Differences between Hindsight's answers and the node's, by reason. */
const DIFFERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'it tells more, under names of its own': {
    'aggregator: stats of the aggregator': ['with .history'],
    'aggregator: gzip asked for': ['with .history'],
    'aggregator: health of the aggregator': ['without .issues[]', 'with .hindsight'],
    'follower: stats of the follower': ['with .history'],
    'follower: health of the follower': ['with .hindsight'],
  },
  'the replayed node has no peers': Object.fromEntries(
    NODES.map((node) => [`${node}: peers`, ['without .peers']]),
  ),
  'the recorder did not ask for blobs, so that the replayed node has none': {
    ...Object.fromEntries(
      ['one blob', 'one blob, no namespace'].map((about) => [
        `aggregator: ${about}`,
        ['without .content', 'without .content_preview', 'with .submission'],
      ]),
    ),
    'follower: one blob, asked of a follower': ['503 application/json instead of 200 application/json'],
  },
  'the block was included only after the sample': {
    'aggregator: a block with both DA heights': ['with .headerDaHeight', 'with .dataDaHeight'],
  },
  'the record finds a block by what the next one names it, where the node knows the signed header alone': {
    'aggregator: by hash: lastHeaderHash of the latest': [
      '200 application/json instead of 500 application/json',
    ],
  },
  'a text says why': {
    'aggregator: wrong content type': ['415 text/plain instead of 415 no type'],
    'aggregator: by GET': ['405 text/plain instead of 405 no type'],
  },
  'it serves nodes of every release under the path that their clients ask': Object.fromEntries(
    ['node', 'rollkit'].map((name) => [
      `aggregator: other prefix: ${name}.v1`,
      ['200 application/json instead of 404 text/plain'],
    ]),
  ),
};

/** The parts of an answer that do not depend on its values: its status, its type, and the members of its JSON. */
interface Form {
  readonly kind: string;
  /** Types of each member by its path; elements of a list count as one, and null as any type. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
}

function formOf(status: number | undefined, type: string | null | undefined, body: string): Form {
  const plain = type?.split(';')[0] ?? 'no type';
  const members = new Map<string, Set<string>>();
  const add = (value: unknown, path: string): void => {
    const types = members.get(path) ?? new Set();
    members.set(path, types);
    if (typeof value !== 'object') types.add(typeof value);
    else if (Array.isArray(value)) for (const element of value) add(element, `${path}[]`);
    else for (const [name, member] of Object.entries(value ?? {})) add(member, `${path}.${name}`);
  };
  if (plain === 'application/json' && body !== '') add(JSON.parse(body), '');
  return { kind: `${status} ${plain}`, members };
}

/** Members of only one of two answers, without those nested inside. */
function compare(node: Form, ours: Form): string[] {
  if (node.kind !== ours.kind) return [`${ours.kind} instead of ${node.kind}`];
  const lone = (some: Form, others: Form): string[] =>
    [...some.members.keys()].filter((path) => !others.members.has(path) && others.members.has(outerOf(path)));
  const others = [...node.members].filter(([path, types]) => {
    const own = ours.members.get(path);
    return own && own.size > 0 && types.size > 0 && ![...types].some((type) => own.has(type));
  });
  return [
    ...lone(node, ours).map((path) => `without ${path}`),
    ...lone(ours, node).map((path) => `with ${path}`),
    ...others.map(([path]) => `another type of ${path}`),
  ];
}

function outerOf(path: string): string {
  return path.replace(/(\[\]|\.[^.[]*)$/, '');
}

describe('Hindsight in place of recorded nodes', () => {
  const home = new ServiceHome();
  const replays: ReplayNode[] = [];
  let database: TestDatabase;
  let service: ServiceProcess;

  beforeAll(async () => {
    database = await startTestDatabase();
    for (const file of NODES) {
      const replay = await startReplayNode({ file, now: () => MOMENT_MS });
      replays.push(replay);
    }
    const given = NODES.flatMap((id, index) => ['--node', `${id}=${replays[index]?.url}`]);
    service = home.launch(['start', ...given, '--port', '0'], { databaseUrl: database.url });
    await service.ready;
    await waitFor('all that they show', async () => {
      const answers = await Promise.all(
        NODES.flatMap((id) => [
          ask(id, { method: 'GET', path: '/da/health' }),
          ask(id, { method: 'GET', path: '/health/ready' }),
          call(id, 'StoreService/GetBlock', { height: '154' }),
          call(id, 'StoreService/GetState'),
          call(id, 'StoreService/GetP2PStoreInfo'),
          call(id, 'StoreService/GetMetadata', { key: 'd' }),
          call(id, 'ConfigService/GetNamespace'),
          // Recorded last.
          call(id, 'P2PService/GetNetInfo'),
        ]),
      );
      return answers.every(({ kind }) => kind.startsWith('200 ')) ? true : undefined;
    });
  }, 240_000);

  afterAll(async () => {
    await home.clear();
    await Promise.all(replays.map((replay) => replay.close()));
    await database?.stop();
  });

  const ask = async (
    id: string,
    { method, path, request, headers }: Pick<Sample, 'method' | 'path' | 'request' | 'headers'>,
  ): Promise<Form> => {
    const body = typeof request === 'string' ? request : JSON.stringify(request);
    const response = await fetch(`${service.address}/nodes/${id}${path}`, {
      method,
      ...(request !== undefined && { body, headers: { 'content-type': 'application/json', ...headers } }),
    });
    return formOf(response.status, response.headers.get('content-type'), await response.text());
  };

  const call = (id: string, name: string, request: object = {}): Promise<Form> =>
    ask(id, { method: 'POST', path: `/evnode.v1.${name}`, request });

  it('answers each recorded request as the node did, except for stated reasons', async () => {
    const differing: Record<string, string[]> = {};
    for (const sample of SAMPLES) {
      const node = formOf(sample.status, sample.type, sample.body ?? '');
      const found = compare(node, await ask(sample.node, sample));
      if (found.length > 0) differing[`${sample.node}: ${sample.about}`] = found;
    }
    expect(SAMPLES.length).toBeGreaterThan(60);
    expect(differing).toEqual(Object.assign({}, ...Object.values(DIFFERS)));
  });
});
