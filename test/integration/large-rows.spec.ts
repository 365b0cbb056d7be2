import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { startApi, type ApiServer } from '../support/api-server.js';
import { appendLog } from '../support/append-log.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { seededRandom } from '../support/seeded-random.js';
import { waitFor } from '../support/service-process.js';
import { SmallLog } from '../support/small-log.js';

const ROW_BYTES = 1_500_000;
/**
 * Rows of one event: more than half of what all requests may hold, and more than the buffers between a server and a client that does not
 * read.
 */
const ROWS = 14;
/** The bytes that requests may hold: half of what a service allows. */
const ROOM = 32 * 1_048_576;
/** This many rows are as good as all of them where it matters only that they come whole. */
const SOME = 3;

/** Text that no compression shortens. */
function noise(length: number): string {
  const random = seededRandom(7);
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= bytes.length; at += 4) bytes.writeUInt32LE(Math.floor(random() * 2 ** 32), at);
  return bytes.toString('base64').slice(0, length);
}

describe('rows of megabytes', () => {
  let database: TestDatabase;
  let api: ApiServer;
  const texts: string[] = [];

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url, { limits: { slowMs: 500 }, roomForTexts: ROOM });
    const log = new SmallLog().register('big').register('small');
    const whole = noise(ROW_BYTES + ROWS);
    for (let n = 0; n < ROWS; n += 1) {
      const row = {
        height: 0,
        status_code: 'Error',
        num_blobs: 0,
        blob_ids: [],
        message: `é${n}${whole.slice(n)}`,
      };
      texts.push(JSON.stringify(row));
    }
    log.list('big', 'AVAILABLE').list('small', 'AVAILABLE');
    log.rows('big', texts).rows('small', [{ da: 1 }, { da: 2 }]);
    await appendLog(api.dataSource, log.events);
  });

  afterAll(async () => {
    await api?.stop();
    await database?.stop();
  });

  const LIST = `/nodes/big/da/submissions?limit=${ROWS}`;
  /** An answer of which nothing is read until the test reads it. */
  const begin = async (path: string): Promise<IncomingMessage> => {
    const asked = request(api.url + path, { agent: false }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return answer.on('error', () => undefined);
  };
  const readAll = async (answer: IncomingMessage): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  };
  const raw = (node: string, first?: number) =>
    api.ask<{ submissions: { nodes: { raw: object }[] } }>(
      `{ submissions(filter: {nodes: ["${node}"]}${first === undefined ? '' : `, first: ${first}`}) { nodes { raw } } }`,
    );

  /** Whether all of them are answered, once they have been taken: by the node's list, which costs least. */
  const areAnswered = async (): Promise<true | undefined> => {
    const answer = await begin(LIST);
    await readAll(answer);
    return answer.statusCode === 200 || undefined;
  };

  it('come as they were sent, with their length, by each way', async () => {
    const some = texts.toReversed().slice(0, SOME);
    const list = `{"submissions":[${some.join(',')}],"total":${SOME}}\n`;
    const path = `/nodes/big/da/submissions?limit=${SOME}`;
    const answer = await begin(path);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(list)),
    });
    expect((await readAll(answer)) === list).toBe(true);
    const head = await fetch(api.url + path, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'application/json',
      '',
    ]);
    const { data } = await raw('big', SOME);
    const shown = (data?.submissions.nodes ?? []).map((row) => JSON.stringify(row.raw));
    expect(shown.length).toBe(SOME);
    expect(new Set(shown)).toEqual(new Set(some));
  });

  it.each([
    ['of the record', LIST],
    ['that is shown', '/nodes/big/da/submissions'],
  ])('are held until a list %s was read: the next one waits, small ones do not', async (_, path) => {
    const first = await begin(path);
    const second = begin(path);
    let isThere = false;
    void second.then(() => (isThere = true));
    const small = await begin('/nodes/small/da/submissions?limit=10');
    expect(JSON.parse(await readAll(small))).toMatchObject({ total: 2 });
    expect((await raw('small')).status).toBe(200);
    expect(isThere).toBe(false);
    await readAll(first);
    expect((await readAll(await second)).length).toBeGreaterThan(ROWS * ROW_BYTES);
  });

  it('are taken from a client that reads nothing when others wait', async () => {
    const idle = await begin(LIST);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(idle.destroyed).toBe(false);
    const next = await begin(LIST);
    expect((await readAll(next)).length).toBeGreaterThan(ROWS * ROW_BYTES);
    await expect(readAll(idle)).rejects.toThrow('aborted');
  });

  it('are refused with 429 beyond a short queue, by every way', async () => {
    const asking = new AbortController();
    const ask = (path: string): Promise<number> =>
      fetch(api.url + path, { signal: asking.signal }).then(
        ({ status }) => status,
        () => 0,
      );
    const first = await begin(LIST);
    // The client reads just enough to keep its place.
    const taking = setInterval(() => first.read(200_000), 250);
    try {
      const statuses: number[] = [];
      const crowd = (): void => {
        for (let n = 0; n < 40; n += 1) void ask(LIST).then((status) => statuses.push(status));
      };
      const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
      crowd();
      await waitFor('some to be refused', () => count(429) >= 8 || undefined);
      expect(count(429) + count(200)).toBe(statuses.length);
      // A waiting request may be served at any moment: the queue is filled again before each try.
      const refusedBy = <Answer extends { readonly status: number }>(way: () => Promise<Answer>) =>
        waitFor('a refusal', async () => {
          crowd();
          const answer = await way();
          return answer.status === 429 ? answer : undefined;
        });
      const stats = await refusedBy(() => fetch(`${api.url}/nodes/big/da/stats`));
      expect(stats.headers.has('retry-after')).toBe(true);
      await refusedBy(() => fetch(`${api.url}/nodes/big/da/health`));
      const { errors } = await refusedBy(() => raw('big'));
      expect(errors?.[0]?.extensions.code).toBe('RATE_LIMITED');
      expect(await ask('/nodes/small/da/stats')).toBe(200);
      expect(await ask('/nodes/big/da')).toBe(200);
    } finally {
      clearInterval(taking);
      asking.abort();
      first.destroy();
    }
    await waitFor('room', areAnswered);
  });

  it('are not needed to know their places, nor kept for the client', async () => {
    const window = '{ windowAt(node: "big", at: "2026-11-22T00:00:00Z") { submissions { raw } } }';
    const answer = await api.ask<{ windowAt: { submissions: object[] } }>(window);
    expect(answer.data?.windowAt.submissions).toHaveLength(ROWS);
    // There is no room for both; a request that waits for long is asked to come again.
    await waitFor('room', areAnswered);
  });
});
