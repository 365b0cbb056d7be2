import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { DataSource } from 'typeorm';
import type { RunningService } from '../src/service.js';
import { startBenchServer } from './support/bench-database.js';
import { round, type Bench, type Figure } from './support/figures.js';
import { peakOf } from './support/memory.js';
import { startReader } from './support/reader-service.js';
import { medianOf, playRounds, ratioOf, wallMs } from './support/rounds.js';
import { fill, fillNodes } from './support/statistics-world.js';

const ROWS = Number(process.env['HINDSIGHT_BENCH_EXPORT_ROWS'] ?? 1_000_000);
/** The smaller number of rows, to compare memory. */
const FEWER = Math.ceil(ROWS / 10);
const NODES = 10;
const ROUNDS = 3;
const MB = 1_048_576;
const FORMATS = ['csv', 'ndjson', 'parquet'] as const;

export const bench: Bench = {
  about: `${ROWS.toLocaleString('en')} submissions as a file over HTTP`,
  run: async () => {
    const server = await startBenchServer();
    try {
      const dataSource = await server.createDatabase();
      await fillSubmissions(dataSource);
      const url = String((dataSource.options as { url?: string }).url);
      const service = await startReader(url);
      try {
        return [...(await measureSpeed(service, url)), ...(await measureMemory(service))];
      } finally {
        await service.close();
      }
    } finally {
      await server.stop();
    }
  },
};

/** Compared with the server's own text of the same rows, discarded by the cheapest possible client. */
async function measureSpeed(service: RunningService, url: string): Promise<Figure[]> {
  const costs = await playRounds(
    [
      ...FORMATS.map((format) => ({ name: format, run: () => wallMs(() => download(service, format)) })),
      { name: 'COPY', run: () => wallMs(() => copyRows(url, ROWS_AS_CSV)) },
      { name: 'COPY of row_to_json', run: () => wallMs(() => copyRows(url, ROWS_AS_JSON)) },
    ],
    ROUNDS,
  );
  const rate = (name: string): string => `${round(ROWS / (medianOf(costs, name) / 1_000))} rows/s`;
  const against = (format: string, peer: string, limit?: number): Figure => ({
    what: `export of submissions as ${format}, against server-side ${peer}`,
    ours: rate(format),
    peer: rate(peer),
    value: ratioOf(costs, peer, format),
    ...(limit !== undefined && { limit: { atLeast: limit } }),
  });
  return [
    against('csv', 'COPY', 0.5),
    against('ndjson', 'COPY of row_to_json', 0.5),
    against('ndjson', 'COPY'),
    against('parquet', 'COPY'),
  ];
}

/** Peak memory of a whole file, compared with a tenth of it. */
async function measureMemory(service: RunningService): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const format of FORMATS) {
    const few = await peakOf(() => download(service, format, FEWER));
    const all = await peakOf(() => download(service, format));
    figures.push({
      what: `memory of an export as ${format}, ten times the rows`,
      ours: `${round(all / MB)} MB`,
      peer: `${round(few / MB)} MB`,
      value: all / few,
      limit: { atMost: 1.5 },
    });
  }
  return figures;
}

async function download({ url }: RunningService, format: string, limit?: number): Promise<void> {
  const asked = request(
    `${url}/export/submissions.${format}${limit === undefined ? '' : `?limit=${limit}`}`,
  ).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`the export was refused with ${answer.statusCode}`);
  answer.resume();
  await once(answer, 'end');
}

const SELECT_ROWS = `
  SELECT n.id, n.chain_id, s.sequence, s.ring, s.status, s.message, ns.namespace, s.kind, s.da_height, s.blob_count,
         s.size_bytes, s.gas_price, s.occurred_at, s.observed_at, s.evidence, s.block_from, s.block_to
    FROM submission s LEFT JOIN node n USING (node_key) LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
    LEFT JOIN namespace ns USING (namespace_key) ORDER BY s.from_position, s.sequence`;
const ROWS_AS_CSV = `COPY (${SELECT_ROWS}) TO STDOUT (FORMAT csv, HEADER)`;
const ROWS_AS_JSON = `COPY (SELECT row_to_json(r) FROM (${SELECT_ROWS}) r) TO STDOUT`;

async function copyRows(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const rows = client.query(copyTo(statement));
  rows.resume();
  await once(rows, 'end');
  await client.end();
}

async function fillSubmissions(dataSource: DataSource): Promise<void> {
  await fill(dataSource, async (query) => {
    await fillNodes(query, NODES);
    await query(
      `INSERT INTO submission (node_key, sequence, lineage_key, chain_id, ring, status, kind, evidence, wild_time, unreadable,
         namespace_key, blob_count, da_height, size_bytes, gas_price, message, occurred_at, observed_at, time_at,
         from_position, evidence_from_position, digest, block_from, block_to)
       SELECT n, i, n, 'chain-' || n, 0, CASE WHEN failed THEN 6 ELSE 0 END, i % 2, CASE WHEN failed THEN 0 ELSE 1 END, false, false,
              2 * n - 1 + i % 2, 6, 1000 + i, 2196, 0.002, CASE WHEN failed THEN 'rpc error: code = Unknown' END, at, at, at,
              i * ${NODES} + n, 1, i, i * 6, i * 6 + 5
         FROM generate_series(1, $1::int) i, generate_series(1, ${NODES}) n,
              LATERAL (SELECT i % 12 = 0 AS failed, '2026-01-01Z'::timestamptz + i * interval '6.123456 s' AS at) a`,
      [Math.ceil(ROWS / NODES)],
    );
  });
}
