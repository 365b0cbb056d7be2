import { Inject, Injectable } from '@nestjs/common';
import type { ProbeName } from '../../domain/events.js';
import type { Micros } from '../../domain/time.js';
import { findLatestEvent, findPositionAt, MOST_EVENTS } from '../../event-log/latest-event.reader.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { selectList } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import { type ClaimEntity, ProbeStateEntity } from '../../tables/health.entities.js';
import { NodeEntity } from '../../tables/record.entities.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';

/** A node's claim about itself. */
export interface SaidClaim extends Pick<ClaimEntity, 'observedAt'> {
  /** The response, a JSON object. */
  readonly text: string;
}

/** Reads the last claims of a node up to a moment. */
@Injectable()
export class SaidQuery {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /** Undefined where the node made no such claim, and where the claim was too long to be recorded. */
  async findClaim(
    kind: ClaimEntity['kind'],
    node: string,
    at: Micros | undefined,
  ): Promise<SaidClaim | undefined> {
    const parameters = new SqlParameters();
    const conditions = [
      `c.node = ${parameters.add(node, 'text')}`,
      `c.kind = ${parameters.add(kind, 'text')}`,
      ...upTo('c.observed_at', at, parameters),
    ];
    const rows = await this.reads.query<SaidClaim[]>(
      `SELECT c.observed_at AS "observedAt", c.body::text AS text FROM claim c ${whereAll(conditions)}
        ORDER BY c.observed_at DESC, c.from_position DESC LIMIT 1`,
      parameters.values,
    );
    return rows.find(({ text }) => text.startsWith('{') && !text.startsWith('{"hindsight_cut"'));
  }

  /** The last result of a probe; undefined before the first poll. */
  async findProbe(
    probe: ProbeName,
    node: string,
    at: Micros | undefined,
  ): Promise<ProbeStateEntity | undefined> {
    const parameters = new SqlParameters();
    const conditions = [
      `p.node = ${parameters.add(node, 'text')}`,
      `p.probe = ${parameters.add(probe, 'text')}`,
      ...upTo('p.from_at', at, parameters),
    ];
    const rows = await this.reads.query<ProbeStateEntity[]>(
      `SELECT ${selectList(ProbeStateEntity, 'p')} FROM probe_state p ${whereAll(conditions)}
        ORDER BY p.from_at DESC, p.from_position DESC LIMIT 1`,
      parameters.values,
    );
    return rows[0];
  }

  /** The namespaces that a node had reported by a moment; undefined before its first report. */
  async findNamespaces(node: string, at: Micros | undefined): Promise<SaidNamespaces | undefined> {
    if (at === undefined) {
      const columns = selectList(NodeEntity, 'n', ['headerNamespace', 'dataNamespace']);
      const rows = await this.reads.query<SaidNamespaces[]>(
        `SELECT ${columns}, n.last_seen_at AS "toldAt" FROM node n WHERE n.id = $1 AND n.header_namespace IS NOT NULL`,
        [node],
      );
      return rows[0];
    }
    const stream = `${node}/node`;
    const place = await findPositionAt(this.reads, stream, at);
    if (!place) return undefined;
    const find = (version: bigint) =>
      findLatestEvent(this.reads, stream, 'NodeDescribed', { ...place, version });
    // Most nodes report it once, when they are first observed.
    const described =
      (await find(place.version)) ?? (await find(place.version < MOST_EVENTS ? place.version : MOST_EVENTS));
    const { headerNamespace, dataNamespace } = described?.body ?? {};
    return described && headerNamespace
      ? { headerNamespace, dataNamespace: dataNamespace ?? null, toldAt: described.observedAt }
      : undefined;
  }
}

interface SaidNamespaces extends Pick<NodeEntity, 'headerNamespace' | 'dataNamespace'> {
  readonly toldAt: Micros | null;
}

function upTo(column: string, at: Micros | undefined, parameters: SqlParameters): string[] {
  return at === undefined ? [] : [`${column} <= ${parameters.addTime(at)}`];
}
