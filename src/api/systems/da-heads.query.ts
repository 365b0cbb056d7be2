import { Injectable, Inject } from '@nestjs/common';
import type { DaNodeEvents, RecordedEvent } from '../../domain/events.js';
import { readHeight, readInteger, toClockTime } from '../../domain/bounds.js';
import { nanosToMicros, nanosToMillis, type Nanos } from '../../domain/time.js';
import { decodeBody, SELECT_EVENT, toRecordedEvent, type LogRow } from '../../event-log/logged-event.js';
import { MOST_EVENTS } from '../../event-log/latest-event.reader.js';
import { findVersionsAt } from '../../event-log/stream-versions.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { readRows } from '../../platform/rows/read-rows.js';
import { columnsFor } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import { DaHeadEntity } from '../../tables/health.entities.js';
import { toNanos } from '../graphql/scalars.js';
import { SqlParameters } from '../graphql/sql-text.js';
import type { Past } from '../graphql/time-travel.js';

/** The newest header of a DA node. */
export interface DaHead {
  readonly chain: string | null;
  readonly height: bigint;
  readonly at: Nanos;
  readonly syncTo: bigint | null;
  readonly sampling: DaNodeEvents['DaHeadObserved']['sampling'];
}

const STREAMS = columnsFor({ stream: 'text', version: 'int8' });

/** Reads the newest heads of DA nodes. The read model has those of now, and the log those of the past. */
@Injectable()
export class DaHeadsQuery {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /** The head of each DA node, by rollup node. Nodes without a head are missing. */
  getHeads(nodes: readonly string[], past: Past): Promise<ReadonlyMap<string, DaHead>> {
    return past.end === undefined
      ? this.readPresent(nodes)
      : this.readPast(nodes, past, past.asOf ?? past.end);
  }

  private async readPresent(nodes: readonly string[]): Promise<Map<string, DaHead>> {
    const query = <Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> =>
      this.reads.query<Row[]>(sql, [...parameters]);
    const rows = await readRows(query, DaHeadEntity, 'WHERE t.node = ANY ($1::text[])', [nodes]);
    return new Map(rows.map(({ node, timeAt, ...head }) => [node, { ...head, at: toNanos(timeAt) }]));
  }

  private async readPast(nodes: readonly string[], past: Past, end: Nanos): Promise<Map<string, DaHead>> {
    const streams = nodes.map((node) => `${node}/daNode`);
    const versions = await findVersionsAt(this.reads, streams, nanosToMicros(end - 1n));
    const wanted = STREAMS.unnest(
      [...versions].map(([stream, version]) => ({ stream, version })),
      'asked',
    );
    const parameters = new SqlParameters(wanted.parameters);
    const known = parameters.compare('e.position', '<=', past.knownAt).map((each) => ` AND ${each}`);
    const rows = await this.reads.query<LogRow[]>(
      `SELECT e.* FROM ${wanted.sql} CROSS JOIN LATERAL (${SELECT_EVENT}
         WHERE e.stream = asked.stream AND e.version <= asked.version AND e.version > asked.version - ${MOST_EVENTS}
           AND e.type = 'DaHeadObserved'${known.join('')} ORDER BY e.version DESC LIMIT 1) e`,
      parameters.values,
    );
    return new Map(
      rows.flatMap((row): [string, DaHead][] => {
        const { stream, body } = toRecordedEvent(row, decodeBody) as Extract<
          RecordedEvent,
          { type: 'DaHeadObserved' }
        >;
        const height = readHeight(body.height);
        const at = readInteger(body.timeNs) ?? -1n;
        if (height === null || toClockTime(nanosToMillis(at)) === null) return [];
        const { chain, sampling } = body;
        const head = { chain, height, at, syncTo: readHeight(body.syncTo), sampling };
        return [[stream.slice(0, -'/daNode'.length), head]];
      }),
    );
  }
}
