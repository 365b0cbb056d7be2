import { tiaText } from '../domain/funds/fund-words.js';
import { duration } from '../domain/health/health-rule.js';
import type { Millis } from '../domain/time.js';
import { printTable, type Column } from '../platform/table.js';
import { MOST_NODES } from './status-table.js';

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

const DA_NODES: readonly Column<SystemsSummary['daNodes'][number]>[] = [
  { title: 'node', read: ({ nodeId }) => nodeId },
  { title: 'state', read: ({ state }) => state ?? 'UNKNOWN' },
  { title: 'head', read: ({ head }) => head ?? 'unknown', isNumber: true },
  {
    title: 'age',
    read: ({ headAgeMs }) => (headAgeMs === null ? 'unknown' : duration(headAgeMs)),
    isNumber: true,
  },
  { title: 'why', read: ({ state, reason }) => (state === 'HEALTHY' ? '' : (reason ?? '')) },
];
const LAYERS: readonly Column<SystemsSummary['executionLayers'][number]>[] = [
  { title: 'node', read: ({ nodeId }) => nodeId },
  { title: 'state', read: ({ state }) => state },
  { title: 'head', read: ({ head }) => head ?? 'unknown', isNumber: true },
  { title: 'behind', read: ({ lagBlocks }) => lagBlocks ?? 'unknown', isNumber: true },
  { title: 'why', read: ({ state, reason }) => (state === 'HEALTHY' ? '' : reason) },
];
const accountsAt = (now: Millis): readonly Column<SystemsSummary['accounts'][number]>[] => [
  { title: 'account', read: ({ address }) => address },
  { title: 'nodes', read: ({ nodes }) => nodes.join(', ') },
  { title: 'TIA', read: ({ balance }) => (balance === null ? 'unknown' : tiaText(balance)), isNumber: true },
  { title: 'lasts', read: ({ runway }) => runwayText(runway, now), isNumber: true },
  { title: 'why', read: ({ detail }) => detail },
];

/** Sections for people; none where the settings name no such system. */
export function printSystems({ now, daNodes, accounts, executionLayers }: SystemsSummary): string[] {
  return [
    printList('DA nodes', DA_NODES, daNodes),
    printList('Accounts', accountsAt(Date.parse(now)), accounts),
    printList('Execution layers', LAYERS, executionLayers),
  ];
}

function printList<Row>(name: string, columns: readonly Column<Row>[], all: readonly Row[]): string {
  if (all.length === 0) return '';
  const listed = all.slice(0, MOST_NODES);
  const more = all.length - listed.length;
  const title = `${name}: ${all.length}${more > 0 ? `; ${listed.length} are listed, and ${more} more` : ''}`;
  return `${title}\n${printTable(columns, listed, { indent: '  ' })}`;
}

function runwayText(runway: SystemsSummary['accounts'][number]['runway'], now: Millis): string {
  if (!runway || runway.from === null || runway.to === null) return 'unknown';
  const [from, to] = [runway.from, runway.to].map((at) => duration(Math.max(0, Date.parse(at) - now)));
  return from === to ? `${from}` : `${from} to ${to}`;
}
