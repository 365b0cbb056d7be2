import type { NewEvent, ProbeName, RecordedEvent, Subject } from '../../domain/events.js';
import { ForeseenHealth } from '../../domain/health/health.js';
import { readThresholds } from '../../domain/health/health-thresholds.js';
import type { ProbeFact } from '../../domain/probe-facts.js';
import { microsToMillis, type Millis } from '../../domain/time.js';
import type { EventStore } from '../../event-log/event-store.js';
import { samePoll } from '../poll-book.js';
import type { SubmissionsState } from '../submissions/submissions.observer.js';
import type { ChainStreamState } from './chain-settings.js';

/** The number of last events of each stream that are read back: enough to know what is usual. */
const TAILS: Readonly<Record<Subject | 'node', number>> = {
  node: 4,
  probes: 4,
  claims: 4,
  blocks: 20,
  submissions: 20,
  daNode: 20,
  execution: 20,
};

const PROBES: readonly ProbeName[] = ['reachable', 'live', 'ready', 'status'];

/**
 * Rebuilds a node's health from its last events. It omits older events, so the health may be slightly off. The error only
 * makes polls be recorded sooner or later; no conclusion depends on it.
 *
 * @param chain of the node, which has the thresholds; undefined while it is unknown
 * @param meanwhile events that are recorded while this reads; those that it read as well count once
 */
export async function loadForeseenHealth(
  store: EventStore,
  nodeId: string,
  chain: string | undefined,
  { now, meanwhile }: { readonly now: Millis; readonly meanwhile: readonly NewEvent[] },
): Promise<ForeseenHealth> {
  const [settings, probes, list, daNode, execution, ...tails] = await Promise.all([
    chain === undefined ? undefined : store.loadStream(`${chain}/chain`),
    store.loadStream(`${nodeId}/probes`),
    store.loadStream(`${nodeId}/submissions`),
    store.loadStream(`${nodeId}/daNode`),
    store.loadStream(`${nodeId}/execution`),
    ...Object.entries(TAILS).map(([kind, count]) => store.readStreamBack(`${nodeId}/${kind}`, [], count)),
  ]);
  const { thresholds = {} } = (settings?.state as ChainStreamState | undefined)?.settings ?? {};
  const health = new ForeseenHealth(`${nodeId}/node`, readThresholds(thresholds));
  const events = tails.flat().sort((a, b) => (a.position < b.position ? -1 : 1));
  const from = events[0] ? microsToMillis(events[0].observedAt) : now;
  // Facts that have not changed for long are in older events, so they come from the streams' states.
  health.note([
    ...probesAt(from, probes.state, events),
    ...sourceAt(from, list.state, events),
    ...changedAt(from, 'DaNodeChanged', daNode.state, events),
    ...changedAt(from, 'ExecutionChanged', execution.state, events),
  ]);
  health.noteRecorded(events);
  const read = new Set(events.map(({ type, observedAt }) => `${type} ${microsToMillis(observedAt)}`));
  health.note(meanwhile.filter(({ type, observedAt }) => !read.has(`${type} ${Math.floor(observedAt)}`)));
  return health;
}

/** Events for the probes that do not occur among `events`. */
function probesAt(at: Millis, state: unknown, events: readonly RecordedEvent[]): NewEvent[] {
  const facts = (state ?? {}) as Partial<Record<ProbeName, ProbeFact>>;
  const told = new Set(events.map(({ type, body }) => (type === 'ProbeChanged' ? body.probe : null)));
  return PROBES.flatMap((probe) => {
    const fact = told.has(probe) ? undefined : facts[probe];
    return fact
      ? [{ type: 'ProbeChanged', observedAt: at, body: { looks: samePoll(at), probe, ...fact } }]
      : [];
  });
}

/** How the polls of a system behind the node end since they last changed. */
function changedAt(
  at: Millis,
  type: 'DaNodeChanged' | 'ExecutionChanged',
  state: unknown,
  events: readonly RecordedEvent[],
): NewEvent[] {
  const changed = (state as { readonly changed?: object } | undefined)?.changed;
  if (changed === undefined || events.some((event) => event.type === type)) return [];
  return [{ type, observedAt: at, body: { looks: samePoll(at), detail: '', ...changed } } as NewEvent];
}

function sourceAt(at: Millis, state: unknown, events: readonly RecordedEvent[]): NewEvent[] {
  const source = (state as SubmissionsState | undefined)?.source;
  if (!source || events.some(({ type }) => type === 'SubmissionSourceChanged')) return [];
  return [{ type: 'SubmissionSourceChanged', observedAt: at, body: { state: source, detail: '' } }];
}
