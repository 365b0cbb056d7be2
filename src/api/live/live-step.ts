import type { Incident } from '../incidents/incident.type.js';
import type { ChangedRows, Changes, Owned } from './live-changes.query.js';
import {
  type HealthChange,
  type LiveArgs,
  MOST_ROWS_OF_EVENT,
  ObservedBlocks,
  ObservedSubmissions,
} from './live.type.js';

/** The subscriptions, by their names in the schema. */
export type LiveKind = 'healthChanged' | 'incidentChanged' | 'submissionsObserved' | 'blocksObserved';

/** An event of a subscription: the value of its field. One object for all subscribers that get the same. */
export type LiveEvent = Readonly<Partial<Record<LiveKind, object>>>;

/** The changes found by one read of the record. Subscriptions with equal arguments share their events. */
export class LiveStep {
  private readonly made = new Map<string, readonly LiveEvent[]>();

  constructor(
    private readonly changes: Pick<Changes, 'submissions' | 'blocks'>,
    private readonly health: readonly HealthChange[],
    private readonly incidents: readonly Incident[],
  ) {}

  eventsOf(kind: LiveKind, args: LiveArgs): readonly LiveEvent[] {
    const name = JSON.stringify([kind, args.nodes, args.chains]);
    const known = this.made.get(name);
    if (known) return known;
    const events = this.valuesOf(kind, args).map((value) => ({ [kind]: value }));
    this.made.set(name, events);
    return events;
  }

  private valuesOf(kind: LiveKind, { nodes, chains }: LiveArgs): readonly object[] {
    const fits = (ofNodes: readonly (string | null)[], chain: string | null): boolean =>
      (!nodes || ofNodes.some((node) => node !== null && nodes.includes(node))) &&
      (!chains || (chain !== null && chains.includes(chain)));
    const isOf = ({ node, chain }: Owned): boolean => fits([node], chain);
    switch (kind) {
      case 'healthChanged':
        return this.health.filter(({ nodeId, chain }) => fits([nodeId], chain));
      case 'incidentChanged':
        return this.incidents.filter((incident) =>
          fits(
            incident.nodes.map(({ nodeId }) => nodeId),
            incident.chain,
          ),
        );
      case 'submissionsObserved':
        return observed(this.changes.submissions, isOf, (...rows) => new ObservedSubmissions(...rows));
      case 'blocksObserved':
        return observed(this.changes.blocks, isOf, (...rows) => new ObservedBlocks(...rows));
      default:
        return kind satisfies never;
    }
  }
}

type Observed<Key> = [keys: readonly Key[], count: number | null, updated: number | null];

/** The event for the rows of a subscription; none if no row is of it. */
function observed<Key>(
  changed: ChangedRows<Key>,
  isOf: (owned: Owned) => boolean,
  make: (...rows: Observed<Key>) => object,
): readonly object[] {
  // Too many to read: some may be of this subscription.
  if (changed === undefined) return [make([], null, null)];
  const rows = changed.filter(isOf);
  if (rows.length === 0) return [];
  const keys = rows.flatMap(({ added }) => (added === undefined ? [] : [added]));
  return [make(keys.slice(0, MOST_ROWS_OF_EVENT), keys.length, rows.length - keys.length)];
}
