import type { DataSource } from 'typeorm';
import {
  MEASURES,
  partOf,
  STATISTICS_NAMES,
  type StatisticsName,
} from '../../src/statistics/read/measures.js';
import { ReportReader } from '../../src/statistics/read/report.reader.js';
import { takeOverZoneData } from '../../src/statistics/roll-up/generation.js';
import type { BenchServer } from './bench-database.js';
import { round, type Figure } from './figures.js';
import { medianOf, playRounds, ratioOf, wallMs } from './rounds.js';
import { fill, fillNodes, fillYearOfDays, fillYearOfSubmissions, nodeId } from './statistics-world.js';

const ROUNDS = 7;
const START_MS = Date.UTC(2026, 0, 1);
const END_MS = Date.UTC(2027, 0, 1);
const DAYS = 365;

/** All figures of a row except distributions, of which a report merges only a limited number. */
const FIGURES = STATISTICS_NAMES.filter((name) => MEASURES[name].unit !== 'DISTRIBUTION');
const SUMS = STATISTICS_NAMES.filter((name) => partOf(name) === undefined);
/** The number of nodes whose distributions fit into one request. */
const FEW_NODES = 100;

interface Report {
  readonly what: string;
  /** Undefined: all nodes, by their chains, each submission once. */
  readonly nodes: readonly string[] | undefined;
  readonly names: readonly StatisticsName[];
  /** Reads per round, because one read is fast. */
  readonly times: number;
}

/** Reads the same year of days above two numbers of submissions: it must not take longer above the larger. */
export async function measureYearOfDays(
  server: BenchServer,
  nodes: number,
  [fewer, more]: readonly [number, number],
): Promise<Figure[]> {
  const perDay = Math.max(1, Math.round(more / nodes / DAYS / 2));
  const tables = new Map<number, DataSource>();
  for (const rows of [fewer, more]) tables.set(rows, await createYear(server, { nodes, rows, perDay }));
  const few = Array.from({ length: Math.min(nodes, FEW_NODES) }, (_, index) => nodeId(index + 1));
  const reports: Report[] = [
    { what: '1 node', nodes: [nodeId(1)], names: STATISTICS_NAMES, times: 10 },
    { what: `${nodes.toLocaleString('en')} nodes, sums`, nodes: undefined, names: SUMS, times: 1 },
    { what: `${nodes.toLocaleString('en')} nodes, all figures`, nodes: undefined, names: FIGURES, times: 1 },
    { what: `${few.length} nodes, with distributions`, nodes: few, names: STATISTICS_NAMES, times: 1 },
  ];
  const figures: Figure[] = [];
  for (const report of reports) figures.push(await compare(report, tables, [fewer, more]));
  return figures;
}

async function createYear(
  server: BenchServer,
  { nodes, rows, perDay }: { nodes: number; rows: number; perDay: number },
): Promise<DataSource> {
  const dataSource = await server.createDatabase();
  await fill(dataSource, async (query) => {
    await fillNodes(query, nodes);
    await fillYearOfSubmissions(query, { nodes, rows, startMs: START_MS });
    await fillYearOfDays(query, { nodes, perDay, startMs: START_MS });
    // Days from possibly other zone data are not read.
    await takeOverZoneData(query);
  });
  return dataSource;
}

async function compare(
  { what, nodes, names, times }: Report,
  tables: ReadonlyMap<number, DataSource>,
  [fewer, more]: readonly [number, number],
): Promise<Figure> {
  const named = {
    what: `a year of days of ${what}, above ${more.toLocaleString('en')} submissions instead of ${fewer.toLocaleString('en')}`,
    limit: { atMost: 1.3 },
  };
  try {
    const costs = await playRounds(
      [...tables].map(([rows, dataSource]) => {
        const reader = new ReportReader(dataSource);
        return { name: String(rows), run: () => wallMs(() => readOften(reader, nodes, names, times)) };
      }),
      ROUNDS,
    );
    const ms = (rows: number): string => `${round(medianOf(costs, String(rows)) / times)} ms`;
    const value = ratioOf(costs, String(more), String(fewer));
    return { ...named, ours: ms(more), peer: ms(fewer), value };
  } catch (error) {
    // The other reports are still useful; this one has missed its limit.
    const detail = error instanceof Error ? error.message : String(error);
    return { ...named, ours: 'failed', value: Number.POSITIVE_INFINITY, detail };
  }
}

async function readOften(
  reader: ReportReader,
  nodes: readonly string[] | undefined,
  names: readonly StatisticsName[],
  times: number,
): Promise<void> {
  for (let time = 0; time < times; time++) {
    const days = await read(reader, nodes, names);
    if (days.length !== DAYS) throw new Error(`The year has ${days.length} days`);
    if (days.at(0).attempts === 0n) throw new Error('The filled days were not read');
  }
}

function read(reader: ReportReader, nodes: readonly string[] | undefined, names: readonly StatisticsName[]) {
  return reader.read(
    {
      filter: { nodes },
      bucket: 'DAY',
      groupBy: [],
      fromUs: BigInt(START_MS) * 1_000n,
      toUs: BigInt(END_MS) * 1_000n,
      nowUs: BigInt(END_MS) * 1_000n,
    },
    names,
  );
}
