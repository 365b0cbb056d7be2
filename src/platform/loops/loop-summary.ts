import type { LoopView } from './loop.js';

interface LoopKindSummary {
  /** The last part of the loops' names, such as `submissions`. */
  readonly kind: string;
  readonly loops: number;
  readonly asleep: number;
  readonly working: number;
  /** Loops whose last iteration threw. */
  readonly failing: number;
  /** Loops whose next iteration is overdue, or whose iteration under way takes unusually long. */
  readonly late: number;
  /** Seconds since the latest end of an iteration; undefined before the first. */
  readonly lastSeconds: number | undefined;
  /** Seconds until the soonest next iteration; below 0 when it is overdue, undefined while all are working. */
  readonly nextSeconds: number | undefined;
}

interface ListedLoop {
  readonly name: string;
  readonly state: LoopView['state'];
  readonly stateSeconds: number;
  /** Seconds since the last iteration ended; undefined before the first. */
  readonly lastSeconds: number | undefined;
  readonly error: string | undefined;
  /** Seconds until the next iteration; below 0 when it is overdue, undefined while one is under way. */
  readonly nextSeconds: number | undefined;
  readonly late: boolean;
}

/** A summary of all loops of a process, of bounded size. */
export interface LoopsSummary {
  readonly total: number;
  readonly kinds: readonly LoopKindSummary[];
  /** All loops when they are few, otherwise those that fail or are late, the longest in their state first. */
  readonly listed: readonly ListedLoop[];
  /** Loops that fail or are late and do not fit into `listed`. */
  readonly unlisted: number;
}

export const MOST_LISTED = 20;

/** A loop is late when an iteration is overdue, or under way, for this long. */
const LATE_S = 60;

export function summariseLoops(views: readonly LoopView[]): LoopsSummary {
  const loops = views.map(toListed);
  const kinds = new Map<string, LoopKindSummary>();
  for (const loop of loops) {
    const kind = loop.name.slice(loop.name.lastIndexOf('/') + 1);
    kinds.set(kind, add(kinds.get(kind) ?? { kind, ...NO_LOOPS }, loop));
  }
  const isShort = loops.length <= MOST_LISTED;
  const wanted = isShort ? loops : loops.filter(isTroubled);
  const order = isShort ? byName : byAge;
  return {
    total: loops.length,
    kinds: [...kinds.values()].toSorted((a, b) => compare(a.kind, b.kind)),
    listed: wanted.toSorted(order).slice(0, MOST_LISTED),
    unlisted: Math.max(0, wanted.length - MOST_LISTED),
  };
}

const NO_LOOPS = {
  loops: 0,
  asleep: 0,
  working: 0,
  failing: 0,
  late: 0,
  lastSeconds: undefined,
  nextSeconds: undefined,
};

function add(sum: LoopKindSummary, loop: ListedLoop): LoopKindSummary {
  return {
    kind: sum.kind,
    loops: sum.loops + 1,
    asleep: sum.asleep + Number(loop.state === 'asleep'),
    working: sum.working + Number(loop.state === 'working'),
    failing: sum.failing + Number(loop.error !== undefined),
    late: sum.late + Number(loop.late),
    lastSeconds: least(sum.lastSeconds, loop.lastSeconds),
    nextSeconds: least(sum.nextSeconds, loop.nextSeconds),
  };
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function toListed({ name, at, state, since, last, nextAt }: LoopView): ListedLoop {
  const stateSeconds = seconds(at - since);
  const nextSeconds = nextAt === undefined ? undefined : seconds(nextAt - at);
  return {
    name,
    state,
    stateSeconds,
    lastSeconds: last && seconds(at - last.at),
    error: last?.error,
    nextSeconds,
    late: (nextSeconds === undefined ? stateSeconds : -nextSeconds) >= LATE_S,
  };
}

function isTroubled({ error, late }: ListedLoop): boolean {
  return error !== undefined || late;
}

function byName(a: ListedLoop, b: ListedLoop): number {
  return compare(a.name, b.name);
}

function byAge(a: ListedLoop, b: ListedLoop): number {
  return b.stateSeconds - a.stateSeconds || byName(a, b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
