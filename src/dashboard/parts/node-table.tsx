import type { ComponentChildren } from 'preact';
import ACTIVITY from '../data/activity.graphql?raw';
import type {
  ActivityQuery,
  ActivityQueryVariables,
  FleetCostsQuery,
  NodeFeesQuery,
  NodeFragment,
} from '../data/answers.gen.js';
import { nowMs } from '../data/now.js';
import { momentMsOf } from '../data/range.js';
import { useAnswer } from '../data/use-answer.js';
import { momentOf, type View } from '../data/view.js';
import { count, money, timeSpan } from '../data/words.js';
import { Ago } from './ago.js';
import { HealthBars, useBars } from './health-bars.js';
import { Named } from './named.js';
import { NodeState, watchedUntil } from './node-state.js';
import { Sparkline } from './sparkline.js';
import { Table, type Column } from './table.js';

const DAY_MS = 86_400_000;
const EVERY_MS = 120_000;
/** Most nodes with a sparkline, as with bars. */
const MOST_NODES = 100;

/** Bars and sparklines of nodes. */
export interface NodeExtras {
  readonly bars: ReturnType<typeof useBars>;
  readonly activity: ActivityQuery['statistics'];
}

/** Queries the bars and sparklines of nodes, in the order of their rows. */
export function useNodeExtras(view: View, ids: readonly string[]): NodeExtras {
  const moment = momentOf(view);
  // Sorted: another order of the rows is no other question.
  const nodes = ids.slice(0, MOST_NODES).toSorted();
  const variables = (): ActivityQueryVariables => {
    const toMs = momentMsOf(view, nowMs());
    return {
      ...moment,
      nodes,
      from: new Date(toMs - DAY_MS).toISOString(),
      to: new Date(toMs).toISOString(),
    };
  };
  const id = JSON.stringify([nodes, moment]);
  const { answer } = useAnswer<ActivityQuery>(nodes.length === 0 ? undefined : [ACTIVITY, id, variables], {
    everyMs: EVERY_MS,
  });
  return { bars: useBars(nodes, moment, '24 h'), activity: answer?.statistics ?? [] };
}

/** Nodes as rows: state, health of a day, attempts of a day, and the figures that people look for first. */
export function NodeTable(given: {
  readonly title: ComponentChildren;
  /** Its name among the page's regions. */
  readonly name: string;
  readonly nodes: readonly NodeFragment[];
  /** Ids of nodes whose trouble the page explains elsewhere. */
  readonly explained: ReadonlySet<string>;
  readonly figures: FleetCostsQuery | undefined;
  readonly fees: NodeFeesQuery | undefined;
  readonly extras: NodeExtras;
}) {
  const { title, name, nodes, explained, figures, extras } = given;
  const fees = new Map(given.fees?.costReport.map((row) => [row.node, row]));
  const columns: Column<NodeFragment>[] = [
    { name: 'Node', cell: (node) => <NodeName node={node} /> },
    {
      name: 'State',
      cell: (node) => <NodeState node={node} hasReasons={!explained.has(node.id)} />,
    },
    {
      name: 'Health',
      cell: ({ id }) => <HealthBars node={id} bars={extras.bars.get(id)} length="24 h" />,
    },
    {
      name: 'Attempts, 24 h',
      cell: ({ id, aggregator }) => {
        const hours = extras.activity.filter(({ node }) => node === id);
        const isIdle = aggregator === false && !hours.some(({ attemptsFloat }) => attemptsFloat);
        return isIdle ? <span class="quiet">submits nothing</span> : <Sparkline name={id} hours={hours} />;
      },
    },
    {
      name: 'Last success',
      cell: ({ aggregator, lastSuccessAt }) =>
        aggregator === false && lastSuccessAt === null ? '' : <Ago at={lastSuccessAt} />,
    },
    { name: 'Head', isNumber: true, cell: ({ headFloat }) => count(headFloat) },
    {
      name: 'Pending',
      isNumber: true,
      cell: ({ aggregator, pendingFloat }) =>
        aggregator === false && pendingFloat === null ? '' : count(pendingFloat),
    },
    {
      name: 'Cost today',
      isNumber: true,
      cell: ({ id, aggregator }) => (
        <>
          {aggregator === false && !fees.get(id)?.submissionsFloat ? '' : money(fees.get(id))}
          <Lasts node={id} figures={figures} />
        </>
      ),
    },
  ];
  return <Table stacks title={title} name={name} none="No node matches." columns={columns} rows={nodes} />;
}

/** How long the money of a node lasts at the fastest rate; nothing where that is unknown. */
function Lasts({ node, figures }: { readonly node: string; readonly figures: FleetCostsQuery | undefined }) {
  const ends = (figures?.accounts ?? []).flatMap(({ nodes, runway }) =>
    nodes.includes(node) && runway?.from ? Date.parse(runway.from) : [],
  );
  if (figures === undefined || ends.length === 0) return null;
  const leftMs = Math.max(0, Math.min(...ends) - Date.parse(figures.now));
  return (
    <div>
      <small class="quiet">balance lasts {timeSpan(leftMs)}</small>
    </div>
  );
}

function NodeName({ node: { id, aggregator } }: { readonly node: NodeFragment }) {
  return (
    <span class="node-name">
      <Named kind="node" id={id} />
      {aggregator !== null && <small>{aggregator ? 'sequencer' : 'follower'}</small>}
    </span>
  );
}

/** Nodes that are no longer monitored, folded: their records are kept. */
export function GoneNodes({ nodes }: { readonly nodes: readonly NodeFragment[] }) {
  return (
    <details class="card">
      <summary>No longer monitored: {nodes.length}</summary>
      <Table
        title="Their records are kept"
        none=""
        columns={[
          { name: 'Node', cell: (node) => <NodeName node={node} /> },
          {
            name: 'Chain',
            cell: ({ chain }) => (chain === null ? 'not reported' : <Named kind="chain" id={chain} />),
          },
          { name: 'Head', isNumber: true, cell: ({ headFloat }) => count(headFloat) },
          { name: 'Last success', cell: ({ lastSuccessAt }) => <Ago at={lastSuccessAt} /> },
          {
            name: 'Monitored until',
            cell: (node) => <Ago at={watchedUntil(node) ?? node.lastSeenAt} />,
          },
        ]}
        rows={nodes}
      />
    </details>
  );
}

/** Nodes that were not yet monitored at the past moment, folded: their states then are unknown. */
export function UnseenNodes({ nodes }: { readonly nodes: readonly NodeFragment[] }) {
  return (
    <details class="card">
      <summary>Not monitored yet at this moment: {nodes.length}</summary>
      <p class="list">
        {nodes.map(({ id }) => (
          <Named key={id} kind="node" id={id} />
        ))}
      </p>
    </details>
  );
}
