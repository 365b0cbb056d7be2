import type { NewEvent, ProbeName, RecordedEvent } from '../../domain/events.js';
import { ForeseenHealth } from '../../domain/health/health.js';
import { readThresholds } from '../../domain/health/health-thresholds.js';
import type { ProbeFact } from '../../domain/probe-facts.js';
import { microsToMillis, type Millis } from '../../domain/time.js';
import type { EventStore } from '../../event-log/event-store.js';
import { sameLook } from '../look-book.js';
import type { SubmissionsState } from '../submissions/submissions.observer.js';
import type { ChainStreamState } from './chain-settings.js';
import type { NodeStreamState } from './node-registry.js';

/** How many of the last events of each stream are read back: enough to know what is usual. */
const TAILS = { node: 4, probes: 4, claims: 4, blocks: 20, submissions: 20 };

const PROBES: readonly ProbeName[] = ['reachable', 'live', 'ready', 'status'];

/**
 * Reads back what the last events of a node tell of its health. Older ones are left out, so it may be a little off.
 * That makes looks be written sooner or later, and changes nothing that is concluded from them.
 *
 * @param known what the node's own stream remembers
 */
export async function loadForeseenHealth(
  store: EventStore,
  nodeId: string,
  known: NodeStreamState | undefined,
  now: Millis,
): Promise<ForeseenHealth> {
  const chain = known?.described?.chain ?? known?.settings?.chain;
  const [settings, probes, list, ...tails] = await Promise.all([
    chain === undefined ? undefined : store.loadStream(`${chain}/chain`),
    store.loadStream(`${nodeId}/probes`),
    store.loadStream(`${nodeId}/submissions`),
    ...Object.entries(TAILS).map(([kind, count]) => store.readStreamBack(`${nodeId}/${kind}`, [], count)),
  ]);
  const { thresholds = {} } = (settings?.state as ChainStreamState | undefined)?.settings ?? {};
  const health = new ForeseenHealth(`${nodeId}/node`, readThresholds(thresholds));
  const events = tails.flat().sort((a, b) => (a.position < b.position ? -1 : 1));
  const from = events[0] ? microsToMillis(events[0].observedAt) : now;
  // What has not changed for long stands further back.
  health.note([...probesAt(from, probes.state, events), ...sourceAt(from, list.state, events)]);
  health.noteRecorded(events);
  return health;
}

/** Of probes that no event tells of. */
function probesAt(at: Millis, state: unknown, events: readonly RecordedEvent[]): NewEvent[] {
  const facts = (state ?? {}) as Partial<Record<ProbeName, ProbeFact>>;
  const told = new Set(events.map(({ type, body }) => (type === 'ProbeChanged' ? body.probe : null)));
  return PROBES.flatMap((probe) => {
    const fact = told.has(probe) ? undefined : facts[probe];
    return fact
      ? [{ type: 'ProbeChanged', observedAt: at, body: { looks: sameLook(at), probe, ...fact } }]
      : [];
  });
}

function sourceAt(at: Millis, state: unknown, events: readonly RecordedEvent[]): NewEvent[] {
  const source = (state as SubmissionsState | undefined)?.source;
  if (!source || events.some(({ type }) => type === 'SubmissionSourceChanged')) return [];
  return [{ type: 'SubmissionSourceChanged', observedAt: at, body: { state: source, detail: '' } }];
}
