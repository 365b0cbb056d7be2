import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { EXPORT_NAMES } from '../../src/api/export/exports.js';
import { EXPORT_FORMATS } from '../../src/api/export/export-column.js';
import { findFaults, findRestFaults, type Reply } from '../support/question-fuzzer/findings.js';
import { QuestionMaker, type Question } from '../support/question-fuzzer/random-question.js';
import {
  RequestMaker,
  type RestDocument,
  type RestRequest,
} from '../support/question-fuzzer/random-request.js';
import { seededRandom } from '../support/seeded-random.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const SECONDS = Number(process.env['HINDSIGHT_FUZZ_SECONDS'] ?? 30);
const SEED = Number(process.env['HINDSIGHT_FUZZ_SEED'] ?? 1);
const ASKERS = 4;
const PATIENCE_MS = 120_000;

/** Lists whose cursors are tried as well. */
const CURSOR_LISTS = ['submissions', 'blocks', 'losses', 'events'];

/** Fields that random arguments seldom make return anything. */
const NEVER_SURE = ['block', 'submission', 'whatIf', 'priceBook'];

/** Files of the routes with file names. */
const FILES = [
  ...EXPORT_NAMES.flatMap((name) => EXPORT_FORMATS.map((format) => `${name}.${format}`)),
  'ide.js',
  'ide.css',
];

describe(`a service under random queries (seed ${SEED})`, () => {
  const home = new ServiceHome();
  let node: Devnode;
  let service: ServiceProcess;
  let incident: string;

  beforeAll(async () => {
    node = await startDevnode({ chainId: 'fuzz-1', blockTimeMs: 300, daBlockTimeMs: 600 });
    // Port 1 has no server, which makes an incident that queries can name.
    const watched = [`dev=${node.url}`, 'dead=http://127.0.0.1:1'];
    service = home.launch(['start', ...watched.flatMap((each) => ['--node', each]), '--port', '0']);
    await service.ready;
    await waitFor('submissions', async () => {
      const { node: dev } = await service.graphql<{ node: { submissionCount: string } }>(
        '{ node(id: "dev") { submissionCount } }',
      );
      return Number(dev.submissionCount) > 3 || undefined;
    });
    incident = await waitFor('an incident', async () => {
      const { incidents } = await service.graphql<{ incidents: { edges: { node: { id: string } }[] } }>(
        '{ incidents(first: 1) { edges { node { id } } } }',
      );
      return incidents.edges[0]?.node.id;
    });
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await node?.stop();
  }, PATIENCE_MS);

  const ask = async (question: Question): Promise<Reply> => {
    const response = await fetch(`${service.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
      signal: AbortSignal.timeout(60_000),
    });
    return { status: response.status, text: await response.text() };
  };

  const readSchema = async (): Promise<GraphQLSchema> =>
    buildClientSchema(await service.graphql<IntrospectionQuery>(getIntrospectionQuery()));

  const readCursors = async (): Promise<string[]> => {
    const lists = CURSOR_LISTS.map((list) => `${list}(first: 3) { edges { cursor } }`).join(' ');
    const answer = await service.graphql<Record<string, { edges: { cursor: string }[] }>>(`{ ${lists} }`);
    return Object.values(answer).flatMap(({ edges }) => edges.map(({ cursor }) => cursor));
  };

  /** Sends queries concurrently until the time is over and the goal is reached, or until there are enough faults. */
  const askAll = async (
    seconds: number,
    isReached: () => boolean,
    askOne: (asker: number) => (isOver: boolean) => Promise<object[]>,
  ) => {
    const end = performance.now() + seconds * 1_000;
    const patienceEnd = end + PATIENCE_MS / 2;
    const faults: object[] = [];
    let answered = 0;
    const askOn = async (asker: number): Promise<void> => {
      const next = askOne(asker);
      const isOver = (): boolean => performance.now() >= end;
      const hasTime = (): boolean => !isOver() || (!isReached() && performance.now() < patienceEnd);
      while (hasTime() && faults.length < 5) {
        faults.push(...(await next(isOver())));
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: ASKERS }, (_, asker) => askOn(asker)));
    expect(faults).toEqual([]);
    expect(answered).toBeGreaterThan(seconds);
    expect(service.log.split('\n').filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
    const { nodes } = await service.graphql<{ nodes: unknown[] }>('{ nodes { id } }');
    expect(nodes).toEqual([{ id: 'dead' }, { id: 'dev' }]);
  };

  const sourceOf = (asker: number, schema: GraphQLSchema, cursors: readonly string[]) => ({
    schema,
    now: Date.now(),
    known: { cursors, ids: ['dev', 'fuzz-1', incident] },
    random: seededRandom(SEED * ASKERS + asker),
  });

  it(
    'answers every query properly, and logs no query as an error',
    async () => {
      const schema = await readSchema();
      const cursors = await readCursors();
      const reached = new Set<string>(NEVER_SURE);
      const fields = Object.keys(schema.getQueryType()?.getFields() ?? {});
      const missing = (): string[] => fields.filter((name) => !reached.has(name));
      let asked = 0;
      await askAll(
        SECONDS,
        () => missing().length === 0,
        (asker) => {
          const maker = new QuestionMaker(sourceOf(asker, schema, cursors));
          return async (isOver) => {
            const question = maker.make(isOver ? missing() : []);
            const faults: object[] = [];
            // Repeated queries are compiled, and answered by other code.
            for (let times = 0; times < (asked % 4 === 0 ? 3 : 1); times += 1) {
              const reply = await ask(question);
              faults.push(...findFaults(question, reply).map((fault) => ({ fault, question })));
              if (faults.length === 0) for (const name of answeredFields(reply)) reached.add(name);
              asked += 1;
            }
            return faults;
          };
        },
      );
      expect(missing()).toEqual([]);
    },
    PATIENCE_MS + SECONDS * 1_000,
  );

  const request = async ({ method, path }: RestRequest): Promise<Reply> => {
    const response = await fetch(`${service.address}${path}`, {
      method,
      signal: AbortSignal.timeout(60_000),
    });
    return { status: response.status, text: await response.text() };
  };

  const readFileCursors = async (): Promise<string[]> => {
    const pages = EXPORT_NAMES.map(
      (name) => `/export/${name}.csv?limit=1${/^(stat|cost)/.test(name) ? '&bucket=HOUR' : ''}`,
    );
    const cursors: string[] = [];
    for (const path of pages) {
      const answer = await fetch(`${service.address}${path}`);
      await answer.text();
      const cursor = answer.headers.get('x-hindsight-next-cursor');
      if (cursor !== null) cursors.push(cursor);
    }
    return cursors;
  };

  it(
    'answers every request of the OpenAPI document properly',
    async () => {
      const schema = await readSchema();
      const document = (await (await fetch(`${service.address}/openapi.json`)).json()) as RestDocument;
      const cursors = await readFileCursors();
      expect(cursors.length).toBeGreaterThan(1);
      const routes = [
        '/metrics',
        '/openapi.json',
        '/docs',
        '/ide',
        ...EXPORT_NAMES.map((name) => `/export/${name}`),
      ];
      const filled = new Set<string>();
      const unfilled = (): string[] => routes.filter((route) => !filled.has(route.split('.')[0] ?? ''));
      await askAll(
        SECONDS / 2,
        () => unfilled().length === 0,
        (asker) => {
          const maker = new RequestMaker({ ...sourceOf(asker, schema, cursors), document, files: FILES });
          return async () => {
            const asked = maker.make();
            const reply = await request(asked);
            if (reply.status === 200 && reply.text !== '') filled.add(asked.path.split(/[?.]/)[0] ?? '');
            return findRestFaults(asked, reply).map((fault) => ({ fault, asked }));
          };
        },
      );
      expect(unfilled()).toEqual([]);
    },
    PATIENCE_MS + SECONDS * 1_000,
  );
});

/** The fields of Query with answers other than null; fields under an alias are left out. */
function answeredFields({ text }: Reply): string[] {
  const { data } = JSON.parse(text) as { data?: Record<string, unknown> | null };
  return Object.entries(data ?? {}).flatMap(([name, value]) => (value === null ? [] : name));
}
