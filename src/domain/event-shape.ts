import { SERVICE_CLAIMS } from './claims.js';
import type { EventType, StreamEvents } from './events.js';

/** Checks the kind of a body's member. Readers check whether the value makes sense. */
type MemberCheck = (value: unknown, body?: Readonly<Record<string, unknown>>) => boolean;

const isText: MemberCheck = (value) => typeof value === 'string';
const isNumber: MemberCheck = (value) => typeof value === 'number';
const isWhole: MemberCheck = Number.isSafeInteger;
const isList: MemberCheck = Array.isArray;
/** An integer in text. */
const isInteger: MemberCheck = (value) => typeof value === 'string' && /^-?\d{1,100}$/.test(value);
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const orNull =
  (check: MemberCheck): MemberCheck =>
  (value) =>
    value === null || check(value);
/** Accepts a missing member too: readers know what it meant before the member existed. */
const orNothing =
  (check: MemberCheck): MemberCheck =>
  (value) =>
    value === undefined || value === null || check(value);
const listOf =
  (check: MemberCheck): MemberCheck =>
  (value) =>
    Array.isArray(value) && value.every((item) => check(item));
const members =
  (checks: Readonly<Record<string, MemberCheck>>): MemberCheck =>
  (value) =>
    isObject(value) && Object.entries(checks).every(([name, check]) => check(value[name]));
const valuesOf =
  (check: MemberCheck): MemberCheck =>
  (value) =>
    isObject(value) && Object.values(value).every((item) => check(item));

const isStretch = members({ list: isWhole, since: isWhole, last: isWhole });
const isPolls = members({
  first: isWhole,
  last: isWhole,
  count: isNumber,
  longestGapMs: isNumber,
  nodeClock: orNothing(isWhole),
  nodeClockBefore: orNothing(isWhole),
  lists: orNothing(listOf(isStretch)),
});
const SYSTEM = {
  looks: isPolls,
  outcome: isText,
  statusCode: orNothing(isNumber),
  detail: isText,
};
/** One value for all blocks, or one per block. */
const columnOf =
  (check: MemberCheck): MemberCheck =>
  (value, body) =>
    Array.isArray(value)
      ? value.length === body?.['count'] && value.every((item) => check(item))
      : check(value);
const isHash: MemberCheck = (value) => value === 0 || isText(value);
const isIntegerColumn = listOf((item) => item === null || isInteger(item) || isWhole(item));
const isLatency = members({
  count: isNumber,
  minMs: isNumber,
  meanMs: isNumber,
  p50Ms: isNumber,
  p99Ms: isNumber,
  maxMs: isNumber,
});

/** The number of blocks, which unpacking relies on. */
const isCountOfTimes: MemberCheck = (value, body) =>
  Array.isArray(body?.['times']) && value === body['times'].length;

type BodyShape<Body> = Readonly<Partial<Record<keyof Body, MemberCheck>>>;

const LOSS = {
  looks: isPolls,
  after: isWhole,
  from: orNull(isWhole),
  to: isWhole,
  minLost: isWhole,
  maxLost: orNull(isWhole),
  likelyLost: orNull(isNumber),
};
const ON_CHAIN = { looks: orNothing(isPolls), chain: isText, lineage: isWhole };

const SHAPES: {
  readonly [S in keyof StreamEvents]: {
    readonly [T in keyof StreamEvents[S]]: BodyShape<StreamEvents[S][T]>;
  };
} = {
  node: {
    NodeRegistered: { url: isText, chain: orNothing(isText), systems: orNothing(listOf(isText)) },
    NodeSettingsChanged: { url: isText, chain: orNothing(isText), systems: orNothing(listOf(isText)) },
    NodeRetired: {},
    NodeDescribed: {
      chain: orNothing(isText),
      headerNamespace: orNothing(isText),
      dataNamespace: orNothing(isText),
      seen: orNothing(isStretch),
    },
    NodeWatched: { looks: valuesOf(orNothing(isPolls)) },
    ClockStepped: { wallBefore: isWhole, wallAfter: isWhole, elapsedMs: isWhole },
  },
  chain: {
    ChainSettingsChanged: { reportingTimeZone: isText, thresholds: isObject, da: isObject },
    ChainLineageOpened: { n: isWhole },
  },
  submissions: {
    SubmissionsObserved: {
      looks: isPolls,
      source: isWhole,
      ring: isWhole,
      firstSequence: isWhole,
      rows: listOf(isText),
    },
    SubmissionWindowLost: LOSS,
    SubmissionRingReset: LOSS,
    SubmissionOverlapAmbiguous: LOSS,
    SubmissionHistoryMissing: LOSS,
    SubmissionRingSwitched: { looks: isPolls },
    SubmissionSourceChanged: { looks: orNothing(isPolls), state: isText, detail: isText },
  },
  blocks: {
    BlocksObserved: {
      ...ON_CHAIN,
      from: isInteger,
      to: isInteger,
      count: isCountOfTimes,
      head: orNothing(isInteger),
      heights: orNothing(isIntegerColumn),
      times: isIntegerColumn,
      chainId: columnOf(isText),
      dataHashes: columnOf(isHash),
      appHashes: columnOf(orNull(isText)),
      signatures: columnOf(isText),
      signerKeys: columnOf(isText),
      txCounts: columnOf(isWhole),
      txBytes: columnOf(isWhole),
      headerBlobBytes: (value, body) => value === undefined || columnOf(orNull(isWhole))(value, body),
      dataBlobBytes: columnOf(orNull(isWhole)),
      headerDaHeights: orNothing(isIntegerColumn),
      dataDaHeights: orNothing(isIntegerColumn),
    },
    BlockUnreadable: { ...ON_CHAIN, height: isInteger, to: orNothing(isInteger) },
    BlockInclusionObserved: {
      ...ON_CHAIN,
      heights: listOf(
        (entry) =>
          isList(entry) &&
          isInteger((entry as unknown[])[0]) &&
          (entry as unknown[]).slice(1).every((item) => orNothing(isInteger)(item)),
      ),
    },
    BlockChainBroken: { chain: isText, lineage: isWhole, height: isInteger },
    BlocksPruned: { chain: isText, lineage: isWhole, from: isInteger, to: isInteger },
    NodeProgressObserved: {
      looks: orNothing(isPolls),
      head: orNothing(isInteger),
      headTimeNs: orNothing(isInteger),
      daIncluded: orNothing(isInteger),
      lastSubmittedHeader: orNothing(isInteger),
      lastSubmittedData: orNothing(isInteger),
      headerStoreHead: orNothing(isInteger),
      oldest: orNothing(isInteger),
      firstPending: orNothing(isInteger),
      clockOffsetMs: orNothing(isNumber),
      lacks: orNothing(listOf(isText)),
    },
  },
  probes: {
    ProbeChanged: {
      looks: isPolls,
      probe: isText,
      outcome: isText,
      statusCode: orNothing(isNumber),
      detail: isText,
      latencyMs: orNothing(isNumber),
    },
    ProbesSummarised: {
      looks: isPolls,
      from: isWhole,
      to: isWhole,
      probes: valuesOf(members({ ok: isNumber, failed: isNumber, latency: orNull(isLatency) })),
    },
  },
  claims: {
    DaHealthClaimed: { looks: isPolls, status: orNothing(isText) },
    DaStatsClaimed: { looks: isPolls },
    ServiceClaimed: { kind: (value) => (SERVICE_CLAIMS as readonly unknown[]).includes(value) },
  },
  daNode: {
    DaNodeChanged: {
      ...SYSTEM,
      token: orNothing(members({ permissions: listOf(isText), expiresAt: orNothing(isText) })),
    },
    DaHeadObserved: {
      looks: isPolls,
      chain: orNothing(isText),
      height: isInteger,
      timeNs: isInteger,
      syncTo: orNothing(isInteger),
      sampling: orNothing(
        members({ isRunning: (value) => typeof value === 'boolean', failed: isWhole, head: isInteger }),
      ),
      consensus: orNothing(members({ height: isInteger, timeNs: isInteger })),
    },
    BalanceObserved: {
      account: isText,
      amount: orNothing(isInteger),
      height: orNothing(isInteger),
      detail: isText,
    },
  },
  execution: {
    ExecutionChanged: { ...SYSTEM, client: orNothing(isText), chainId: orNothing(isInteger) },
    ExecutionHeadObserved: {
      looks: isPolls,
      height: isInteger,
      hash: orNothing(isText),
      timeNs: orNothing(isInteger),
      rollupHeight: orNothing(isInteger),
      compared: orNothing(members({ height: isInteger, stateRoot: isText, appHash: isText })),
      firstDifference: orNothing(isInteger),
    },
  },
  operator: {
    PriceSet: { entries: listOf(members({ subject: isText, value: isObject })), source: isText },
    FeesImported: {
      source: isText,
      fees: listOf(
        members({ daHeight: isInteger, fee: isInteger, namespace: orNothing(isText), tx: orNothing(isText) }),
      ),
    },
    JobRequested: { job: isText, arguments: isObject, by: isText },
    AlertRaised: {
      alert: members({
        id: isText,
        rule: isText,
        severity: isText,
        owner: isText,
        chain: orNull(isText),
        nodes: listOf(isText),
        since: isWhole,
        reason: isText,
        words: orNothing(members({ title: isText, means: isText, remedy: isText })),
        link: orNothing(isText),
        runbook: orNothing(isText),
      }),
      destinations: listOf(isText),
    },
    AlertReminded: { alert: isText, destinations: listOf(isText), reason: orNothing(isText) },
    AlertAcknowledged: { alert: isText, by: isText, destinations: listOf(isText) },
    AlertResolved: {
      alert: isText,
      until: isWhole,
      destinations: listOf(isText),
      gone: orNothing(listOf(isText)),
    },
    AlertDelivered: { notice: isText, destination: isText, outcome: isText },
    AlertsSilenced: {
      silence: members({
        id: isText,
        scope: isObject,
        from: isWhole,
        until: isWhole,
        note: isText,
        by: isText,
      }),
    },
    SilenceLifted: { silence: isText, by: isText },
    ReportRequested: {
      key: isText,
      destination: isText,
      by: isText,
      period: isText,
      from: isWhole,
      to: isWhole,
      locale: isText,
    },
    ReportDelivered: { report: isText, outcome: isText, detail: isText },
  },
  incidents: {
    IncidentAcknowledged: { incident: isText, note: isText, by: isText },
    IncidentNoted: { incident: isText, note: isText, by: isText },
  },
  exclusion: {
    NodeExcluded: { why: isText, by: isText },
    NodeIncluded: { by: isText },
  },
};

const SHAPE_OF: Readonly<Record<string, Readonly<Record<string, MemberCheck | undefined>>>> = Object.assign(
  {},
  ...Object.values(SHAPES),
);

export function eventsOn<S extends keyof StreamEvents>(kind: S): (keyof StreamEvents[S])[] {
  return Object.keys(SHAPES[kind]) as (keyof StreamEvents[S])[];
}

/**
 * Name of the first member whose kind differs from what the event's type requires; undefined when all match. `body` if the
 * body is not an object. Unknown types require nothing.
 */
export function findMisshapen(type: EventType, body: unknown): string | undefined {
  if (!isObject(body)) return 'body';
  const shape = SHAPE_OF[type] ?? {};
  return Object.keys(shape).find((name) => shape[name]?.(body[name], body) === false);
}
