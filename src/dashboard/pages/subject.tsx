import { useMemo } from 'preact/hooks';
import { toPrintable } from '../../domain/printable-text.js';
import type { IncidentsQuery, SubjectQuery } from '../data/answers.gen.js';
import { nowMs } from '../data/now.js';
import { subjectIncidentsQuestion, subjectOf, subjectQuestion } from '../data/questions.js';
import { rangeOf } from '../data/range.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, momentOf, zoneOf, type View } from '../data/view.js';
import { moment } from '../data/words.js';
import { bucketFor } from '../charts/buckets.js';
import { FigureCharts } from '../charts/figure-charts.js';
import { useFigures, type Figures } from '../charts/use-figures.js';
import { Feed } from '../parts/feed.js';
import { useBars } from '../parts/health-bars.js';
import { IncidentTable } from '../parts/incident-table.js';
import { NodeCard, watchedUntil } from '../parts/node-card.js';
import { NotCovered } from '../parts/not-covered.js';
import { Trouble, useDrawn } from '../parts/states.js';
import { setRange, TimeRange, zoomTo } from '../parts/time-range.js';
import { attentionOf } from '../data/verdict.js';

/** Shows all that is known of a node, `/node/{id}`, or of a chain, `/chain/{id}`, with the same parts. */
export function SubjectPage({ view }: { readonly view: View }) {
  const { kind, id } = subjectOf(view);
  const [past, zone] = [momentOf(view), zoneOf(view)];
  const { answer, error, answeredMs, again } = useAnswer<SubjectQuery>(...subjectQuestion(view));
  // All queries start at once: they only need the address.
  const { figures, shown } = useFigures(view);
  const { fromMs, toMs } = rangeOf(shown, nowMs());
  const bucket = bucketFor(fromMs, toMs);
  const isAnswered = (asking: { answer: unknown; error: unknown }): boolean =>
    (asking.answer ?? asking.error) !== undefined;
  // The span belongs to this answer: the present of every other answer would draw all charts again.
  const span = useMemo(
    () => rangeOf(shown, nowMs()),
    [figures[0].answer, ...['asOf', 'from', 'to', 'last'].map(shown.get)],
  );
  // The parts below the charts are requested once the charts are drawn, and remain while new charts are drawn.
  const hasDrawn = useDrawn(
    [{ answer, error }, ...figures].every(isAnswered),
    `${kind === 'node' ? 'Node' : 'Chain'} ${id}`,
  );
  const [text, which, variables] = subjectIncidentsQuestion(view);
  const incidents = useAnswer<IncidentsQuery>(text, hasDrawn ? which : undefined, variables);
  const nodes = (answer?.nodes ?? []).filter((node) => (kind === 'node' ? node.id : node.chain) === id);
  const gone = nodes.filter(({ retired }) => retired);
  const endOfGone =
    gone
      .flatMap((node) => watchedUntil(node) ?? [])
      .toSorted()
      .at(-1) ?? past.asOf;
  // Charts come first: every other answer delays them.
  const idsOf = (some: typeof nodes): string[] => (hasDrawn ? some.map((node) => node.id) : []);
  const barsOfWatched = useBars(idsOf(nodes.filter(({ retired }) => !retired)), past, zone);
  const barsOfGone = useBars(idsOf(gone), { ...past, asOf: endOfGone }, zone);
  const askAgain = (): void => [{ again }, incidents, ...figures].forEach((asking) => asking.again());
  // A node may have been the leader in the range shown: rows show its role then, `aggregator` its role now.
  const isFollower = nodes.length > 0 && nodes.every(({ aggregator }) => aggregator === false);
  const submits = !isFollower || hasFigures(figures);
  return (
    <>
      <h1 class="verdict">
        <small>{kind === 'node' ? 'Node' : 'Chain'}</small> <bdi>{toPrintable(id)}</bdi>
      </h1>
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={askAgain} />}
      {answer && nodes.length === 0 && (
        <p class="panel">
          No {kind} of this name is known at this moment. <a href={linkTo([])}>To the fleet</a>
        </p>
      )}
      {nodes.length > 0 && (
        <>
          <Links kind={kind} id={id} nodes={nodes} />
          {/* The card of a single node says the same right below. */}
          {nodes.length > 1 && <Attention nodes={nodes.filter(({ retired }) => !retired)} zone={zone} />}
          {gone.length === nodes.length && endOfGone !== null && (
            <Gone view={view} end={endOfGone} zone={zone} />
          )}
          <h2>{kind === 'node' ? 'At this moment' : 'Its nodes'}</h2>
          <div class="cards">
            {nodes.map((node) => (
              <NodeCard
                key={node.id}
                node={node}
                bars={(node.retired ? barsOfGone : barsOfWatched).get(node.id)}
                zone={zone}
              />
            ))}
          </div>
        </>
      )}
      {(answer || !error) && (
        <>
          <h2>Over time</h2>
          <TimeRange view={shown} zone={zone} />
        </>
      )}
      {!submits && isAnswered(figures[0]) && (
        <p class="panel">
          No submission is recorded in this time. A follower submits nothing: its heights and blocks are
          shown.
        </p>
      )}
      {submits && nodes.length > 0 && (
        <FigureCharts
          figures={figures}
          bucket={bucket}
          zone={zone}
          span={span}
          asOf={past.asOf}
          onZoom={(from, to) => zoomTo(view, from, to)}
        />
      )}
      {nodes.length > 0 && incidents.answer && (
        <IncidentTable answer={incidents.answer} now={past.asOf ?? incidents.answer.now} zone={zone} />
      )}
      {nodes.length > 0 && submits && hasDrawn && (
        <NotCovered view={shown} kind={kind} id={id} zone={zone} range={() => rangeOf(shown, nowMs())} />
      )}
      {nodes.length > 0 && hasDrawn && <Feed view={view} kind={kind} id={id} zone={zone} submits={submits} />}
    </>
  );
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
  readonly nodes: SubjectQuery['nodes'];
}) {
  const { kind, id, nodes } = given;
  const chain = kind === 'chain' ? id : nodes[0]?.chain;
  return (
    <nav class="tools" aria-label="Related pages">
      {chain && <a href={linkTo(['cost'], { chain })}>Cost of {toPrintable(chain)}</a>}
      {kind === 'node' && chain && <a href={linkTo(['chain', chain])}>Chain {toPrintable(chain)}</a>}
      {kind === 'node' && <a href={`/nodes/${encodeURIComponent(id)}/da`}>The node's own view</a>}
    </nav>
  );
}

/** Says that the subject is no longer monitored, and links to the last monitored time. */
function Gone({ view, end, zone }: { readonly view: View; readonly end: string; readonly zone: string }) {
  const from = new Date(Date.parse(end) - 7 * 86_400_000).toISOString();
  return (
    <p class="panel">
      Not monitored since {moment(end, zone)}.{' '}
      <button type="button" onClick={() => setRange(view, { from, to: end, last: '' })}>
        Show its last week
      </button>
    </p>
  );
}

function Attention({ nodes, zone }: { readonly nodes: SubjectQuery['nodes']; readonly zone: string }) {
  const told = nodes.flatMap((node) => attentionOf(node, zone).map((words) => ({ id: node.id, words })));
  if (told.length === 0) return null;
  return (
    <ul class="panel" aria-label="Needs attention">
      {told.map(({ id, words }) => (
        <li key={`${id} ${words}`}>
          <bdi>{id}</bdi>: <bdi>{words}</bdi>
        </li>
      ))}
    </ul>
  );
}
