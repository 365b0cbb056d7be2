import type { DataSource } from 'typeorm';
import type { Micros } from '../../src/domain/time.js';
import { changedAt } from '../../src/api/graphql/updated-rows.js';
import { openBeside } from '../../src/platform/database.js';
import { JobInterrupted } from '../../src/platform/queues/job-kind.js';
import { inTransaction } from '../../src/platform/sql.js';
import { ChangesReader } from '../../src/projections/record/readers/changes.reader.js';
import { thinChanges } from '../../src/projections/record/thin-changes.js';
import { insertRows, nodeRow, submissionRow } from '../support/read-model-rows.js';
import { seededRandom } from '../support/seeded-random.js';
import { useApi } from '../support/use-database.js';

const MINUTE_US: Micros = 60_000_000n;
const HOUR_US = 60n * MINUTE_US;
const DAY_US = 24n * HOUR_US;
const LOGS = Number(process.env['RANDOM_LOGS'] ?? 1);
const LEAP = 2n ** 32n;
const GOING_ON = new AbortController().signal;

interface Change {
  readonly change: bigint;
  readonly at: Micros;
}

const api = useApi();

const hourOf = (at: Micros): Micros => at - (at % HOUR_US);
const pick = (random: () => number, below: number): number => Math.floor(random() * below);

async function nowUs(): Promise<Micros> {
  const [row] = await api.dataSource.query<{ now: Micros }[]>('SELECT now() AS now');
  return row?.now ?? 0n;
}

/** The time of the next number: moments, minutes, hours or days after the last one, or just at the beginning of an hour. */
function nextTime(random: () => number, last: Micros): Micros {
  const after = [1n, 20_000_000n, 7n * MINUTE_US, 50n * MINUTE_US, 5n * HOUR_US][pick(random, 5)] ?? 1n;
  const at = last + 1n + BigInt(pick(random, Number(after)));
  return random() < 0.2 && hourOf(at) > last ? hourOf(at) : at;
}

/** Numbers from 37 days ago on, for about four days. A swap gives out two numbers, with one time and room between them. */
function randomChanges(random: () => number, now: Micros): Change[] {
  const changes: Change[] = [];
  let [change, at] = [0n, now - 37n * DAY_US];
  while (at < now - 33n * DAY_US) {
    at = nextTime(random, at);
    change += 1n;
    if (random() < 0.05) {
      changes.push({ change: (change += LEAP), at });
      change += BigInt(1 + pick(random, 9));
    }
    changes.push({ change, at });
  }
  return changes;
}

async function fillChanges(changes: readonly Change[], table = 'record_change'): Promise<void> {
  await api.dataSource.query(`DELETE FROM ${table}`);
  const rows = changes.map(({ change, at }) => ({ change: String(change), us: String(at) }));
  await api.dataSource.query(
    `INSERT INTO ${table} SELECT change, timestamptz 'epoch' + us * interval '1 microsecond'
       FROM json_to_recordset($1) r (change int8, us int8)`,
    [JSON.stringify(rows)],
  );
}

/** The last changes that rows with these numbers report. */
async function toldTimes(source: DataSource, numbers: readonly bigint[]): Promise<Micros[]> {
  const rows = await source.query<{ at: Micros }[]>(
    `SELECT ${changedAt('r')} AS at FROM unnest($1::int8[]) WITH ORDINALITY r (change, n) ORDER BY r.n`,
    [numbers.map(String)],
  );
  return rows.map(({ at }) => at);
}

describe('thinned change numbers', () => {
  let whole: DataSource;

  beforeAll(async () => {
    await api.dataSource.query('CREATE SCHEMA whole');
    await api.dataSource.query('CREATE TABLE whole.record_change (LIKE record_change INCLUDING ALL)');
    whole = await openBeside(api.dataSource, ['whole', 'public'], 1).initialize();
  });

  afterAll(() => whole.destroy());

  it.each(Array.from({ length: LOGS }, (_, n) => n + 1))(
    'find what whole ones do, to the hour, and nothing too late (log %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const now = await nowUs();
      const changes = randomChanges(random, now);
      await fillChanges(changes);
      await fillChanges(changes, 'whole.record_change');
      await thinChanges(api.dataSource, GOING_ON);

      // At most one time an hour where numbers are thinned, and all younger ones.
      const left = await api.dataSource.query<Change[]>('SELECT change, at FROM record_change ORDER BY 1');
      const old = left.filter(({ at }) => at < now - 35n * DAY_US - HOUR_US);
      expect(old.length).toBeGreaterThan(5);
      expect(new Set(old.map(({ at }) => hourOf(at))).size).toBe(new Set(old.map(({ at }) => at)).size);
      const young = ({ at }: Change): boolean => at >= now - 35n * DAY_US;
      expect(left.filter(young)).toEqual(changes.filter(young));
      expect(left.length).toBeLessThan(changes.length);
      expect(left.at(-1)).toEqual(changes.at(-1));

      // Rows may have any number, including those inside a swap.
      const numbers = changes.flatMap(({ change, at }, n) =>
        changes[n + 1]?.at === at ? [change, change + 1n] : [change],
      );
      const [exact, told] = [await toldTimes(whole, numbers), await toldTimes(api.dataSource, numbers)];
      for (const [n, at] of exact.entries()) {
        expect(told[n]).toBeGreaterThanOrEqual(at);
        expect(hourOf(told[n] ?? 0n)).toBe(hourOf(at));
        if (at >= now - 35n * DAY_US) expect(told[n]).toBe(at);
      }

      // A reader that stops at any row, and continues from its time, gets that number again and everything after it. This holds wherever
      // the row was read, and wherever the next read happens, since a replica may be behind.
      const firsts = [whole, api.dataSource].map((source) => {
        const reader = new ChangesReader(source);
        const known = new Map<Micros, Promise<bigint>>();
        return (since: Micros): Promise<bigint> => {
          const first = known.get(since) ?? reader.firstChangeSince(since);
          known.set(since, first);
          return first;
        };
      });
      for (const [n, number] of numbers.entries()) {
        for (const since of [exact[n] ?? 0n, told[n] ?? 0n]) {
          for (const first of firsts) expect(await first(since)).toBeLessThanOrEqual(number);
        }
      }

      // From any time: everything that whole numbers give, and otherwise only numbers of the same hour.
      for (let n = 0; n < 100; n += 1) {
        const near = changes[pick(random, changes.length)]?.at ?? 0n;
        const since = near + BigInt(pick(random, 3)) * MINUTE_US - BigInt(pick(random, 2));
        const asked = since - MINUTE_US;
        const last = changes.findLast(({ at }) => at <= asked);
        const rule = changes.find(({ at }) => at === last?.at)?.change ?? 0n;
        for (const first of firsts) {
          const from = await first(since);
          expect(from).toBeLessThanOrEqual(rule);
          const begin = changes.find(({ change }) => change === from)?.at;
          const more = changes.filter(({ change, at }) => change >= from && change < rule && at !== begin);
          expect(more.filter(({ at }) => at < hourOf(asked))).toEqual([]);
          if (asked > now - 34n * DAY_US + MINUTE_US && firsts.indexOf(first) === 0) expect(from).toBe(rule);
        }
      }
    },
  );

  it('are thinned in portions, and once', async () => {
    const now = await nowUs();
    // Two a second for eight hours, in a few portions, each of which ends within an hour.
    const begin = hourOf(now) - 40n * DAY_US;
    const changes = Array.from({ length: 57_600 }, (_, n) => ({
      change: BigInt(n + 1),
      at: begin + BigInt(n) * 500_000n,
    }));
    await fillChanges(changes);
    await thinChanges(api.dataSource, GOING_ON);
    const left = await api.dataSource.query<Change[]>('SELECT change, at FROM record_change ORDER BY 1');
    expect(left).toEqual(changes.filter(({ change }) => change % 7_200n === 0n));
    await thinChanges(api.dataSource, GOING_ON);
    expect(await api.dataSource.query('SELECT change, at FROM record_change ORDER BY 1')).toEqual(left);
  });

  it('are left alone if there are none, and if the job has to stop', async () => {
    await fillChanges([]);
    await thinChanges(api.dataSource, GOING_ON);
    const begin = hourOf(await nowUs()) - 40n * DAY_US;
    await fillChanges([
      { change: 1n, at: begin },
      { change: 2n, at: begin + 1n },
    ]);
    await expect(thinChanges(api.dataSource, AbortSignal.abort())).rejects.toThrow(JobInterrupted);
    expect(await api.dataSource.query('SELECT change FROM record_change')).toHaveLength(2);
  });
});

describe('a reader of pages of changes that continues from the latest time it has read', () => {
  const ROWS = 12;

  beforeAll(async () => {
    await insertRows(api.dataSource, 'lineage', [
      { lineage_key: 1, chain_id: 'lab-1', n: 1, from_position: 1 },
    ]);
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'alpha', { chain_id: 'lab-1', lineage_key: 1 })]);
    const rows = Array.from({ length: ROWS }, (_, n) => submissionRow(n + 1));
    await insertRows(api.dataSource, 'submission', rows);
  });

  /** Rows take this number, and report it in their size. */
  async function write(change: bigint, sequences: readonly number[]): Promise<void> {
    await inTransaction(api.dataSource, async (query) => {
      await query("SELECT set_config('hindsight.change', $1, true)", [String(change)]);
      await query('UPDATE submission SET size_bytes = $1 WHERE sequence = ANY ($2)', [
        String(change),
        sequences,
      ]);
    });
  }

  interface Page {
    readonly nodes: readonly {
      readonly id: string;
      readonly sizeBytes: string;
      readonly updatedAt: string;
    }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  }

  /** Reads a page on request; stops anywhere, and begins the next load as documented. */
  class Client {
    readonly copy = new Map<string, string>();
    private since = '1970-01-01T00:00:00Z';
    private latest = this.since;
    private after: string | null = null;

    constructor(private readonly size: number) {}

    begin(): void {
      [this.since, this.after] = [this.latest, null];
    }

    /** @returns whether there are more */
    async read(): Promise<boolean> {
      const { submissions } = await api.read<{ submissions: Page }>(
        `query ($since: DateTime!, $first: Int!, $after: String) {
           submissions(filter: { updatedSince: $since }, first: $first, after: $after) {
             nodes { id sizeBytes updatedAt } pageInfo { hasNextPage endCursor } } }`,
        { since: this.since, first: this.size, after: this.after },
      );
      for (const { id, sizeBytes, updatedAt } of submissions.nodes) {
        this.copy.set(id, sizeBytes);
        // Both have microseconds, so the order of texts is the order of times.
        if (updatedAt > this.latest) this.latest = updatedAt;
      }
      this.after = submissions.pageInfo.endCursor ?? this.after;
      return submissions.pageInfo.hasNextPage;
    }
  }

  it.each(Array.from({ length: LOGS }, (_, n) => n + 1))('misses nothing (log %i)', async (seed) => {
    const random = seededRandom(1_000 + seed);
    const now = await nowUs();
    let [change, at] = [1n, now - 37n * DAY_US];
    const changes: Change[] = [{ change, at }];
    await fillChanges(changes);
    await write(
      change,
      Array.from({ length: ROWS }, (_, n) => n + 1),
    );
    const clients = [1, 2, 3, 5].map((size) => new Client(size));
    for (let step = 0; step < 60; step += 1) {
      // Often many numbers within an hour, which are then read a few at a time.
      at = nextTime(random, at);
      if (random() < 0.05) {
        // A swap: all rows have new numbers with one time, and the old numbers are gone.
        const first = change + LEAP;
        change = first + BigInt(ROWS) + 1n;
        await fillChanges([
          { change: first, at },
          { change, at },
        ]);
        for (let sequence = 1; sequence <= ROWS; sequence += 1)
          await write(first + BigInt(sequence), [sequence]);
      } else {
        change += 1n;
        await api.dataSource.query(
          "INSERT INTO record_change VALUES ($1, timestamptz 'epoch' + $2 * interval '1 microsecond')",
          [String(change), String(at)],
        );
        await write(change, [1 + pick(random, ROWS), 1 + pick(random, ROWS)]);
      }
      if (random() < 0.3) await thinChanges(api.dataSource, GOING_ON);
      for (const client of clients) {
        if (random() < 0.2) client.begin();
        if (random() < 0.4) await client.read();
      }
    }
    await thinChanges(api.dataSource, GOING_ON);
    const rows = await api.dataSource.query<{ id: string; size: string }[]>(
      "SELECT 'alpha~' || sequence AS id, size_bytes::text AS size FROM submission ORDER BY sequence",
    );
    const all = new Map(rows.map(({ id, size }) => [id, size]));
    for (const client of clients) {
      client.begin();
      while (await client.read());
      expect(client.copy).toEqual(all);
    }
  });
});
