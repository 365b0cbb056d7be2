import type { IncidentQuery, IncidentStatesQuery, IncidentTimeQuery } from './answers.gen.js';

type Incident = NonNullable<IncidentQuery['incident']>;
type HealthState = IncidentStatesQuery['healthHistory'][number];
type Failure = IncidentTimeQuery['submissions']['nodes'][number];
type Gap = IncidentTimeQuery['losses']['nodes'][number];

/** An event of an incident; `node` is empty if it belongs to no single node. */
export type IncidentEvent =
  | { readonly kind: 'STATE'; readonly node: string; readonly when: StateTime; readonly of: HealthState }
  | { readonly kind: 'FAILURE'; readonly node: string; readonly of: Failure }
  | { readonly kind: 'GAP'; readonly node: string; readonly of: Gap }
  | { readonly kind: 'ACKNOWLEDGED'; readonly node: ''; readonly of: Incident['acknowledgements'][number] }
  | { readonly kind: 'NOTE'; readonly node: ''; readonly of: Incident['notes'][number] }
  | { readonly kind: 'END'; readonly node: ''; readonly of: { readonly at: string } };

type StateTime = 'before' | 'during' | 'after';

/** Equal events that follow each other, as one. Times in ms since 1970. */
export interface IncidentEntry {
  readonly event: IncidentEvent;
  readonly count: number;
  readonly fromMs: number;
  /** The end of the last event; undefined while it lasts. */
  readonly toMs: number | undefined;
}

/** States of a node that belong to an incident: the last one before it, those during it, and the first one after it. */
export function statesOf(
  node: string,
  { from, to }: Pick<Incident, 'from' | 'to'>,
  states: readonly HealthState[],
): IncidentEvent[] {
  const endMs = to === null ? Number.POSITIVE_INFINITY : Date.parse(to);
  const events = states.map((of): IncidentEvent & { kind: 'STATE' } => {
    const isBefore = of.to !== null && Date.parse(of.to) <= Date.parse(from);
    const isAfter = Date.parse(of.from) >= endMs;
    return { kind: 'STATE', node, of, when: isAfter ? 'after' : isBefore ? 'before' : 'during' };
  });
  const before = events.findLast(({ when }) => when === 'before');
  const after = events.find(({ when }) => when === 'after');
  return events.filter((event) => event.when === 'during' || event === before || event === after);
}

/** All events of an incident, oldest first; equal ones between two changes of state are one entry with a count. */
export function entriesOf(
  incident: Pick<Incident, 'to' | 'acknowledgements' | 'notes'>,
  states: readonly IncidentEvent[],
  rows: IncidentTimeQuery | undefined,
): IncidentEntry[] {
  const { to, acknowledgements, notes } = incident;
  return group([
    ...states,
    ...(rows?.submissions.nodes ?? []).map((of): IncidentEvent => ({
      kind: 'FAILURE',
      node: of.nodeId ?? '',
      of,
    })),
    ...(rows?.losses.nodes ?? []).map((of): IncidentEvent => ({ kind: 'GAP', node: of.nodeId, of })),
    ...acknowledgements.map((of): IncidentEvent => ({ kind: 'ACKNOWLEDGED', node: '', of })),
    ...notes.map((of): IncidentEvent => ({ kind: 'NOTE', node: '', of })),
    ...(to === null ? [] : [{ kind: 'END', node: '', of: { at: to } } as const]),
  ]);
}

function group(events: readonly IncidentEvent[]): IncidentEntry[] {
  const entries = events
    .map((event) => ({ event, count: 1, ...timeOf(event) }))
    .toSorted((a, b) => a.fromMs - b.fromMs || rankOf(a.event) - rankOf(b.event));
  const grouped: IncidentEntry[] = [];
  /** Places of the entries since the last change of state. */
  let places = new Map<string, number>();
  for (const entry of entries) {
    const key = keyOf(entry.event);
    const place = places.get(key);
    const same = place === undefined ? undefined : grouped[place];
    if (place !== undefined && same !== undefined) {
      grouped[place] = { ...entry, count: same.count + 1, fromMs: same.fromMs };
      continue;
    }
    if (entry.event.kind === 'STATE') places = new Map();
    places.set(key, grouped.length);
    grouped.push(entry);
  }
  return grouped;
}

function timeOf({ kind, of }: IncidentEvent): Pick<IncidentEntry, 'fromMs' | 'toMs'> {
  if (kind === 'FAILURE') return { fromMs: Date.parse(of.time), toMs: Date.parse(of.time) };
  if (kind === 'ACKNOWLEDGED' || kind === 'NOTE' || kind === 'END')
    return { fromMs: Date.parse(of.at), toMs: Date.parse(of.at) };
  const toMs = of.to === null ? undefined : Date.parse(of.to);
  if (kind === 'STATE') return { fromMs: Date.parse(of.from), toMs };
  return { fromMs: Date.parse(of.from ?? of.to), toMs: of.open ? undefined : toMs };
}

/** At the same time, the end of an incident comes before the state that ended it, and failures after the state. */
function rankOf({ kind }: IncidentEvent): number {
  return ['END', 'STATE', 'GAP', 'FAILURE', 'ACKNOWLEDGED', 'NOTE'].indexOf(kind);
}

/** Events with equal keys are equal but for their times, and for numbers in a message. */
function keyOf({ kind, node, of }: IncidentEvent): string {
  if (kind === 'STATE') return JSON.stringify([kind, node, of.state, of.rule]);
  if (kind === 'FAILURE')
    return JSON.stringify([kind, node, of.cause?.title, of.message?.replaceAll(/\d+/g, '0')]);
  if (kind === 'GAP') return JSON.stringify([kind, node, of.explanation]);
  return JSON.stringify([kind, of]);
}
