import type { NewEvent } from '../../../src/domain/events.js';
import type { EventStore } from '../../../src/event-log/event-store.js';
import { seededRandom } from '../seeded-random.js';
import { BlockWatch } from './year-block-watch.js';
import { liveYear, type YearChain, type YearRow } from './year-chain.js';
import type { YearEvent } from '../demo-year/year-event.js';
import { importFees, planFees, type YearFee } from './year-fees.js';
import { ListWatch } from './year-list-watch.js';
import { CHAINS, PRICES, YEAR_START, type ChainPlan, type NodePlan } from './year-plan.js';

/** A year of three chains as observers and operators recorded it, and the truth that they cannot know. */
export interface GeneratedYear {
  /** In the order of the log. */
  readonly events: readonly YearEvent[];
  readonly chains: readonly YearChain[];
  /** The rows that each node's list showed, by id; the first row has sequence 1. */
  readonly shown: ReadonlyMap<string, readonly YearRow[]>;
  readonly fees: readonly YearFee[];
}

/** Alpha used UTC days until its zone was set. */
const ZONE_SET_LATE = { chain: 'alpha-1', at: Date.UTC(2026, 1, 1, 9) };

/** The same seed and density produce the same year; density 2 has about twice the submissions. */
export function generateYear(seed: number, density = 1): GeneratedYear {
  const random = seededRandom(seed);
  const events: YearEvent[] = [];
  const shown = new Map<string, readonly YearRow[]>();
  const chains = CHAINS.map((plan) => liveYear(plan, random, density));
  for (const chain of chains) {
    events.push(...settingsOf(chain.plan));
    for (const node of chain.plan.nodes) {
      const list = new ListWatch(node, chain.rows.get(node.ring) ?? [], random).watch();
      shown.set(node.id, list.shown);
      events.push(...describe(node, chain.plan), ...list.events);
      if (node.blocksFrom !== null) {
        events.push(...new BlockWatch(node, chain, random).watch(node.blocksFrom).events);
      }
    }
  }
  const fees = chains.flatMap((chain) => planFees(chain, random));
  for (const { chain, at, entries } of PRICES) {
    const event: NewEvent = { type: 'PriceSet', observedAt: at, body: { entries, source: 'a person' } };
    events.push({ stream: `${chain}/operator`, event });
  }
  for (const { plan } of chains)
    events.push(
      ...importFees(
        plan.id,
        fees.filter(({ chain }) => chain === plan.id),
      ),
    );
  // The sort is stable: events of equal times keep the order of their creation.
  events.sort((a, b) => a.event.observedAt - b.event.observedAt);
  return { events, chains, shown, fees };
}

/** Appends events in their order, in commits of the store's choice. */
export async function appendYear(store: EventStore, events: readonly YearEvent[]): Promise<void> {
  const versions = new Map<string, bigint>();
  for (const stream of new Set(events.map((each) => each.stream))) {
    versions.set(stream, (await store.loadStream(stream)).version);
  }
  const runs: { stream: string; events: NewEvent[] }[] = [];
  for (const { stream, event } of events) {
    const last = runs.at(-1);
    if (last?.stream === stream) last.events.push(event);
    else runs.push({ stream, events: [event] });
  }
  const results = await Promise.all(
    runs.map((run) => {
      const expectedVersion = versions.get(run.stream) ?? 0n;
      versions.set(run.stream, expectedVersion + BigInt(run.events.length));
      return store.append({ stream: run.stream, expectedVersion, events: run.events });
    }),
  );
  if (results.some(({ won }) => !won)) throw new Error('somebody else appended to the generated year');
}

function settingsOf({ id, zone }: ChainPlan): YearEvent[] {
  if (id === '') return [];
  const set = (at: number, reportingTimeZone: string): YearEvent => {
    const body = { reportingTimeZone, thresholds: {}, da: {} };
    return { stream: `${id}/chain`, event: { type: 'ChainSettingsChanged', observedAt: at, body } };
  };
  if (id !== ZONE_SET_LATE.chain) return [set(YEAR_START, zone)];
  return [set(YEAR_START, 'UTC'), set(ZONE_SET_LATE.at, zone)];
}

function describe(node: NodePlan, plan: ChainPlan): YearEvent[] {
  const stream = `${node.id}/node`;
  const body = { url: `http://${node.id}.example:7331` };
  const registered: YearEvent = {
    stream,
    event: { type: 'NodeRegistered', observedAt: node.from, body },
  };
  if (node.describedAt === null) return [registered];
  const told = {
    chain: plan.id,
    servicePrefix: null,
    shape: 'EV_NODE' as const,
    aggregator: true,
    headerNamespace: plan.header,
    dataNamespace: plan.data,
  };
  const event: NewEvent = { type: 'NodeDescribed', observedAt: node.describedAt, body: told };
  return [registered, { stream, event }];
}
