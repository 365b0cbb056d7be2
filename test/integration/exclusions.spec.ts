import type { DataSource } from 'typeorm';
import { ownerOf, type NewEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { createDataSource } from '../../src/platform/database.js';
import { onConnection } from '../../src/platform/sql.js';
import { readExclusions } from '../../src/projections/exclusions.js';
import { differsByExclusion, needsRebuild } from '../../src/projections/rebuild/read-model-set.js';
import { READ_MODEL_SETS } from '../../src/statistics/read-model-sets.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { randomLog } from '../support/random-log.js';
import { projectAll } from '../support/read-models.js';
import { readModelSet, rebuildNow } from '../support/rebuild.js';
import { seededRandom } from '../support/seeded-random.js';
import { CONTENT, contentTables } from '../support/table-content.js';

const LOG = randomLog(seededRandom(5), 600);
const END = Number((LOG.at(-1)?.observedAt ?? 0n) / 1000n);
/** An event that is in no read model. */
const NOTHING = { type: 'JobRequested', body: { job: 'retry', arguments: {}, by: 'test' } } as const;

interface Line {
  readonly stream: string;
  readonly event: NewEvent;
}

/** The log, or the log in which nothing was ever seen of a node. */
function linesWithout(node?: string): Line[] {
  return LOG.map(({ stream, type, body, observedAt: us }) => {
    const observedAt = Number(us / 1000n);
    const isOfNode =
      (ownerOf(stream) === node && !stream.endsWith('/chain')) ||
      (type === 'ChainLineageOpened' && body.node === node);
    if (isOfNode) return { stream: '*/operator', event: { ...NOTHING, observedAt } };
    return { stream, event: { type, body, observedAt } as NewEvent };
  });
}

class TestRecord {
  private readonly versions = new Map<string, bigint>();

  private constructor(
    private readonly database: TestDatabase,
    readonly dataSource: DataSource,
    private readonly store = new EventStore(dataSource),
  ) {}

  static async open(): Promise<TestRecord> {
    const database = await startTestDatabase();
    return new TestRecord(database, await createDataSource({ url: database.url }).initialize());
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
    await this.database.stop();
  }

  async append(lines: readonly Line[]): Promise<void> {
    const runs: { stream: string; events: NewEvent[] }[] = [];
    for (const { stream, event } of lines) {
      const last = runs.at(-1);
      if (last?.stream === stream) last.events.push(event);
      else runs.push({ stream, events: [event] });
    }
    for (const { stream, events } of runs) {
      const { won, version } = (await this.store.append({
        stream,
        expectedVersion: this.versions.get(stream) ?? 0n,
        events,
      })) as { won: boolean; version: bigint };
      expect(won).toBe(true);
      this.versions.set(stream, version);
    }
  }

  async project(): Promise<void> {
    await projectAll(this.dataSource);
    await new RollUp(this.dataSource).run();
  }

  async rebuild(): Promise<void> {
    for (const set of READ_MODEL_SETS) await rebuildNow(this.dataSource, set);
  }

  async differs(): Promise<boolean[]> {
    return Promise.all(
      READ_MODEL_SETS.map((set) => onConnection(this.dataSource, (query) => differsByExclusion(query, set))),
    );
  }

  /** Every row of every read model. Times of the log depend on the database's clock. */
  async dump(): Promise<Record<string, unknown>> {
    const projections = READ_MODEL_SETS.flatMap((set) => set.createProjections());
    const names = contentTables(projections.flatMap(({ tables }) => tables));
    const tables: Record<string, unknown> = {};
    for (const name of [...names, 'statistic', 'block_statistic']) {
      tables[name] = await this.dataSource.query(
        `SELECT row FROM (SELECT regexp_replace(${CONTENT}, '"recordedAt": [0-9]+', '', 'g') AS row FROM "${name}" t) r
          ORDER BY row COLLATE "C"`,
      );
    }
    return tables;
  }
}

describe.each(['follower', 'aggregator'])('a record without its %s', (node) => {
  let record: TestRecord;
  let other: TestRecord;

  beforeAll(async () => {
    record = await TestRecord.open();
    other = await TestRecord.open();
    await record.append(linesWithout());
    await record.project();
  });
  afterAll(async () => {
    await record?.close();
    await other?.close();
  });

  const order = (event: NewEvent) => record.append([{ stream: `${node}/exclusion`, event }]);

  it('is as if nothing had ever been seen of the node, before and after a rebuild', async () => {
    await other.append(linesWithout(node));
    const whole = await record.dump();
    await order({ type: 'NodeExcluded', observedAt: 1, body: { why: 'wrong address', by: 'command line' } });
    await record.project();
    // Read models are as they were until they are rebuilt.
    expect(await record.dump()).toEqual(whole);
    expect(await record.differs()).toEqual(READ_MODEL_SETS.map(() => true));
    await record.rebuild();
    await other.project();
    const without = await record.dump();
    expect(without).toEqual(await other.dump());
    expect(without).not.toEqual(whole);
    expect(await record.differs()).toEqual(READ_MODEL_SETS.map(() => false));
    expect(await readExclusions(record.dataSource)).toEqual([
      { node, why: 'wrong address', by: 'command line', at: 1_000n },
    ]);
  }, 120_000);

  it('does not take later events of the node', async () => {
    const before = await record.dump();
    await record.append([
      {
        stream: `${node}/node`,
        event: { type: 'NodeSettingsChanged', observedAt: END, body: { url: 'http://elsewhere:1' } },
      },
    ]);
    await record.project();
    expect(await record.dump()).toEqual(before);
  });

  it('is as before once the node is included', async () => {
    await order({ type: 'NodeIncluded', observedAt: 3, body: { by: 'command line' } });
    const record1 = readModelSet('record');
    expect(await onConnection(record.dataSource, (query) => needsRebuild(query, record1))).toBe(true);
    await record.rebuild();
    const included = await record.dump();
    const whole = await TestRecord.open();
    await whole.append(linesWithout());
    await whole.append([
      { stream: 'x/exclusion', event: { type: 'NodeIncluded', observedAt: 1, body: { by: 'test' } } },
      {
        stream: `${node}/node`,
        event: { type: 'NodeSettingsChanged', observedAt: END, body: { url: 'http://elsewhere:1' } },
      },
    ]);
    await whole.project();
    const expected = await whole.dump();
    await whole.close();
    expect(included).toEqual(expected);
  }, 120_000);
});
