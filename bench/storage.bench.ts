import type { DataSource } from 'typeorm';
import type { BlockRecord } from '../src/domain/blocks/block.js';
import type { NewEvent } from '../src/domain/events.js';
import { EventStore } from '../src/event-log/event-store.js';
import { ProjectionRunner } from '../src/projections/projection-runner.js';
import { RecordProjection } from '../src/projections/record/projection.js';
import { startBenchServer } from './support/bench-database.js';
import { round, type Bench, type Figure } from './support/figures.js';
import { LogWriter, looksAt, rowsObserved } from './support/log-writer.js';
import { SampleChain } from './support/sample-chain.js';
import { namespacesOf, sentRow } from './support/submission-texts.js';

const STEPS = 600;
const HEADERS_PER_EVENT = 10;
/** Blocks posted to the DA layer together, their headers in one attempt and their data in another. */
const BLOCKS_PER_ATTEMPT = 2.5;
/** Steps between two vacuums; in a longer-running service autovacuum does this. */
const VACUUM_EVERY = 100;
const STEP_MS = 5_000;
const START_MS = 1_790_000_000_000;
const CHAIN = 'bench-1';
const NODE = 'node-1';
const TABLES_OF_SUBMISSIONS = ['submission', 'submission_evidence_past'];
const TABLES_OF_BLOCKS = ['block', 'proposer'];

export const bench: Bench = {
  about: 'bytes on disk, as live polls write them',
  run: async () => {
    const server = await startBenchServer();
    try {
      const first = await server.createDatabase();
      const hasLz4 = await isLz4(first);
      const figures = await measure(first, hasLz4 ? 'with lz4' : 'without lz4');
      if (!hasLz4) return figures;
      const second = await server.createDatabase();
      await second.query('ALTER TABLE event ALTER COLUMN body SET COMPRESSION pglz');
      return [...figures, ...(await measure(second, 'without lz4'))];
    } finally {
      await server.stop();
    }
  },
};

async function isLz4(dataSource: DataSource): Promise<boolean> {
  const [row] = await dataSource.query<{ compression: string }[]>(
    `SELECT attcompression AS compression FROM pg_attribute WHERE attrelid = 'event'::regclass AND attname = 'body'`,
  );
  return row?.compression === 'l';
}

async function measure(dataSource: DataSource, how: string): Promise<Figure[]> {
  const live = new LiveLog(dataSource);
  await live.run();
  const submissions = await sizeOf(dataSource, ['SubmissionsObserved'], TABLES_OF_SUBMISSIONS);
  const blocks = await sizeOf(dataSource, ['BlocksObserved', 'BlockInclusionObserved'], TABLES_OF_BLOCKS);
  const aims = how === 'without lz4' ? { submission: 850, header: 700 } : undefined;
  const figure = (what: string, count: number, size: Size, aim?: number): Figure => {
    const bytes = (size.log + size.tables) / count;
    const parts = `log ${round(size.log / count)} + read model ${round(size.tables / count)}`;
    const ours = `${round(bytes)} B: ${parts}`;
    return {
      what: `${what}, ${how}`,
      ours,
      value: bytes,
      ...(aim !== undefined && { aim: { atMost: aim } }),
    };
  };
  return [
    figure('storage of a submission (2 an event)', live.rows, submissions, aims?.submission),
    figure(`storage of a header (${HEADERS_PER_EVENT} an event)`, live.blocks, blocks, aims?.header),
  ];
}

interface Size {
  readonly log: number;
  readonly tables: number;
}

/** Bytes of the events of some types, by their share of all events, and of some tables; indexes and TOAST included. */
async function sizeOf(dataSource: DataSource, types: string[], tables: string[]): Promise<Size> {
  const [row] = await dataSource.query<{ log: string; tables: string }[]>(
    `SELECT (SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'event'::regclass)
            * (SELECT sum(pg_column_size(e.*)) FILTER (WHERE type = ANY ($1))::float8 / sum(pg_column_size(e.*)) FROM event e) AS log,
            (SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest($2::text[]) AS name) AS tables`,
    [types, tables],
  );
  return { log: Number(row?.log), tables: Number(row?.tables) };
}

/** A healthy aggregator monitored for a while: every five seconds ten blocks, the rows that carried them, and their inclusion. */
class LiveLog {
  rows = 0;
  blocks = 0;
  private readonly store: EventStore;
  private readonly writer: LogWriter;
  private readonly runner: ProjectionRunner;
  private readonly projection = new RecordProjection();
  private readonly chain = new SampleChain(CHAIN, BigInt(START_MS) * 1_000_000n);
  private daHeight = 1_000_000n;

  constructor(private readonly dataSource: DataSource) {
    this.store = new EventStore(dataSource);
    this.writer = new LogWriter(this.store);
    this.runner = new ProjectionRunner(dataSource, this.store);
  }

  async run(): Promise<void> {
    await this.writer.introduce(NODE, 1, CHAIN, START_MS);
    for (let step = 1; step <= STEPS; step++) {
      await this.takeStep(START_MS + step * STEP_MS);
      if (step % VACUUM_EVERY === 0) await this.vacuum();
    }
  }

  private async takeStep(at: number): Promise<void> {
    const { blocks, packed } = this.chain.grow(HEADERS_PER_EVENT);
    await this.record('blocks', at, [
      {
        type: 'BlocksObserved',
        observedAt: at,
        body: { looks: looksAt(at), chain: CHAIN, lineage: 1, ...packed },
      },
    ]);
    this.blocks += blocks.length;
    const heights: [string, string, string][] = [];
    for (const [index, group] of groupsOf(blocks).entries()) {
      const daHeight = ++this.daHeight;
      const rows = rowsOf(group, Number(daHeight), at + index * 1_000);
      await this.record('submissions', at, [rowsObserved(rows, this.rows + 1, at + index * 1_000 + 300)]);
      this.rows += rows.length;
      heights.push(
        ...group.map(({ header }): [string, string, string] => [
          String(header.height),
          String(daHeight),
          String(daHeight),
        ]),
      );
    }
    const body = { looks: looksAt(at + STEP_MS), chain: CHAIN, lineage: 1, heights };
    await this.record('blocks', at, [{ type: 'BlockInclusionObserved', observedAt: at + STEP_MS, body }]);
  }

  private async record(subject: string, at: number, events: readonly NewEvent[]): Promise<void> {
    await this.writer.append(`${NODE}/${subject}`, events, { at });
    await this.runner.catchUp(this.projection, await this.store.lastPosition());
  }

  private async vacuum(): Promise<void> {
    for (const table of [...this.projection.tables, 'stream_head', 'log_head', 'projection_checkpoint']) {
      await this.dataSource.query(`VACUUM ${table}`);
    }
  }
}

function groupsOf(blocks: readonly BlockRecord[]): BlockRecord[][] {
  const groups: BlockRecord[][] = [];
  for (const [index, block] of blocks.entries()) {
    (groups[Math.floor(index / BLOCKS_PER_ATTEMPT)] ??= []).push(block);
  }
  return groups;
}

/** The rows of the two attempts that carried some blocks, consistent with evidence. */
function rowsOf(blocks: readonly BlockRecord[], daHeight: number, atMs: number): string[] {
  const { header, data } = namespacesOf(1);
  const sizes = {
    header: blocks.map((block) => block.headerBlobBytes ?? 0),
    data: blocks.filter(({ txCount }) => txCount > 0).map((block) => block.dataBlobBytes ?? 0),
  };
  return [
    sentRow({ daHeight, atMs, sizes: sizes.header, namespace: header }),
    ...(sizes.data.length > 0
      ? [sentRow({ daHeight, atMs: atMs + 7, sizes: sizes.data, namespace: data })]
      : []),
  ];
}
