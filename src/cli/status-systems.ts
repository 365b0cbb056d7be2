import { tiaText } from '../domain/funds/fund-words.js';
import { duration } from '../domain/health/health-rule.js';
import type { Millis } from '../domain/time.js';
import { MOST_NODES, section } from './status-table.js';

/** DA nodes, their accounts and execution layers, from GraphQL. */
export interface SystemsSummary {
  /** The time of the answer, by the service's clock. */
  readonly now: string;
  readonly daNodes: readonly {
    readonly nodeId: string;
    readonly state: string | null;
    readonly reason: string | null;
    readonly head: string | null;
    readonly headAgeMs: number | null;
  }[];
  readonly executionLayers: readonly {
    readonly nodeId: string;
    readonly state: string;
    readonly reason: string;
    readonly head: string | null;
    readonly lagBlocks: string | null;
  }[];
  readonly accounts: readonly {
    readonly address: string;
    readonly nodes: readonly string[];
    readonly balance: string | null;
    readonly detail: string;
    readonly runway: { readonly from: string | null; readonly to: string | null } | null;
  }[];
}

const DA_NODE_HEAD = ['node', 'state', 'head', 'age', 'why'];
const LAYER_HEAD = ['node', 'state', 'head', 'behind', 'why'];
const ACCOUNT_HEAD = ['account', 'nodes', 'TIA', 'lasts', 'why'];

/** Sections for people; none where the settings name no such system. */
export function printSystems({ now, daNodes, accounts, executionLayers }: SystemsSummary): string[] {
  const systems = daNodes
    .slice(0, MOST_NODES)
    .map(({ nodeId, state, reason, head, headAgeMs }) => [
      nodeId,
      state ?? 'UNKNOWN',
      head ?? 'unknown',
      headAgeMs === null ? 'unknown' : duration(headAgeMs),
      state === 'HEALTHY' ? '' : (reason ?? ''),
    ]);
  const payers = accounts
    .slice(0, MOST_NODES)
    .map(({ address, nodes, balance, detail, runway }) => [
      address,
      nodes.join(', '),
      balance === null ? 'unknown' : tiaText(balance),
      runwayText(runway, Date.parse(now)),
      detail,
    ]);
  const layers = executionLayers
    .slice(0, MOST_NODES)
    .map(({ nodeId, state, reason, head, lagBlocks }) => [
      nodeId,
      state,
      head ?? 'unknown',
      lagBlocks ?? 'unknown',
      state === 'HEALTHY' ? '' : reason,
    ]);
  return [
    section(titleOf('DA nodes', daNodes, systems), systems, DA_NODE_HEAD, [false, false, true, true]),
    section(titleOf('Accounts', accounts, payers), payers, ACCOUNT_HEAD, [false, false, true, true]),
    section(titleOf('Execution layers', executionLayers, layers), layers, LAYER_HEAD, [
      false,
      false,
      true,
      true,
    ]),
  ];
}

function titleOf(name: string, all: readonly unknown[], listed: readonly unknown[]): string {
  const more = all.length - listed.length;
  return `${name}: ${all.length}${more > 0 ? `; ${listed.length} are listed, and ${more} more` : ''}`;
}

function runwayText(runway: SystemsSummary['accounts'][number]['runway'], now: Millis): string {
  if (!runway || runway.from === null || runway.to === null) return 'unknown';
  const [from, to] = [runway.from, runway.to].map((at) => duration(Math.max(0, Date.parse(at) - now)));
  return from === to ? `${from}` : `${from} to ${to}`;
}
