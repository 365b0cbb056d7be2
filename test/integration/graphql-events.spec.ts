import type { NewEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { ReadDatabase } from '../../src/platform/reads/read-database.js';
import { insertRows, nodeRow } from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

interface Page {
  readonly events: {
    readonly nodes: readonly { position: string; stream: string; type: string; body: unknown }[];
    readonly edges: readonly { cursor: string }[];
    readonly pageInfo: {
      hasNextPage: boolean;
      hasPreviousPage: boolean;
      startCursor: string | null;
      endCursor: string | null;
    };
  };
}

const at = Date.UTC(2026, 10, 21, 3);
const progress = (head: number): NewEvent =>
  ({ type: 'NodeProgressObserved', observedAt: at, body: { head: String(head) } }) as unknown as NewEvent;
const retired: NewEvent = { type: 'NodeRetired', observedAt: at, body: {} };
const job: NewEvent = {
  type: 'JobRequested',
  observedAt: at,
  body: { job: 'rebuild', arguments: {}, by: 'x' },
};

/** A step of a plan, and the rows that it read. */
interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The rows that all steps of a plan went over. */
function rowsOf(node: PlanNode | undefined): number {
  if (node === undefined) return 0;
  const own = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), own);
}

/** Events of the noisy stream: more than one step of a walk reads. */
const NOISE = 12_000;

describe('the log over GraphQL', () => {
  const api = useApi();

  beforeAll(async () => {
    const { dataSource } = api;
    await insertRows(dataSource, 'node', [
      nodeRow(1, 'alpha', { chain_id: 'lab-1' }),
      nodeRow(2, 'beta', { chain_id: 'other' }),
    ]);
    const store = new EventStore(dataSource);
    const append = async (stream: string, expectedVersion: number, events: NewEvent[]): Promise<void> => {
      expect(await store.append({ stream, expectedVersion: BigInt(expectedVersion), events })).toMatchObject({
        won: true,
      });
    };
    await append('alpha/node', 0, [retired]);
    for (let done = 0; done < NOISE; done += 4_000)
      await append(
        'beta/blocks',
        done,
        Array.from({ length: 4_000 }, (_, n) => progress(done + n)),
      );
    await append('alpha/node', 1, [retired]);
    await append('lab-1/operator', 0, [job]);
    await append('alpha/blocks', 0, [progress(7)]);
  });

  const QUERY = `query ($filter: EventFilter, $first: Int, $after: String, $last: Int, $before: String) {
    events(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      nodes { position positionFloat stream version type schema time observedAt recordedAt hash body }
      edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
  const read = async (filter: object, more: object = {}): Promise<Page['events']> =>
    (await api.read<Page>(QUERY, { filter, ...more })).events;
  /** All pages of a filter. */
  const readAll = async (filter: object): Promise<Page['events']['nodes'][number][]> => {
    const nodes = [];
    for (let after: string | null = null; ;) {
      const page: Page['events'] = await read(filter, { after, first: 1_000 });
      nodes.push(...page.nodes);
      if (!page.pageInfo.hasNextPage) return nodes;
      expect(page.pageInfo.endCursor).not.toBe(after);
      after = page.pageInfo.endCursor;
    }
  };
  /** The same from the end, in pages of the given size. */
  const readAllBackwards = async (filter: object, last = 1_000): Promise<number[]> => {
    const positions: number[] = [];
    for (let before: string | null = null; ;) {
      const page: Page['events'] = await read(filter, { before, last });
      positions.unshift(...page.nodes.map(({ position }) => Number(position)));
      if (!page.pageInfo.hasPreviousPage) return positions;
      expect(page.pageInfo.startCursor).not.toBe(before);
      before = page.pageInfo.startCursor;
    }
  };
  const END = NOISE + 4;

  it('shows an event as it is stored', async () => {
    const { nodes } = await read({ positionFrom: NOISE + 3 }, { first: 1 });
    const [stored] = await api.dataSource.query<{ hash: string; body: string }[]>(
      `SELECT hash, body::text AS body FROM event WHERE position = $1`,
      [NOISE + 3],
    );
    expect(nodes).toEqual([
      {
        position: String(NOISE + 3),
        positionFloat: NOISE + 3,
        stream: 'lab-1/operator',
        version: '1',
        type: 'JobRequested',
        schema: 1,
        time: '2026-11-21T03:00:00.000Z',
        observedAt: '2026-11-21T03:00:00.000Z',
        recordedAt: expect.stringMatching(/Z$/),
        hash: stored?.hash,
        body: JSON.parse(stored?.body ?? ''),
      },
    ]);
  });

  it('walks through all of it once, in order', async () => {
    const all = await readAll({});
    const positions = Array.from({ length: END }, (_, n) => n + 1);
    expect(all.map(({ position }) => Number(position))).toEqual(positions);
    expect(await readAllBackwards({})).toEqual(positions);
  });

  it.each([
    [{ types: ['NodeRetired'] }, [1, NOISE + 2]],
    [{ types: ['JobRequested'] }, [NOISE + 3]],
    [{ types: ['Nothing'] }, []],
    [{ types: [] }, []],
    [{ nodes: ['alpha'] }, [1, NOISE + 2, NOISE + 4]],
    [{ nodes: ['alpha'], types: ['NodeProgressObserved'] }, [NOISE + 4]],
    [{ chains: ['lab-1'] }, [1, NOISE + 2, NOISE + 3, NOISE + 4]],
    [{ chains: ['lab-1'], nodes: ['beta'] }, []],
    [{ streams: ['alpha/node', 'lab-1/operator'] }, [1, NOISE + 2, NOISE + 3]],
    [{ streams: ['alpha/node'], nodes: ['alpha'], positionFrom: 2 }, [NOISE + 2]],
    [{ streams: ['beta/blocks'], positionFrom: 4_321, positionTo: 4_323 }, [4_321, 4_322, 4_323]],
    [{ streams: ['beta/blocks', 'alpha/node'], types: ['NodeRetired'] }, [1, NOISE + 2]],
    [{ positionTo: 0 }, []],
    [{ from: '2100-01-01T00:00:00Z' }, []],
    [{ to: '2020-01-01T00:00:00Z' }, []],
  ])('finds %j, from both ends', async (filter, positions) => {
    expect((await readAll(filter)).map(({ position }) => Number(position))).toEqual(positions);
    expect(await readAllBackwards(filter)).toEqual(positions);
    expect(await readAllBackwards(filter, 1)).toEqual(positions);
  });

  it('finds by the time of recording', async () => {
    const [row] = await api.dataSource.query<{ at: string }[]>(
      `SELECT to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM event WHERE position = $1`,
      [NOISE + 2],
    );
    const [after, before] = await Promise.all([readAll({ from: row?.at }), readAll({ to: row?.at })]);
    expect([before.length, after[0]?.position, after.at(-1)?.position]).toEqual([
      NOISE + 1,
      String(NOISE + 2),
      String(END),
    ]);
  });

  it("reads no more of the log for a node than the node's own events, wherever they are", async () => {
    const reads = api.app.get(ReadDatabase, { strict: false });
    const query = reads.query.bind(reads);
    const asked: [sql: string, parameters: unknown[]][] = [];
    reads.query = <Rows>(sql: string, parameters?: unknown[]): Promise<Rows> => {
      asked.push([sql, parameters ?? []]);
      return query<Rows>(sql, parameters);
    };
    await read({ nodes: ['alpha'], positionFrom: 2 });
    await read({ nodes: ['alpha'] }, { last: 1 }).finally(() => (reads.query = query));
    let rows = 0;
    for (const [sql, parameters] of asked) {
      const [answer] = await api.dataSource.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        parameters,
      );
      rows += rowsOf(answer?.['QUERY PLAN'][0]?.Plan);
    }
    expect(asked.length).toBeGreaterThan(2);
    expect(rows).toBeLessThan(2_000);
  });

  it.each(['after: "abc"', 'first: 1001', 'first: -1', 'filter: { positionFrom: "1.5" }'])(
    'refuses (%s)',
    async (args) => {
      expect(await api.codesOf(`{ events(${args}) { nodes { type } } }`)).toEqual(['BAD_USER_INPUT']);
    },
  );

  it('shows no password of an address, even if an older log holds the whole address', async () => {
    const registered = {
      type: 'NodeRegistered',
      observedAt: at,
      body: {
        id: 'gamma',
        url: 'http://me:hunter2@localhost:7331',
        settings: { note: 'kept "word for word"' },
      },
    } as unknown as NewEvent;
    const append = { stream: 'gamma/node', expectedVersion: 0n, events: [registered] };
    expect(await new EventStore(api.dataSource).append(append)).toMatchObject({ won: true });
    const { events } = await api.read<Page>(QUERY, { filter: { streams: ['gamma/node'] } });
    expect(events.nodes.map(({ body }) => body)).toEqual([
      { id: 'gamma', url: 'http://me:***@localhost:7331', settings: { note: 'kept "word for word"' } },
    ]);
  });
});
