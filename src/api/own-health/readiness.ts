import type { TasksLeft } from '../../projections/record/readers/progress.reader.js';
import { daysLeft, type DiskUse } from '../../domain/disk-growth.js';
import { formatBytes } from '../../platform/bytes.js';
import type { QueueState } from '../../platform/queues/job-queue.js';
import type { ReplicaState } from '../replica/replica-watch.js';
import { withoutAddresses } from './error-words.js';
import type { RecordingState } from './recording-state.js';
import { describeZoneData, type ZoneData } from '../../statistics/roll-up/generation.js';
import { describeUpgrade, type Upgrade } from '../../statistics/upgrades.reader.js';

/** The lease to observe a part of the nodes. */
interface ShardLease {
  /** `2/4`: the second of four. */
  readonly shard: string;
  readonly isHeld: boolean;
}

/** The log, by the database's clock. */
export interface LogFacts {
  readonly position: string;
  /** Seconds since its last event was recorded; null for an empty log. */
  readonly idleSeconds: number | null;
  /** Nodes that are in the settings of any process. Each of them causes an event at least once a minute. */
  readonly watchedNodes: number;
  readonly leases: readonly ShardLease[];
  /** How far its last event is ahead of the database's clock. */
  readonly aheadMs: number;
}

export interface ProjectionFacts {
  readonly name: string;
  readonly position: string;
  /** Events of the log after its position. */
  readonly behind: string;
  readonly stillSeconds: number;
  /** Age of the oldest unread event; null if there is none. */
  readonly waitingSeconds: number | null;
}

export interface DatabaseFacts {
  readonly log: LogFacts;
  readonly projections: readonly ProjectionFacts[];
  /** Remaining work of the record, if an event changes very much. */
  readonly turnsLeft?: TasksLeft;
  /** Seconds since the oldest change of the record that is not in the statistics yet; 0 if all are. */
  readonly statisticsBehindSeconds: number;
  readonly upgrades: readonly Upgrade[];
  /** Set if stored days were computed with other time zone data than this process has. */
  readonly otherZoneData?: ZoneData;
  /** Events that read models skipped, and statistics that cannot be computed: one sentence each. */
  readonly faults: readonly string[];
  /** Left out if it could not be measured. */
  readonly disk?: DiskUse;
}

interface ProjectionProgress {
  readonly name: string;
  readonly position: string;
  /** Unread events. */
  readonly behind: string;
  /** Age of the oldest unread event in seconds; 0 if there is none. */
  readonly behindSeconds: number;
  /** Behind for a minute, and not moved for a minute. */
  readonly stuck: boolean;
}

/** Disk space of the record, in bytes. An unknown figure is left out. */
interface DiskReport {
  readonly log: number;
  readonly readModels: number;
  readonly free?: number;
  /** Per day, at the pace of the last day. */
  readonly growth?: number;
  readonly daysLeft?: number;
}

/** Whether recording works and answers are up to date, and if not, why. */
export interface Readiness {
  readonly ready: boolean;
  readonly database: 'reachable' | 'unreachable';
  readonly reason?: string;
  /** Problems that do not prevent answers, one sentence each; left out if there are none. */
  readonly degraded?: readonly string[];
  readonly logPosition?: string;
  /** Seconds since the last event was recorded; left out for an empty log. */
  readonly lastRecordedSeconds?: number;
  /** Whether this process leads; left out if it does not observe. */
  readonly observing?: RecordingState['is'];
  readonly projections?: readonly ProjectionProgress[];
  readonly statisticsBehindSeconds?: number;
  readonly disk?: DiskReport;
  /** Left out if this process has no queue. */
  readonly queue?: QueueState;
}

/** The answer for clients without a key: nothing that helps an attacker. */
export type ReadinessOutline = Pick<Readiness, 'ready' | 'database' | 'reason' | 'degraded'>;

/** A problem: in full for operators, and in general words for everybody. */
interface ReadinessProblem {
  readonly full: string;
  readonly general: string;
}

/** A condition that does not hold gives `false`. */
type Finding = ReadinessProblem | false | undefined;

/** An observer that cannot write for this long is not ready. */
const CANNOT_WRITE_MS = 30_000;
/** Every monitored node is recorded at least once a minute; two missed minutes are no coincidence. */
const SILENT_AFTER_S = 150;
const STUCK_AFTER_S = 60;
/** A read model that is further behind is reported: it shows only a part of the log. */
const UNREAD_AFTER_S = 10;
const STATISTICS_LATE_S = 60;
const REPLICA_LATE_S = 60;
/** A database's clock may be corrected by this much without a report. */
const AHEAD_MS = 5_000;
const LITTLE_ROOM = 2_000_000_000n;
/** Time enough to give a disk more room. */
const FEW_DAYS = 7;

/**
 * Judges the known facts.
 * @param recording undefined if the process does not observe
 * @param queue undefined if the process has no queue
 * @param replica undefined if no replica answers requests
 */
export function judgeReadiness(
  facts: DatabaseFacts,
  recording: RecordingState | undefined,
  queue: QueueState | undefined,
  replica?: ReplicaState,
): { readonly readiness: Readiness; readonly outline: ReadinessOutline } {
  const projections = judgeProjections(facts);
  const reasons = problemsIn([findRecordingTrouble(facts.log, recording), findStuck(projections)]);
  const degraded = problemsIn([
    findUnread(facts),
    ...findTrouble(facts, recording, queue),
    replica && findLag(replica),
  ]);
  const { log, statisticsBehindSeconds, disk } = facts;
  return {
    outline: tell(reasons, degraded, 'general'),
    readiness: {
      ...tell(reasons, degraded, 'full'),
      logPosition: log.position,
      ...(log.idleSeconds !== null && { lastRecordedSeconds: tenths(Math.max(log.idleSeconds, 0)) }),
      ...(recording && { observing: recording.is }),
      projections,
      statisticsBehindSeconds,
      ...(disk && { disk: tellDisk(disk) }),
      ...(queue && { queue: tellQueue(queue) }),
    },
  };
}

function problemsIn(findings: readonly Finding[]): ReadinessProblem[] {
  return findings.filter((finding) => typeof finding === 'object');
}

function problem(full: string, general = full): ReadinessProblem {
  return { full, general };
}

function tellQueue({ reason, ...state }: QueueState): QueueState {
  return reason === undefined ? state : { ...state, reason: withoutAddresses(reason) };
}

/** Each sentence once: in general words, several findings may have the same sentence. */
function tell(
  reasons: readonly ReadinessProblem[],
  degraded: readonly ReadinessProblem[],
  words: keyof ReadinessProblem,
): ReadinessOutline {
  const [why, beside] = [reasons, degraded].map((list) => [...new Set(list.map((one) => one[words]))]);
  return {
    ready: reasons.length === 0,
    database: 'reachable',
    ...(why && why.length > 0 && { reason: why.join(' ') }),
    ...(beside && beside.length > 0 && { degraded: beside }),
  };
}

function judgeProjections({ projections, upgrades }: DatabaseFacts): ProjectionProgress[] {
  // They are stopped on purpose, until the new projections are there.
  const others = new Set(upgrades.flatMap(({ differing }) => differing));
  return projections.map(({ name, position, behind, stillSeconds, waitingSeconds }) => ({
    name,
    position,
    behind,
    behindSeconds: tenths(Math.max(waitingSeconds ?? 0, 0)),
    stuck:
      !others.has(name) &&
      BigInt(behind) > 0n &&
      stillSeconds >= STUCK_AFTER_S &&
      (waitingSeconds ?? Infinity) >= STUCK_AFTER_S,
  }));
}

/** Read models that are catching up, or that no process advances. Upgrades are reported separately. */
function findUnread({ projections, upgrades }: DatabaseFacts): Finding {
  const others = new Set(upgrades.flatMap(({ differing }) => differing));
  const late = projections.filter(
    ({ name, waitingSeconds }) => !others.has(name) && (waitingSeconds ?? 0) >= UNREAD_AFTER_S,
  );
  if (late.length === 0) return undefined;
  const most = late.reduce((a, b) => (BigInt(b.behind) > BigInt(a.behind) ? b : a));
  const names = late.map(({ name }) => name).join(', ');
  return problem(
    `${names}: ${most.behind} events are not read yet. Lists and figures lack a part of the log, and an empty list proves nothing.`,
    'Some recorded events are not read yet: lists and figures lack them.',
  );
}

function findStuck(projections: readonly ProjectionProgress[]): Finding {
  const stuck = projections.filter((projection) => projection.stuck).map(({ name }) => name);
  const full = `These projections make no progress: ${stuck.join(', ')}.`;
  return stuck.length > 0 && problem(full, 'Some projections make no progress.');
}

function findRecordingTrouble(log: LogFacts, recording: RecordingState | undefined): Finding {
  if (!recording) return undefined;
  const { uptimeMs, troubleMs, trouble, failingMs, failure, waitingMs } = recording;
  const nothing = 'Nothing can be recorded.';
  if (failingMs >= CANNOT_WRITE_MS) {
    const why = withoutAddresses(failure ?? 'the database refuses it');
    return problem(`Nothing could be recorded for ${seconds(failingMs)}: ${why}.`, nothing);
  }
  if (waitingMs >= CANNOT_WRITE_MS) {
    const since = seconds(waitingMs);
    return problem(`Nothing can be recorded: the database has not answered an append for ${since}.`, nothing);
  }
  if (troubleMs >= CANNOT_WRITE_MS) {
    const why = withoutAddresses(trouble ?? 'the process lost its lease');
    const full = `This process has observed nothing for ${seconds(troubleMs)}: ${why}.`;
    return problem(full, 'This process observes nothing.');
  }
  return uptimeMs >= CANNOT_WRITE_MS && findSilence(log);
}

function findTrouble(
  { log, turnsLeft, upgrades, otherZoneData, faults, statisticsBehindSeconds, disk }: DatabaseFacts,
  recording: RecordingState | undefined,
  queue: QueueState | undefined,
): Finding[] {
  return [
    !recording && findSilence(log),
    log.watchedNodes > 0 && findUnobserved(log.leases),
    turnsLeft && tellTurns(turnsLeft),
    ...upgrades.map((upgrade) =>
      problem(withoutAddresses(describeUpgrade(upgrade)), 'Some read models are made again.'),
    ),
    otherZoneData &&
      problem(describeZoneData(otherZoneData), 'Processes with other time zone data are running.'),
    queue?.state === 'unreachable' &&
      problem(
        'The job queue does not answer: jobs wait, and the statistics are computed without it.',
        'The job queue does not answer.',
      ),
    statisticsBehindSeconds >= STATISTICS_LATE_S &&
      problem(
        `The statistics are ${Math.round(statisticsBehindSeconds)} s behind the record.`,
        'The statistics are behind the record.',
      ),
    log.aheadMs >= AHEAD_MS &&
      problem(
        `The log is ${seconds(log.aheadMs)} ahead of the database's clock: until the clock has caught up, past states cannot be determined.`,
        "The log is ahead of the database's clock.",
      ),
    disk && findLittleRoom(disk),
    ...faults.map((full) => problem(full, 'Some events or statistics could not be processed.')),
  ];
}

/** Little space in absolute terms, or at the pace of the last day. */
function findLittleRoom(disk: DiskUse): Finding {
  const { freeBytes } = disk;
  const days = daysLeft(disk) ?? Infinity;
  if (freeBytes === undefined || (freeBytes >= LITTLE_ROOM && days >= FEW_DAYS)) return undefined;
  const pace = days < FEW_DAYS ? `, enough for ${tenths(days)} days at the present growth` : '';
  const full = `Only ${formatBytes(freeBytes)} are free on the database's disk${pace}.`;
  return problem(full, "Little space is free on the database's disk.");
}

function tellDisk(use: DiskUse): DiskReport {
  const { logBytes, readModelBytes, freeBytes, growthBytesPerDay } = use;
  const days = daysLeft(use);
  return {
    log: Number(logBytes),
    readModels: Number(readModelBytes),
    ...(freeBytes !== undefined && { free: Number(freeBytes) }),
    ...(growthBytesPerDay !== undefined && { growth: Math.round(growthBytesPerDay) }),
    ...(days !== undefined && { daysLeft: tenths(days) }),
  };
}

function findLag({ position, behindSeconds }: ReplicaState): Finding {
  if (position === null) {
    return problem('The replica that answers queries does not respond: queries are refused until it does.');
  }
  if (behindSeconds === null) return problem('The lag of the replica that answers queries is unknown.');
  const full = `The replica that answers queries is ${Math.round(behindSeconds)} s behind.`;
  return behindSeconds >= REPLICA_LATE_S && problem(full, 'The replica that answers queries is behind.');
}

/** Parts of the nodes that no process observes. Shards with a count that has no current lease are from a former split. */
function findUnobserved(leases: readonly ShardLease[]): Finding {
  const held = new Set(leases.filter(({ isHeld }) => isHeld).map(({ shard }) => shard));
  if (held.size === 0) return problem('No process observes the nodes.');
  const counts = new Set([...held].map((shard) => Number(shard.split('/')[1])));
  const missing = [...counts].flatMap((count) =>
    Array.from({ length: count }, (_, index) => `${index + 1}/${count}`).filter((shard) => !held.has(shard)),
  );
  const full = `No process observes the nodes of these shards: ${missing.join(', ')}.`;
  return missing.length > 0 && problem(full, 'No process observes some of the nodes.');
}

/** Nodes are monitored, but nothing has been recorded for longer than is possible. */
function findSilence({ watchedNodes, idleSeconds }: LogFacts): Finding {
  if (watchedNodes === 0 || idleSeconds === null || idleSeconds < SILENT_AFTER_S) return undefined;
  return problem(
    `Nothing has been recorded for ${Math.round(idleSeconds)} s, although nodes are monitored.`,
    'Nothing is being recorded, although nodes are monitored.',
  );
}

function tellTurns({ position, chain, done, turns }: TasksLeft): ReadinessProblem {
  const left = turns === 1 ? 'the last step' : `the first of ${turns} remaining steps`;
  const full = `The record is updating its decisions about chain ${chain} after the event at position ${position}: ${done} rows or DA heights of ${left} are done.`;
  return problem(
    withoutAddresses(full),
    'The record is updating its decisions about a chain after an event.',
  );
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
