import type { DataSource } from 'typeorm';
import { EventStore } from '../../../src/event-log/event-store.js';
import { createDataSource } from '../../../src/platform/database.js';
import { RollUp } from '../../../src/statistics/roll-up/roll-up.js';
import { startApi, type ApiServer } from '../api-server.js';
import { startTestDatabase } from '../database.js';
import { ManualClock } from '../manual-clock.js';
import { projectAll } from '../read-models.js';
import { liveThroughFaults, type Kill, type RiggedNode } from './rigged-life.js';
import type { Truth } from './truth.js';

const START_MS = Date.UTC(2026, 10, 21, 3);

/** An incident as GraphQL returns it. */
export interface ToldIncident {
  readonly id: string;
  readonly chain: string | null;
  readonly nodeId: string;
  readonly nodes: readonly { readonly nodeId: string }[];
  readonly subject: string;
  readonly component: string;
  readonly severity: string;
  readonly from: string;
  readonly to: string | null;
  readonly rule: string;
  readonly remedy: string;
  readonly runbook: string;
  readonly command: string;
  readonly signs: number;
  readonly position: string;
  readonly causes: readonly {
    readonly count: string;
    readonly cause: { readonly code: string; readonly remedy: string };
  }[];
}

/** The figures of an interval as GraphQL returns them. */
export interface ToldFigures {
  readonly [figure: string]: string | null | Readonly<Record<string, string | number | null>>;
}

/** The record of nodes with known faults, and their true history. */
export interface RiggedRecord {
  /** Unix milliseconds. */
  readonly endMs: number;
  readonly api: ApiServer;
  readonly dataSource: DataSource;
  readonly truths: ReadonlyMap<string, Truth>;
  getIncidents(node: string): Promise<readonly ToldIncident[]>;
  /** Figures from the incident's first sign to a moment, for its node; if there are several, for their chain. */
  getFigures(incident: ToldIncident, to: string): Promise<ToldFigures>;
  /** The observation time of the event that first reported an incident, in Unix milliseconds. */
  findToldAt(incident: ToldIncident): Promise<number>;
  stop(): Promise<void>;
}

/** Runs nodes through faults, and serves the record. */
export async function recordFaults(
  nodes: readonly RiggedNode[],
  lengthMs: number,
  kills?: readonly Kill[],
): Promise<RiggedRecord> {
  const database = await startTestDatabase();
  const dataSource = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
  const life = { nodes, startMs: START_MS, lengthMs, kills };
  const truths = await liveThroughFaults(new EventStore(dataSource), life);
  await projectAll(dataSource);
  await new RollUp(dataSource).run();
  const api = await startApi(database.url, { clock: new ManualClock(START_MS + lengthMs) });
  return {
    endMs: START_MS + lengthMs,
    api,
    dataSource,
    truths,
    getIncidents: async (node) => {
      const { incidents } = await api.read<{ incidents: { nodes: ToldIncident[] } }>(
        `query ($node: ID!) { incidents(filter: { nodes: [$node] }) { nodes {
           id chain nodeId nodes { nodeId } subject component severity from to rule remedy runbook command signs position causes { count cause { code remedy } } } } }`,
        { node },
      );
      return incidents.nodes.toReversed();
    },
    getFigures: async ({ nodeId, nodes, chain, from }, to) => {
      const { intervalReport } = await api.read<{ intervalReport: ToldFigures }>(
        `query ($node: ID, $chain: String, $from: DateTime!, $to: DateTime!) { intervalReport(node: $node, chain: $chain, from: $from, to: $to) {
           attempts successes failures sizeBytes longestWithoutSuccessMs lostMin lostMax
           blocks { produced transactions delayed transactionsDelayed lagP95Ms lagMaxMs mostPending }
           waits { waited unknown limitMs delayed transactionsDelayed p95Ms maxMs stillWaiting transactionsStillWaiting } } }`,
        nodes.length > 1 ? { chain, from, to } : { node: nodeId, from, to },
      );
      return intervalReport;
    },
    findToldAt: async ({ position }) => {
      const [row] = await dataSource.query<{ at: number }[]>(
        'SELECT (extract(epoch FROM observed_at) * 1000)::float8 AS at FROM event WHERE position = $1',
        [position],
      );
      return row?.at ?? NaN;
    },
    stop: async () => {
      await api.stop();
      await dataSource.destroy();
      await database.stop();
    },
  };
}
