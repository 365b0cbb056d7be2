import { Inject, Injectable } from '@nestjs/common';
import { nearestCount, readHeight, readInteger, toClockTime } from '../../domain/bounds.js';
import { mayWrite } from '../../domain/da-token.js';
import type { DaNodeEvents } from '../../domain/events.js';
import { nanosToMillis, millisToNanos, type Nanos } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { selectList } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import { DaNodeEntity } from '../../tables/health.entities.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { toNanos } from '../graphql/scalars.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import { findPast, presentOf, type Past } from '../graphql/time-travel.js';
import type { HealthInterval } from '../health/health.type.js';
import { HistoryQuery } from '../health/history.query.js';
import { rowId, versionOf } from '../objects/row-id.js';
import { SystemHeadsQuery } from './system-heads.query.js';
import { DaNode, DaSampling, DaTokenRights, type DaNodeArgs } from './da-node.type.js';

interface DaNodeRow extends DaNodeEntity {
  readonly chain: string | null;
  readonly accounts: readonly string[];
}

/** Conditions: what was known of a row in a past. @param alias of a table with `from_position` and `observed_at` */
export function knownIn({ knownAt, asOf }: Past, alias: string, parameters: SqlParameters): string[] {
  return [
    ...parameters.compare(`${alias}.from_position`, '<=', knownAt),
    ...parameters.compareTime(`${alias}.observed_at`, '<', asOf),
  ];
}

@Injectable()
export class DaNodesQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
    private readonly history: HistoryQuery,
    private readonly heads: SystemHeadsQuery,
  ) {}

  /** DA nodes in a past, or in the present, ordered by the id of the rollup node. */
  async getDaNodes({ nodes, ...travel }: DaNodeArgs): Promise<DaNode[]> {
    const past = await findPast(this.reads, travel);
    const rows = await this.readRows(nodes, past);
    if (rows.length === 0) return [];
    const ids = rows.map(({ node }) => node);
    const health = await this.history.getPresentHealth(ids, 'DA_NODE', past);
    const heads = await this.heads.getHeads('DaHeadObserved', ids, past);
    const now = millisToNanos(presentOf(past, this.options.clock.now()));
    const shown = rows.filter(({ node }) => health.get(node)?.rule !== 'retired');
    return shown.map((row) =>
      toDaNode(row, { health: health.get(row.node), head: readDaHead(heads.get(row.node)), now, past }),
    );
  }

  private readRows(nodes: readonly string[] | null | undefined, past: Past): Promise<DaNodeRow[]> {
    const parameters = new SqlParameters();
    const ofNodes = ['now.to_position IS NULL', ...parameters.oneOf('now.node', nodes)];
    const known = whereAll(['d.node = now.node', ...knownIn(past, 'd', parameters)]);
    const knownAccounts = whereAll([
      'a.account = present.account',
      'a.node = now.node',
      ...knownIn(past, 'a', parameters),
    ]);
    return this.reads.query<DaNodeRow[]>(
      `SELECT ${selectList(DaNodeEntity, 'd')}, n.chain_id AS chain,
              ARRAY(SELECT present.account FROM account present
                     WHERE present.node = now.node AND present.to_position IS NULL
                       AND EXISTS (SELECT FROM account a ${knownAccounts})
                     ORDER BY present.account COLLATE "C") AS accounts
         FROM da_node now
        CROSS JOIN LATERAL (SELECT * FROM da_node d ${known} ORDER BY d.from_position DESC LIMIT 1) d
         LEFT JOIN node n ON n.id = now.node
        ${whereAll(ofNodes)} ORDER BY now.node COLLATE "C"`,
      parameters.values,
    );
  }
}

/** The newest header of a DA node. */
interface DaHead {
  readonly chain: string | null;
  readonly height: bigint;
  readonly at: Nanos;
  readonly syncTo: bigint | null;
  readonly sampling: DaSampling | null;
  readonly consensus: Pick<DaHead, 'height' | 'at'> | null;
}

/** Undefined for a head that no DA chain has. */
function readDaHead(body: DaNodeEvents['DaHeadObserved'] | undefined): DaHead | undefined {
  const block = readBlock(body);
  if (body === undefined || block === null) return undefined;
  const { chain, syncTo, sampling, consensus } = body;
  return {
    chain,
    ...block,
    syncTo: readHeight(syncTo),
    sampling: sampling && toSampling(sampling),
    consensus: readBlock(consensus),
  };
}

/** Null for a block that no DA chain has. */
function readBlock(
  block: { readonly height: string; readonly timeNs: string } | null | undefined,
): Pick<DaHead, 'height' | 'at'> | null {
  const height = readHeight(block?.height ?? null);
  const at = readInteger(block?.timeNs ?? '') ?? -1n;
  return height === null || toClockTime(nanosToMillis(at)) === null ? null : { height, at };
}

interface Judged {
  readonly health: HealthInterval | undefined;
  readonly head: DaHead | undefined;
  /** The time of the answer, or the end of its past. */
  readonly now: bigint;
  readonly past: Past;
}

function toDaNode(row: DaNodeRow, { health, head, now, past }: Judged): DaNode {
  const { node, outcome, statusCode, detail, chain, accounts, observedAt } = row;
  const id = rowId('DaNode', node);
  const isSeen = outcome === 'OK' && health !== undefined && health.state !== 'UNKNOWN';
  return Object.assign(new DaNode(), {
    id,
    versionId: versionOf(id, past),
    nodeId: node,
    chain,
    state: health?.state ?? null,
    rule: health?.rule ?? null,
    reason: health?.reason ?? null,
    outcome,
    since: toNanos(observedAt),
    statusCode,
    detail,
    daChain: head?.chain ?? null,
    head: head?.height ?? null,
    headAt: head?.at ?? null,
    headAgeMs: head && isSeen ? Math.max(0, nanosToMillis(now - head.at)) : null,
    syncTo: head?.syncTo ?? null,
    sampling: head?.sampling ?? null,
    consensusHead: head?.consensus?.height ?? null,
    consensusHeadAt: head?.consensus?.at ?? null,
    token: toToken(row),
    accounts,
  });
}

function toSampling({
  isRunning,
  failed,
  head,
}: NonNullable<DaNodeEvents['DaHeadObserved']['sampling']>): DaSampling {
  return Object.assign(new DaSampling(), {
    running: isRunning,
    failed: nearestCount(failed),
    head: readHeight(head),
  });
}

function toToken({ tokenPermissions, tokenExpiresAt }: DaNodeRow): DaTokenRights | null {
  if (tokenPermissions === null) return null;
  return Object.assign(new DaTokenRights(), {
    permissions: tokenPermissions,
    expiresAt: toNanos(tokenExpiresAt),
    mayWrite: mayWrite({ permissions: tokenPermissions, expiresAt: null }),
  });
}
