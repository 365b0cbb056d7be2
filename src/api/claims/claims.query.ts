import { Inject, Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { ReadTexts } from '../../platform/reads/read-request.js';
import { selectList } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import type { Micros } from '../../domain/time.js';
import { ClaimEntity } from '../../tables/health.entities.js';
import { toPage, toPageRequest, type Page } from '../graphql/connection.js';
import { codecFor, cursorsOf, type Key, keysetOrder, timeOfKey } from '../graphql/keyed-list.js';
import { RawJson } from '../graphql/raw-json.js';
import { type NodeMoment, MOMENTS } from '../health/history.query.js';
import { toNanos } from '../graphql/scalars.js';
import { limitOf, SqlParameters, whereAll } from '../graphql/sql-text.js';
import { PRESENT } from '../graphql/time-travel.js';
import type { Claim, ClaimArgs, ClaimKind } from './claim.type.js';
import { rowId } from '../objects/row-id.js';

interface ClaimRow extends Pick<ClaimEntity, 'node' | 'kind' | 'observedAt' | 'status' | 'fromPosition'> {
  readonly body: string;
}

const SELECT_CLAIM = `${selectList(ClaimEntity, 'c', ['node', 'kind', 'observedAt', 'status', 'fromPosition'])}, c.body::text AS body`;

/** Time of the poll, then the event. */
const KEY: Key = [
  { sql: 'c.observed_at', type: 'timestamptz' },
  { sql: 'c.from_position', type: 'bigint' },
];
const CURSORS = cursorsOf<ClaimRow>('claims', KEY, ({ observedAt, fromPosition }) => [
  timeOfKey(observedAt),
  fromPosition,
]);

/** Reads what nodes reported about themselves. */
@Injectable()
export class ClaimsQuery {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /** A page of a node's claims, oldest first. */
  async getClaims(args: ClaimArgs): Promise<Page<Claim>> {
    const { node, kind, from, to } = args;
    const codec = codecFor(CURSORS, { node, kind, from, to });
    const request = toPageRequest(args, codec);
    const parameters = new SqlParameters();
    const conditions = [
      `c.node = ${parameters.add(args.node, 'text')}`,
      `c.kind = ${parameters.add(args.kind.toLowerCase(), 'text')}`,
      ...parameters.compareTime('c.observed_at', '>=', args.from),
      ...parameters.compareTime('c.observed_at', '<', args.to),
    ];
    const keyset = keysetOrder(KEY, request, true, parameters);
    const rows = await this.read<ClaimRow>(
      SELECT_CLAIM,
      `FROM claim c ${whereAll([...conditions, ...keyset.conditions])}
        ORDER BY ${keyset.orderBy} LIMIT ${limitOf(request.size + 1)}`,
      parameters.values,
    );
    return toPage(request, rows, codec, toClaim);
  }

  /** The latest health claim of each node at a moment of a past, in the order of `moments`; undefined if there was none yet. */
  async getClaimsAt(moments: readonly NodeMoment[], { knownAt } = PRESENT): Promise<(Claim | undefined)[]> {
    const wanted = MOMENTS.unnest(moments, 'asked');
    const parameters = new SqlParameters(wanted.parameters);
    const conditions = [
      "c.node = asked.node AND c.kind = 'health' AND c.observed_at <= asked.at",
      ...parameters.compare('c.from_position', '<=', knownAt),
    ];
    const rows = await this.read<ClaimRow & { readonly at: Micros }>(
      `asked.at, ${SELECT_CLAIM}`,
      `FROM ${wanted.sql} CROSS JOIN LATERAL (
         SELECT * FROM claim c ${whereAll(conditions)} ORDER BY c.observed_at DESC, c.from_position DESC LIMIT 1) c`,
      parameters.values,
    );
    const found = new Map(rows.map((row) => [`${row.node} ${row.at}`, toClaim(row)]));
    return moments.map(({ node, at }) => found.get(`${node} ${at}`));
  }

  /** Reads claims once there is memory for their bodies, which can have 64 kB each. @param from FROM clause with `claim c` */
  private async read<Row>(columns: string, from: string, parameters: unknown[]): Promise<Row[]> {
    const [size] = await this.reads.query<{ bytes: bigint | null }[]>(
      `SELECT sum(octet_length(body::text)) AS bytes FROM (SELECT c.body ${from}) claim`,
      parameters,
    );
    await new ReadTexts().hold(Number(size?.bytes ?? 0));
    return this.reads.query<Row[]>(`SELECT ${columns} ${from}`, parameters);
  }
}

function toClaim({ node, observedAt, kind, status, body, fromPosition }: ClaimRow): Claim {
  const time = toNanos(observedAt);
  const kindName = kind.toUpperCase() as ClaimKind;
  const id = rowId('Claim', node, kindName, observedAt, fromPosition);
  return { id, time, observedAt: time, kind: kindName, status, body: new RawJson(body) };
}
