import { readFileSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { createDataSource } from '../../src/platform/database.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const CLIENTS = 4;

/** Heap of the service: it would end if it needed more, however rarely garbage is collected. */
const HEAP_MB = 256;

const HOUR_MS = 3_600_000;
const NOW = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;

const ROWS = 9_990;

interface FieldType {
  readonly kind: string;
  readonly ofType: { readonly kind: string } | null;
}

const searches = (client: number): string =>
  `{ ${Array.from({ length: 60 }, (_, n) => `a${n}: submissions(first: 1, filter: {message: "zz ${client} ${n}"}) { nodes { id } }`).join(' ')} }`;

/** Readers with the worst possible queries, next to a service that records. */
describe('a service and its readers', () => {
  const home = new ServiceHome();
  const agent = new Agent({ keepAlive: false });
  let database: TestDatabase;
  let node: Devnode;
  let service: ServiceProcess;
  let worst: string;

  beforeAll(async () => {
    database = await startTestDatabase();
    node = await startDevnode({ chainId: 'readers-1', blockTimeMs: 200, daBlockTimeMs: 400 });
    const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
    service = await home.start(`dev=${node.url}`, { databaseUrl: database.url, env });
    await waitFor('a record', async () => (await countSubmissions()) > 0 || undefined);
    worst = await findWorst();
  });

  afterAll(async () => {
    agent.destroy();
    await home.clear();
    await node.stop();
    await database.stop();
  });

  /** The largest request allowed: a report of nearly 10,000 rows, on a record that is minutes old, with all values. */
  const findWorst = async (): Promise<string> => {
    const { __type: row } = await service.graphql<{
      __type: { fields: { name: string; type: FieldType }[] };
    }>('{ __type(name: "StatisticsRow") { fields { name type { kind ofType { kind } } } } }');
    const names = row.fields.filter(({ type }) => type.kind !== 'OBJECT').map(({ name }) => name);
    const times = `from: "${new Date(NOW - ROWS * HOUR_MS).toISOString()}", to: "${new Date(NOW).toISOString()}"`;
    return `{ statistics(bucket: HOUR, ${times}) { ${names.join(' ')} } }`;
  };

  const countSubmissions = async (): Promise<number> => {
    const { nodes } = await service.graphql<{ nodes: { submissionCount: string }[] }>(
      '{ nodes { submissionCount } }',
    );
    return Number(nodes[0]?.submissionCount ?? 0);
  };

  /** Sends a query, and resolves before the answer's body is read. */
  const send = (query: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent = request(`${service.address}/graphql`, {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json' },
      });
      sent.on('response', resolve).on('error', reject);
      sent.end(JSON.stringify({ query }));
    });

  const textOf = async (message: IncomingMessage): Promise<string> => {
    let text = '';
    for await (const chunk of message.setEncoding('utf8')) text += String(chunk);
    return text;
  };

  interface Outcome {
    readonly status: number | undefined;
    readonly text: string;
    readonly retryAfter: string | undefined;
  }

  const ask = async (query: string): Promise<Outcome> => {
    const message = await send(query);
    const { statusCode: status, headers } = message;
    return { status, retryAfter: headers['retry-after'], text: await textOf(message) };
  };

  /** The longest recorded time between two polls of the list of submissions, in milliseconds. */
  const longestGap = async (): Promise<number> => {
    const dataSource = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    try {
      const [row] = await dataSource.query<{ gap: number | null }[]>(
        `SELECT max((body -> 'looks' ->> 'longestGapMs')::float) AS gap FROM event WHERE stream = 'dev/submissions'`,
      );
      return row?.gap ?? NaN;
    } finally {
      await dataSource.destroy();
    }
  };

  const memoryMb = (): number =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;

  it('answers the worst queries or says that it is busy, and continues to record', async () => {
    const before = await countSubmissions();
    const outcomes = await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => [await ask(worst), await ask(searches(client))]),
    );
    const all = outcomes.flat();
    for (const { status, text, retryAfter } of all) {
      if (status === 429) {
        expect(text).toContain('"code":"RATE_LIMITED"');
        expect(Number(retryAfter)).toBeGreaterThan(0);
        continue;
      }
      expect(status).toBe(200);
      const { data, errors } = JSON.parse(text) as { data: Record<string, unknown>; errors?: unknown };
      expect(errors).toBeUndefined();
      const lists = Object.values(data).filter(Array.isArray);
      if (lists.length > 0) expect(lists.flat()).toHaveLength(ROWS);
    }
    expect(all.some(({ status }) => status === 200)).toBe(true);
    await waitFor(
      'what was recorded meanwhile',
      async () => (await countSubmissions()) > before || undefined,
    );
    expect(await longestGap()).toBeLessThan(15_000);
    expect(memoryMb()).toBeLessThan(500);
  });

  it('stops making an answer whose client has left, and frees its slot', async () => {
    for (let left = 0; left < 3; left += 1) {
      const message = await send(worst);
      expect(message.statusCode).toBe(200);
      message.destroy();
    }
    expect((await ask(worst)).status).toBe(200);
  });

  it('stops within seconds in the middle of the worst queries', async () => {
    const asked = Array.from({ length: CLIENTS }, () => ask(worst).catch(() => undefined));
    // By then the service is answering the first query.
    await sleep(700);
    const began = performance.now();
    expect(await service.kill('SIGTERM')).toBe(0);
    expect(performance.now() - began).toBeLessThan(15_000);
    await Promise.all(asked);
  });
});
