import { Injectable, Inject } from '@nestjs/common';
import {
  ownerOf,
  type DaNodeEvents,
  type ExecutionEvents,
  type RecordedEvent,
  type Subject,
} from '../../domain/events.js';
import { nanosToMicros } from '../../domain/time.js';
import { findLatestEvents } from '../../event-log/latest-event.reader.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import type { Past } from '../graphql/time-travel.js';

type HeadEvents = Pick<DaNodeEvents, 'DaHeadObserved'> & Pick<ExecutionEvents, 'ExecutionHeadObserved'>;

const SUBJECT_OF: Readonly<Record<keyof HeadEvents, Subject>> = {
  DaHeadObserved: 'daNode',
  ExecutionHeadObserved: 'execution',
};

/** Reads the newest heads of the systems behind nodes from the log: each poll has another one. */
@Injectable()
export class SystemHeadsQuery {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /** The last observed head of each node's system, by node. Nodes without a head are missing. */
  async getHeads<T extends keyof HeadEvents>(
    type: T,
    nodes: readonly string[],
    { asOf, end, knownAt }: Past,
  ): Promise<ReadonlyMap<string, HeadEvents[T]>> {
    const until = asOf ?? end;
    const at = until === undefined ? undefined : nanosToMicros(until - 1n);
    const streams = nodes.map((node) => `${node}/${SUBJECT_OF[type]}`);
    const events = await findLatestEvents(this.reads, streams, type, { at, knownAt });
    const heads: readonly Pick<RecordedEvent, 'stream' | 'body'>[] = events;
    return new Map(heads.map(({ stream, body }) => [ownerOf(stream), body as HeadEvents[T]]));
  }
}
