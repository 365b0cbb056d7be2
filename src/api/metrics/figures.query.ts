import { Inject, Injectable } from '@nestjs/common';
import { daysLeft, type DiskUse } from '../../domain/disk-growth.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { Database } from '../../platform/sql.js';
import { mapInTimeSlices } from '../../platform/time-slices.js';
import { TROUBLED_STATES } from '../../domain/health/trouble.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { IncidentsQuery } from '../incidents/incidents.query.js';
import { DiskWatch } from '../own-health/disk-watch.js';
import { readLog, readProjections } from '../own-health/readiness-facts.query.js';
import type { FigureName, Sample } from './metric-table.js';
import { addTotals, toNodeSamples } from './node-samples.js';
import { NodeStatesQuery } from './node-states.query.js';
import { NodeTotalsBook } from './node-totals.js';
import { SystemSamplesQuery } from './system-samples.query.js';

/** Counting stops here. */
const MOST_MARKS = 1_000_000;

/** Reads the figures of the nodes, the log and the read models from the database: about ten statements, one at a time. */
@Injectable()
export class FiguresQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
    private readonly states: NodeStatesQuery,
    private readonly totals: NodeTotalsBook,
    private readonly disk: DiskWatch,
    private readonly incidents: IncidentsQuery,
    private readonly systems: SystemSamplesQuery,
    private readonly primary: Database,
  ) {}

  async getSamples(): Promise<Sample[]> {
    const states = await this.states.getStates();
    const counted = states.map(({ node: { nodeKey, chain } }) => ({ nodeKey, chain: chain ?? '' }));
    const totals = addTotals(await this.totals.getTotals(counted));
    const now = this.options.clock.now();
    const ofNodes = await mapInTimeSlices(states, (state) =>
      toNodeSamples(state, totals.get(state.node.nodeKey), now),
    );
    const ofSystems = await this.systems.getSamples(
      states.map(({ node }) => node.id),
      now,
    );
    return [...ofNodes.flat(), ...ofSystems, ...(await this.getOwnSamples())];
  }

  private async getOwnSamples(): Promise<Sample[]> {
    const [row] = await this.reads.query<{ marks: number }[]>(
      `SELECT count(*)::int AS marks FROM (SELECT FROM roll_up_mark LIMIT ${MOST_MARKS}) AS mark`,
    );
    const projections = await readProjections(this.reads);
    // A replica may lag too far behind to show current leases.
    const { position, leases } = await readLog(this.primary);
    const use = await this.disk.getUse();
    const open = await this.incidents.countOpen();
    return [
      one('hindsight_log_position', Number(position)),
      ...(row ? [one('hindsight_marks', row.marks)] : []),
      ...projections.flatMap(({ name: projection, behind, waitingSeconds }) => [
        one('hindsight_projection_lag_events', Number(behind), { projection }),
        one('hindsight_projection_lag_seconds', Math.max(0, waitingSeconds ?? 0), { projection }),
      ]),
      ...TROUBLED_STATES.map((severity) => one('hindsight_incidents_open', open[severity], { severity })),
      one('hindsight_shards_held', leases.filter(({ isHeld }) => isHeld).length),
      ...(use ? tellDisk(use) : []),
    ];
  }
}

function one(metric: FigureName, value: number, labels = {}): Sample {
  return { metric, labels, value };
}

function tellDisk(use: DiskUse): Sample[] {
  const { logBytes, readModelBytes, freeBytes, growthBytesPerDay } = use;
  const days = daysLeft(use);
  return [
    one('hindsight_disk_bytes', Number(logBytes), { what: 'log' }),
    one('hindsight_disk_bytes', Number(readModelBytes), { what: 'read_models' }),
    ...(freeBytes === undefined ? [] : [one('hindsight_disk_bytes', Number(freeBytes), { what: 'free' })]),
    ...(growthBytesPerDay === undefined ? [] : [one('hindsight_disk_growth_bytes', growthBytesPerDay)]),
    ...(days === undefined ? [] : [one('hindsight_disk_days_left', days)]),
  ];
}
