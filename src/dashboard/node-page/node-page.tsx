import { useEffect, useRef, useState } from 'preact/hooks';
import { toPrintable } from '../../domain/printable-text.js';
import { nowMs } from '../data/now.js';
import { useFetched, type LatestAnswer } from '../data/use-answer.js';
import { useView } from '../data/use-view.js';
import { useTrouble, type QueryFailure } from '../data/troubles.js';
import { idOf, linkTo, type View } from '../data/view.js';
import { sentence, timeSpan } from '../data/words.js';
import { Frame } from '../frame/frame.js';
import type { PastParameters } from '../frame/time-control.js';
import { useTitle } from '../frame/title.js';
import { HealthBars, useBars } from '../parts/health-bars.js';
import { Card } from '../parts/card.js';
import { StateBadge, type State } from '../parts/state-badge.js';
import { History, type Stats } from './history.js';
import { askOrRecorded, askRest, restUrl, type RestAnswer } from './rest.js';
import { bare, SubmissionList, type SubmissionListAnswer } from './shown-list.js';

const PAST: PastParameters = [
  ['at', 'As of', 'The state of the node at this time, with what is known of the time before.'],
];

/** The health of the DA layer in the words of the specification, and its basis. */
interface Health {
  readonly status?: string;
  readonly hindsight: {
    readonly status: string;
    readonly since?: string | null;
    readonly reason?: string | null;
    readonly basis: keyof typeof CLAIMS;
  };
}

/** The source of the status, by `hindsight.basis`. */
const CLAIMS = {
  claimed: 'Last reported by the node',
  computed: 'Computed by the rules of the node',
  concluded: "Not reported by the node; in the specification's words",
  'not reached': "Node not reachable; in the specification's words",
} as const;

/** The page of a node that the specification names, `/nodes/{id}/da`: it uses the REST API in the specification's words. */
export function NodePage() {
  const view = useView();
  return (
    <Frame view={view} past={PAST}>
      <Content view={view} />
    </Frame>
  );
}

function Content({ view }: { readonly view: View }) {
  const [at, path] = [view.get('at'), view.path];
  const id = path.startsWith('/nodes/') ? idOf(path).replace(/\/da\/?$/, '') : undefined;
  const name = id ?? 'The default node';
  const nameOf = (what: string): string => JSON.stringify([what, path, at, view.get('shape')]);
  const health = useFetched(nameOf('health'), (signal) =>
    askRest<Health>(restUrl(view, 'health'), { signal }),
  );
  const stats = useFetched(nameOf('stats'), (signal) =>
    askOrRecorded<Stats>(restUrl(view, 'stats'), restUrl(view, 'stats', { history: 'only' }), signal),
  );
  const list = useFetched(nameOf('list'), (signal) => askList(view, signal));
  const blob = useBlob(view);
  useTitle(`${name} · data availability`);
  // The record is shown where the node shows nothing. Each refusal is shown once: that of the health is shown in place of the
  // health.
  const troubles = troublesOf([health, stats, list]).filter(
    ({ error }) => error !== health.error || error.trouble !== 'refused',
  );
  const presentMs = at ? Date.parse(at) : (stats.answeredMs ?? nowMs());
  return (
    <>
      <h1>
        <bdi>{toPrintable(name, 200)}</bdi> <small>data availability</small>
      </h1>
      <HealthWords health={health} presentMs={presentMs} />
      {troubles.map((trouble) => (
        <Refusal key={trouble.error.message} {...trouble} />
      ))}
      {id !== undefined && health.answer && <Bars id={id} at={at} />}
      {id !== undefined && (
        <nav class="tools" aria-label="Related pages">
          <a href={linkTo(['node', id], at ? { asOf: at } : {})}>Everything recorded about this node</a>
        </nav>
      )}
      {list.answer && (list.answer.body.submissions.length > 0 || !list.answer.refusal) && (
        <>
          <h2>Recent submissions</h2>
          <SubmissionList answer={list.answer} view={view} onBlob={blob.show} />
        </>
      )}
      {stats.answer && <History stats={stats.answer.body} at={at} presentMs={presentMs} />}
      {blob.dialog}
    </>
  );
}

/** Reports why a part is missing. */
function Refusal(trouble: QueryFailure) {
  useTrouble(trouble);
  return null;
}

function HealthWords(given: {
  readonly health: LatestAnswer<RestAnswer<Health>>;
  readonly presentMs: number;
}) {
  const { health, presentMs } = given;
  const refused = health.error?.trouble === 'refused' ? health.error.message : undefined;
  if (refused !== undefined)
    return (
      <div id="health" class="states">
        <StateBadge state="UNKNOWN" />
        <bdi>{toPrintable(refused, 500)}</bdi>
      </div>
    );
  if (health.answer === undefined) return null;
  const { hindsight, status: said } = health.answer.body;
  const { status, since, reason, basis } = hindsight;
  const state = status.toUpperCase() as State;
  const lasting = since ? ` for ${timeSpan(Math.max(0, presentMs - Date.parse(since)))}` : '';
  return (
    <>
      <div id="health" class="states">
        <StateBadge name={`${status}${lasting}`} state={state} />
        <bdi>{sentence(reason ?? 'Nothing is known about this node.', 500)}</bdi>
      </div>
      <p id="claim" class="quiet">
        {CLAIMS[basis]}: {toPrintable(said ?? 'nothing', 60)}.
      </p>
    </>
  );
}

/** Why parts are missing, or come from the record alone; each sentence once. */
function troublesOf(parts: readonly LatestAnswer<RestAnswer<unknown>>[]) {
  const all = parts.flatMap(({ error, answer, answeredMs, again }) => {
    const why = error ?? answer?.refusal;
    return why === undefined ? [] : [{ error: why, answeredMs, again }];
  });
  return all.filter(
    ({ error }, index) => all.findIndex((other) => other.error.message === error.message) === index,
  );
}

function Bars({ id, at }: { readonly id: string; readonly at: string }) {
  const bars = useBars([id], { asOf: at || null, knownAt: null }, '90 d');
  return (
    <Card title="Health">
      <HealthBars node={id} bars={bars.get(id)} length="90 d" />
    </Card>
  );
}

/** The list that the node shows, or the recorded list if it shows none. */
async function askList(view: View, signal: AbortSignal): Promise<RestAnswer<SubmissionListAnswer>> {
  const call = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' }, signal };
  const url = restUrl(view, '../evnode.v1.ConfigService/GetNamespace');
  // Without the namespaces it is unknown which rows are of headers.
  const answered = await askRest<{ headerNamespace?: string; dataNamespace?: string }>(url, call).catch(
    () => null,
  );
  const answer = await askOrRecorded<Omit<SubmissionListAnswer, 'namespaces'>>(
    restUrl(view, 'submissions'),
    restUrl(view, 'submissions', { limit: '100' }),
    signal,
  );
  const namespaces = {
    header: bare(answered?.body.headerNamespace ?? ''),
    data: bare(answered?.body.dataNamespace ?? ''),
  };
  return { ...answer, body: { ...answer.body, namespaces } };
}

/** A dialog with all that is known of a blob. */
function useBlob(view: View) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, show] = useState<Readonly<Record<string, string>>>();
  const [text, setText] = useState('');
  useEffect(() => {
    if (query === undefined) return undefined;
    setText('Loading…');
    dialog.current?.showModal();
    const aborter = new AbortController();
    askRest<unknown>(restUrl(view, 'blob', query), { signal: aborter.signal }).then(
      ({ body }) =>
        setText(
          JSON.stringify(body, null, 2)
            .split('\n')
            .map((line) => toPrintable(line))
            .join('\n'),
        ),
      (error: Error) => !aborter.signal.aborted && setText(toPrintable(error.message)),
    );
    return () => aborter.abort();
  }, [query]);
  return {
    show,
    dialog: (
      <dialog ref={dialog} aria-labelledby="blob-title" onClose={() => show(undefined)}>
        <h2 id="blob-title">Blob</h2>
        <pre id="blob-text" tabIndex={0} aria-label="Details of the blob">
          {text}
        </pre>
        <form method="dialog">
          <button>Close</button>
        </form>
      </dialog>
    ),
  };
}
