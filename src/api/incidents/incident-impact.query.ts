import { Inject, Injectable } from '@nestjs/common';
import { microsToNanos, millisToMicros, nanosToMicros } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { IntervalReader, LONGEST_INTERVAL_US } from '../../statistics/interval/interval.reader.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { presentOf } from '../graphql/time-travel.js';
import { toIntervalReport } from '../interval/interval-answer.js';
import type { IntervalReport } from '../interval/interval.type.js';
import { findIncidentOwner } from './incident-owner.js';
import type { Incident } from './incident.type.js';

@Injectable()
export class IncidentImpactQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly reader: IntervalReader,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  /**
   * Figures from the first sign to the end, or to the present of the incident's past; at most its last 31 days.
   * @throws ReadFault TOO_EXPENSIVE for too many submissions or blocks
   */
  async getImpact(incident: Incident): Promise<IntervalReport> {
    const { nodeId, to, past } = incident;
    const owner = await findIncidentOwner(this.reads, incident);
    const nowUs = millisToMicros(presentOf(past, this.options.clock.now()));
    const toUs = to === null ? nowUs : nanosToMicros(to);
    const firstUs = nanosToMicros(incident.from);
    const fromUs = firstUs > toUs - LONGEST_INTERVAL_US ? firstUs : toUs - LONGEST_INTERVAL_US;
    const figures = await this.reader.getFigures({ ...owner, fromUs, toUs, nowUs, knownAt: past.knownAt });
    const { chain } = owner;
    const times = { from: microsToNanos(fromUs), to: microsToNanos(toUs) };
    return toIntervalReport({ node: chain === null ? nodeId : null, chain, ...times }, figures);
  }
}
