import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource, EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { EventStore } from '../src/event-log/event-store.js';
import { ProjectionRunner } from '../src/projections/projection-runner.js';
import { RecordProjection } from '../src/projections/record/projection.js';
import { startBenchServer, type BenchServer } from './support/bench-database.js';
import { round, type Bench, type Figure } from './support/figures.js';
import { LogWriter, rowsObserved } from './support/log-writer.js';
import { medianOf, playRounds, ratioOf, wallMs, type Contestant } from './support/rounds.js';
import { SampleChain } from './support/sample-chain.js';
import { submissionAt } from './support/submission-texts.js';

const NODES = 10;
const BATCH = 100;
/** Batches of one node in a round. */
const BATCHES = 10;
const ROWS = NODES * BATCH * BATCHES;
const ROUNDS = 5;
const START_MS = 1_790_000_000_000;

export const bench: Bench = {
  about: `append and project ${ROWS} submissions in batches of ${BATCH}`,
  run: async () => {
    const server = await startBenchServer();
    try {
      const dataSource = await server.createDatabase();
      const ours = await Ours.prepare(dataSource);
      await ours.run();
      // The file is readable only by a server on this machine, under a role with that right.
      const copy = await prepareCopy(dataSource, server).catch(() => undefined);
      const peers = [...(await prepareTypeOrm(dataSource)), ...(copy ? [copy] : [])];
      const costs = await playRounds([ours, ...peers], ROUNDS);
      const figures = toFigures(costs, copy !== undefined);
      for (const peer of peers) await peer.close();
      return figures;
    } finally {
      await server.stop();
    }
  },
};

/** The log and the read model as the service uses them: concurrent appends of the nodes, and the projection. */
class Ours implements Contestant {
  readonly name = 'ours';
  private readonly store: EventStore;
  private readonly runner: ProjectionRunner;
  private readonly writer: LogWriter;
  private readonly projection = new RecordProjection();
  private sent = 0;

  private constructor(dataSource: DataSource) {
    this.store = new EventStore(dataSource);
    this.runner = new ProjectionRunner(dataSource, this.store);
    this.writer = new LogWriter(this.store);
  }

  /** Registers nodes, each with a chain whose blocks are not included yet, so that evidence is searched for. */
  static async prepare(dataSource: DataSource): Promise<Ours> {
    const ours = new Ours(dataSource);
    for (let node = 0; node < NODES; node++) {
      const chain = `bench-${node}`;
      await ours.writer.introduce(`node-${node}`, node, chain, START_MS);
      const { packed } = new SampleChain(chain, BigInt(START_MS) * 1_000_000n).grow(10);
      const body = { chain, lineage: 1, ...packed };
      await ours.writer.append(`node-${node}/blocks`, [
        { type: 'BlocksObserved', observedAt: START_MS, body },
      ]);
    }
    await ours.project();
    return ours;
  }

  /** The projection runs concurrently with the appends, as in the service. */
  async run(): Promise<number> {
    const from = this.sent;
    this.sent += BATCHES * BATCH;
    const batches = Array.from({ length: NODES }, (_, node) => this.batchesOf(node, from));
    return wallMs(async () => {
      const appending = new AbortController();
      const appends = Promise.all(batches.map((events, node) => this.appendAll(node, events))).finally(() =>
        appending.abort(),
      );
      while (!appending.signal.aborted) await this.project();
      await appends;
      await this.project();
    });
  }

  private batchesOf(node: number, from: number) {
    return Array.from({ length: BATCHES }, (_, batch) => {
      const first = from + batch * BATCH;
      const rows = Array.from({ length: BATCH }, (__, index) => submissionAt(node, first + index, START_MS));
      return rowsObserved(
        rows.map(({ text }) => text),
        first + 1,
        (rows.at(-1)?.atMs ?? START_MS) + 500,
      );
    });
  }

  private async appendAll(node: number, events: ReturnType<Ours['batchesOf']>): Promise<void> {
    for (const event of events) await this.writer.append(`node-${node}/submissions`, [event]);
  }

  private async project(): Promise<void> {
    await this.runner.catchUp(this.projection, await this.store.lastPosition());
  }
}

interface Peer extends Contestant {
  close(): Promise<void>;
}

/** TypeORM `insert` of the rows that Hindsight's projection made, into a table with the same columns and indexes. */
async function prepareTypeOrm(ours: DataSource): Promise<Peer[]> {
  await ours.query('CREATE TABLE peer_submission (LIKE submission INCLUDING ALL)');
  const columns = await ours.query<{ name: string; type: string }[]>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
      WHERE attrelid = 'submission'::regclass AND attnum > 0 AND NOT attisdropped`,
  );
  const schema = new EntitySchema<Record<string, unknown>>({
    name: 'peer_submission',
    columns: Object.fromEntries(
      columns.map(({ name, type }) => {
        const primary = name === 'node_key' || name === 'sequence';
        return [name, { type, primary, nullable: !primary } as EntitySchemaColumnOptions];
      }),
    ),
  });
  const { url } = ours.options as { url: string };
  const dataSource = await new DataSource({
    type: 'postgres',
    url,
    entities: [schema],
    poolSize: NODES,
  }).initialize();
  // Uses a separate pool, whose values are the values that TypeORM writes.
  const rows = await dataSource.query<Record<string, unknown>[]>(
    'SELECT * FROM submission ORDER BY node_key, sequence',
  );
  const repository = dataSource.getRepository(schema);
  let turn = 0;
  /** `lanes` loops side by side, each awaiting one batch after the other. */
  const insertAll = (lanes: number): Promise<number> => {
    // Each run uses its own node keys; the tables grow as Hindsight's do.
    const offset = ++turn * NODES;
    const own = rows.map((row) => ({ ...row, node_key: Number(row['node_key']) + offset }));
    const share = own.length / lanes;
    return wallMs(() =>
      Promise.all(
        Array.from({ length: lanes }, async (_, lane) => {
          for (let from = lane * share; from < (lane + 1) * share; from += BATCH) {
            await repository.insert(own.slice(from, from + BATCH));
          }
        }),
      ),
    );
  };
  return [
    { name: 'typeorm', run: () => insertAll(1), close: () => dataSource.destroy() },
    { name: 'typeorm in parallel', run: () => insertAll(NODES), close: () => Promise.resolve() },
  ];
}

/** The server reads a file itself, which is about the lowest possible cost of rows. */
async function prepareCopy(dataSource: DataSource, server: BenchServer): Promise<Peer> {
  await dataSource.query(
    `CREATE TABLE peer_copy (node integer, sequence bigint, occurred_at timestamptz, da_height bigint, size_bytes bigint,
       gas_price numeric, status text, blob_count integer, commitment bytea)`,
  );
  await dataSource.query('CREATE INDEX ON peer_copy (node, sequence)');
  await dataSource.query('CREATE INDEX ON peer_copy (occurred_at)');
  const lines = Array.from({ length: ROWS }, (_, index) => {
    const { text, atMs } = submissionAt(index % NODES, Math.floor(index / NODES), START_MS);
    const row = JSON.parse(text) as Record<string, unknown>;
    const [id = ''] = (row['blob_ids'] ?? []) as string[];
    const time = new Date(atMs).toISOString();
    const cells = [index % NODES, Math.floor(index / NODES), time, row['height'], row['blob_size'], '0.004'];
    return [...cells, row['status_code'], row['num_blobs'], `\\\\x${id.slice(16)}`].join('\t');
  });
  const file = join(server.folder, 'copy.tsv');
  writeFileSync(file, `${lines.join('\n')}\n`);
  chmodSync(file, 0o644);
  const run = () => wallMs(() => dataSource.query(`COPY peer_copy FROM '${file}'`));
  await run();
  return { name: 'copy', run, close: () => Promise.resolve() };
}

function toFigures(costs: ReadonlyMap<string, number[]>, hasCopy: boolean): Figure[] {
  const rate = (name: string): string => `${round(ROWS / (medianOf(costs, name) / 1_000))} rows/s`;
  const against = (peer: string, what: string): Figure => ({
    what: `append and project, batches of ${BATCH}, ${NODES} nodes, against ${what}`,
    ours: rate('ours'),
    peer: rate(peer),
    value: ratioOf(costs, peer, 'ours'),
  });
  return [
    { ...against('typeorm', 'TypeORM insert, one after the other'), limit: { atLeast: 5 } },
    against('typeorm in parallel', `TypeORM insert, ${NODES} at a time`),
    ...(hasCopy ? [{ ...against('copy', 'server-side COPY, two indexes'), aim: { atLeast: 0.5 } }] : []),
  ];
}
