import { useMemo } from 'preact/hooks';
import { toPrintable } from '../../domain/printable-text.js';
import type { IncidentsQuery, NodeFragment, OpenIncidentsQuery, OwnerQuery } from '../data/answers.gen.js';
import { nowMs } from '../data/now.js';
import { useDrawnOnce } from '../data/pending.js';
import { openIncidentsQuestion, ownerIncidentsQuestion, ownerOf, ownerQuestion } from '../data/questions.js';
import { rangeOf, setRange, zoomTo } from '../data/range.js';
import type { LiveChange } from '../data/live.js';
import { useAnswer } from '../data/use-answer.js';
import { bySeverity, worstOfAll } from '../data/verdict.js';
import { isPast, linkTo, momentOf, type View } from '../data/view.js';
import { moment, shortMoment } from '../data/words.js';
import { bucketFor } from '../charts/buckets.js';
import { FigureCharts } from '../charts/figure-charts.js';
import { useFigures, type Figures } from '../charts/use-figures.js';
import { useTitle } from '../frame/title.js';
import { Empty, Skeleton } from '../parts/card.js';
import { DaNodeCard } from '../parts/da-node-card.js';
import { ExecutionCard } from '../parts/execution-card.js';
import { Feed } from '../parts/feed.js';
import { useBars } from '../parts/health-bars.js';
import { IncidentTable } from '../parts/incident-table.js';
import { NodeCard } from '../parts/node-card.js';
import { watchedUntil } from '../parts/node-state.js';
import { NotCovered } from '../parts/not-covered.js';
import { OpenIncidents } from '../parts/open-incidents.js';
import { StateBadge } from '../parts/state-badge.js';

/** Rows come every second, and the list of submissions shows each at once. */
const ON_ROWS_MS = 10_000;

function changesOf(whose: ReturnType<typeof ownerOf>['whose']): readonly LiveChange[] {
  return [
    { kind: 'HealthChanged', of: whose },
    { kind: 'SubmissionsObserved', of: whose, atMostEveryMs: ON_ROWS_MS },
  ];
}

/** Shows all that is known of a node, `/node/{id}`, or of a chain, `/chain/{id}`, with the same parts. */
export function OwnerPage({ view }: { readonly view: View }) {
  const { kind, id, whose } = ownerOf(view);
  const past = momentOf(view);
  const { answer, error } = useAnswer<OwnerQuery>(ownerQuestion(view), { on: changesOf(whose) });
  // All queries start at once: they only need the address.
  const { figures, shown } = useFigures(view);
  const { fromMs, toMs } = rangeOf(shown, nowMs());
  const bucket = bucketFor(fromMs, toMs);
  // The span belongs to this answer: the present of every other answer would draw all charts again.
  const span = useMemo(
    () => rangeOf(shown, nowMs()),
    [figures[0].answer, ...['asOf', 'from', 'to', 'last'].map(shown.get)],
  );
  // Charts come first: every other answer delays them.
  const hasDrawn = useDrawnOnce();
  const incidents = useAnswer<IncidentsQuery>(hasDrawn ? ownerIncidentsQuestion(view) : undefined, {
    on: [{ kind: 'IncidentChanged', of: whose }],
  });
  const open = useAnswer<OpenIncidentsQuery>(openIncidentsQuestion(view), {
    on: [{ kind: 'IncidentChanged', of: whose }],
  });
  const nodes = (answer?.nodes ?? []).filter((node) => (kind === 'node' ? node.id : node.chain) === id);
  const monitored = nodes.filter(({ retired }) => !retired);
  // A node may have been the leader in the range shown: rows show its role then, `aggregator` its role now.
  const isFollower = nodes.length > 0 && nodes.every(({ aggregator }) => aggregator === false);
  const submits = !isFollower || hasFigures(figures);
  const isAnswered = (figures[0].answer ?? figures[0].error) !== undefined;
  useTitle(`${kind === 'node' ? 'Node' : 'Chain'} ${id}`);
  return (
    <>
      <h1>
        <small>{kind === 'node' ? 'Node' : 'Chain'}</small> <bdi>{toPrintable(id)}</bdi>{' '}
        {monitored.length > 0 && <StateBadge state={worstOfAll(monitored)} />}
      </h1>
      {answer === undefined && error === undefined && <Skeleton lines={4} />}
      {answer && nodes.length === 0 && (
        <Empty title={`No ${kind} with this id is known at this moment.`}>
          Go to the <a href={linkTo([''])}>fleet</a>, or search by id.
        </Empty>
      )}
      {nodes.length > 0 && (
        <>
          <Links kind={kind} id={id} nodes={nodes} />
          {monitored.length === 0 && <Gone view={view} nodes={nodes} />}
          {open.answer && (
            <OpenIncidents
              answer={open.answer}
              roleOf={(node) => nodes.find(({ id: of }) => of === node)?.aggregator ?? null}
              isPast={isPast(view)}
              now={past.asOf ?? past.knownAt ?? open.answer.now}
              again={open.again}
            />
          )}
          <NodeCards nodes={nodes} view={view} hasDrawn={hasDrawn} />
          {answer && <SystemCards answer={answer} nodes={nodes} />}
        </>
      )}
      {(answer ? nodes.length > 0 : !error) && (
        <h2>
          From {shortMoment(fromMs, nowMs())} to {shortMoment(toMs, nowMs())}{' '}
          <small>drag over a chart to zoom in</small>
        </h2>
      )}
      {!submits && isAnswered && (
        <Empty title="No submission is recorded in this time.">
          A follower submits nothing: its heights and blocks are shown.
        </Empty>
      )}
      {submits && nodes.length > 0 && (
        <FigureCharts
          figures={figures}
          bucket={bucket}
          span={span}
          asOf={past.asOf}
          onZoom={(from, to) => zoomTo(view, from, to)}
        />
      )}
      {nodes.length > 0 && incidents.answer && (
        <IncidentTable title="Incidents" incidents={incidents.answer.incidents} />
      )}
      {nodes.length > 0 && submits && hasDrawn && (
        <NotCovered view={shown} kind={kind} id={id} range={() => rangeOf(shown, nowMs())} />
      )}
      {nodes.length > 0 && hasDrawn && <Feed view={view} kind={kind} id={id} submits={submits} />}
    </>
  );
}

/** The nodes of the page; bars of nodes that are no longer monitored end where monitoring ended. */
function NodeCards({
  nodes,
  view,
  hasDrawn,
}: {
  readonly nodes: readonly NodeFragment[];
  readonly view: View;
  readonly hasDrawn: boolean;
}) {
  const past = momentOf(view);
  const idsOf = (retired: boolean): string[] =>
    hasDrawn ? nodes.filter((node) => node.retired === retired).map(({ id }) => id) : [];
  const gone = { ...past, asOf: endOf(nodes) ?? past.asOf };
  const bars = {
    '24 h': [useBars(idsOf(false), past, '24 h'), useBars(idsOf(true), gone, '24 h')],
    '90 d': [useBars(idsOf(false), past, '90 d'), useBars(idsOf(true), gone, '90 d')],
  };
  const barsOf = (length: keyof typeof bars, id: string) =>
    bars[length].find((each) => each.has(id))?.get(id);
  return (
    <div class="cards">
      {nodes
        .toSorted((a, b) => Number(a.retired) - Number(b.retired) || bySeverity(a, b))
        .map((node) => (
          <NodeCard
            key={node.id}
            node={node}
            bars={{ '24 h': barsOf('24 h', node.id), '90 d': barsOf('90 d', node.id) }}
            isOnly={nodes.length === 1}
          />
        ))}
    </div>
  );
}

/** The systems behind the nodes of the page; nothing where the settings name none. */
function SystemCards(given: { readonly answer: OwnerQuery; readonly nodes: readonly NodeFragment[] }) {
  const { answer, nodes } = given;
  const isShown = ({ nodeId }: { readonly nodeId: string }): boolean =>
    nodes.some(({ id, retired }) => id === nodeId && !retired);
  const daNodes = answer.daNodes.filter(isShown);
  const layers = answer.executionLayers.filter(isShown);
  if (daNodes.length + layers.length === 0) return null;
  return (
    <div class="cards">
      {daNodes.map((daNode) => (
        <DaNodeCard
          key={daNode.nodeId}
          daNode={daNode}
          accounts={answer.accounts.filter(({ address }) => daNode.accounts.includes(address))}
        />
      ))}
      {layers.map((layer) => (
        <ExecutionCard key={layer.nodeId} layer={layer} />
      ))}
    </div>
  );
}

/** When the last of the nodes that are no longer monitored was monitored; ISO 8601. */
function endOf(nodes: readonly NodeFragment[]): string | undefined {
  return nodes
    .flatMap((node) => watchedUntil(node) ?? [])
    .toSorted()
    .at(-1);
}

function hasFigures([{ answer }]: Figures): boolean {
  return (answer?.statistics ?? []).some(
    ({ attemptsFloat, sizeBytesFloat }) => (attemptsFloat ?? 0) > 0 || (sizeBytesFloat ?? 0) > 0,
  );
}

/** Links to related pages: cost, chain, the node's own page. */
function Links(given: {
  readonly kind: 'node' | 'chain';
  readonly id: string;
  readonly nodes: OwnerQuery['nodes'];
}) {
  const { kind, id, nodes } = given;
  const chain = kind === 'chain' ? id : nodes[0]?.chain;
  const whose = { [kind]: id };
  return (
    <nav class="tools" aria-label="Related pages">
      {kind === 'node' && chain && <a href={linkTo(['chain', chain])}>Chain {toPrintable(chain)}</a>}
      {chain && <a href={linkTo(['cost'], { chain })}>Cost of {toPrintable(chain)}</a>}
      <a href={linkTo(['submissions'], whose)}>Submissions</a>
      <a href={linkTo(['incidents'], whose)}>Incidents</a>
      {kind === 'node' && <a href={`/nodes/${encodeURIComponent(id)}/da`}>The node's own view</a>}
    </nav>
  );
}

/** Says that the node or chain is no longer monitored, and links to the last monitored time. */
function Gone({ view, nodes }: { readonly view: View; readonly nodes: readonly NodeFragment[] }) {
  const end = endOf(nodes);
  if (end === undefined) return null;
  const from = new Date(Date.parse(end) - 7 * 86_400_000).toISOString();
  return (
    <p class="notice">
      Not monitored since {moment(end)}.{' '}
      <button type="button" onClick={() => setRange(view, { from, to: end, last: '' })}>
        Show its last week
      </button>
    </p>
  );
}
