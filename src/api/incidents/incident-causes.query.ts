import { Inject, Injectable } from '@nestjs/common';
import { nodeIdsOf } from '../../domain/health/trouble.js';
import { millisToMicros, nanosToMicros } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { findDaNodeRule } from '../../statistics/interval/da-node-then.query.js';
import { getFailures, requireFewRows } from '../../statistics/interval/interval-rows.query.js';
import { ReadFault } from '../../statistics/read/plan/read-fault.js';
import { inSnapshot } from '../../platform/snapshot.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { presentOf } from '../graphql/time-travel.js';
import { toCause } from '../interval/interval-answer.js';
import type { IntervalCause } from '../interval/interval.type.js';
import { findIncidentOwner } from './incident-owner.js';
import type { Incident } from './incident.type.js';

@Injectable()
export class IncidentCausesQuery {
  /** Causes by incident of one answer, because several fields of the answer need them. */
  private readonly asked = new WeakMap<Incident, Promise<IntervalCause[]>>();

  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  /**
   * Causes from the first sign to the end, or to the present of the incident's past; most frequent first. An incident of several
   * nodes gets the causes of their chain.
   * @throws ReadFault TOO_EXPENSIVE for too many submissions
   */
  getCauses(incident: Incident): Promise<IntervalCause[]> {
    const known = this.asked.get(incident);
    if (known !== undefined) return known;
    const causes = this.readCauses(incident);
    this.asked.set(incident, causes);
    return causes;
  }

  /** As {@link getCauses}, but empty if there are too many submissions. */
  async getFewCauses(incident: Incident): Promise<IntervalCause[]> {
    try {
      return await this.getCauses(incident);
    } catch (error) {
      if (error instanceof ReadFault) return [];
      throw error;
    }
  }

  /** The worst that the DA nodes of its nodes showed meanwhile; undefined where none is watched. */
  findDaNodeRule(incident: Incident): Promise<string | undefined> {
    const { from, to, past } = incident;
    const toUs = to === null ? millisToMicros(presentOf(past, this.options.clock.now())) : nanosToMicros(to);
    return findDaNodeRule(this.reads, nodeIdsOf(incident), {
      fromUs: nanosToMicros(from),
      toUs,
      knownAt: past.knownAt,
    });
  }

  private async readCauses(incident: Incident): Promise<IntervalCause[]> {
    const { from, to, past } = incident;
    const nowUs = millisToMicros(presentOf(past, this.options.clock.now()));
    const toUs = to === null ? nowUs : nanosToMicros(to);
    const owner = await findIncidentOwner(this.reads, incident);
    const stretch = { ...owner, fromUs: nanosToMicros(from), toUs, nowUs, knownAt: past.knownAt };
    return inSnapshot(this.reads, async (query) => {
      await requireFewRows(query, stretch);
      return (await getFailures(query, stretch)).map(toCause);
    });
  }
}
