import type { TurnsLeft } from '../../projections/record/readers/progress.reader.js';
import { daysLeft, type DiskUse } from '../../domain/disk-growth.js';
import { formatBytes } from '../../platform/bytes.js';
import type { QueueState } from '../../platform/queues/job-queue.js';
import type { ReplicaState } from '../replica/replica-watch.js';
import { withoutAddresses } from './error-words.js';
import type { RecordingState } from './recording-state.js';
import { describeZoneData, type ZoneData } from '../../statistics/roll-up/generation.js';
import { describeUpgrade, type Upgrade } from '../../statistics/upgrades.reader.js';

/** The right to observe a part of the nodes. */
interface ShardLease {
  /** `2/4`: the second of four. */
  readonly shard: string;
  readonly isHeld: boolean;
}

/** The log, by the database's clock. */
export interface LogFacts {
  /** Position of its last event. */
  readonly position: string;
  /** Seconds since its last event was recorded; null for an empty log. */
  readonly idleSeconds: number | null;
  /** Nodes that are in somebody's settings. Each of them gives something to record at least once a minute. */
  readonly watchedNodes: number;
  /** The leases of observers. */
  readonly leases: readonly ShardLease[];
  /** How far its last event is ahead of the database's clock. */
  readonly aheadMs: number;
}

/** How far a projection has come, and whether it moves. */
export interface ProjectionFacts {
  readonly name: string;
  readonly position: string;
  /** Events of the log after it. */
  readonly behind: string;
  readonly stillSeconds: number;
  /** Age of the oldest event that it has not read; null when there is none. */
  readonly waitingSeconds: number | null;
}

/** What the database says. */
export interface DatabaseFacts {
  readonly log: LogFacts;
  readonly projections: readonly ProjectionFacts[];
  /** What the record has left to decide, where an event changes very much. */
  readonly turnsLeft?: TurnsLeft;
  /** Seconds since the oldest change of the record that is not in the statistics yet; 0 when all are. */
  readonly statisticsBehindSeconds: number;
  readonly upgrades: readonly Upgrade[];
  /** Where stored days are of other time zone data than this process has. */
  readonly otherZoneData?: ZoneData;
  /** What read models and statistics go on without, a sentence each. */
  readonly faults: readonly string[];
  /** Left out where it could not be measured. */
  readonly disk?: DiskUse;
}

/** How far a projection has come. */
interface ProjectionProgress {
  readonly name: string;
  readonly position: string;
  /** Events that it has still to read. */
  readonly behind: string;
  /** Age of the oldest of them in seconds; 0 when there is none. */
  readonly behindSeconds: number;
  /** Behind for a minute, and not moved for a minute. */
  readonly stuck: boolean;
}

/** The disk that the record takes, in bytes. An unknown figure is left out. */
interface DiskReport {
  readonly log: number;
  readonly readModels: number;
  readonly free?: number;
  /** Of a day, at the pace of the last one. */
  readonly growth?: number;
  readonly daysLeft?: number;
}

/** Whether what is recorded is recorded, and what is answered is up to date; and why not. */
export interface Readiness {
  readonly ready: boolean;
  readonly database: 'reachable' | 'unreachable';
  readonly reason?: string;
  /** What is not as it should be although questions are answered, a sentence each; only when there is something. */
  readonly degraded?: readonly string[];
  /** Position of the last event of the log. */
  readonly logPosition?: string;
  /** Seconds since it was recorded; left out for an empty log. */
  readonly lastRecordedSeconds?: number;
  /** Where this process observes: whether it leads. */
  readonly observing?: RecordingState['is'];
  readonly projections?: readonly ProjectionProgress[];
  readonly statisticsBehindSeconds?: number;
  readonly disk?: DiskReport;
  /** Where this process has a queue. */
  readonly queue?: QueueState;
}

/** What those are told who have shown no key: nothing that helps to attack. */
export type ReadinessOutline = Pick<Readiness, 'ready' | 'database' | 'reason' | 'degraded'>;

/** Something that is not as it should be: for those who run this service, and in general words for everybody. */
interface Finding {
  readonly full: string;
  readonly general: string;
}

/** An observer that cannot write for so long is not ready. */
const CANNOT_WRITE_MS = 30_000;
/** A watched node is written down every minute at the latest; two of them missed is no coincidence. */
const SILENT_AFTER_S = 150;
const STUCK_AFTER_S = 60;
/** A read model that is further behind says so: what it shows is of a part of the log. */
const UNREAD_AFTER_S = 10;
const STATISTICS_LATE_S = 60;
const REPLICA_LATE_S = 60;
/** By so much a database's clock may be corrected without a word. */
const AHEAD_MS = 5_000;
const LITTLE_ROOM = 2_000_000_000n;
/** Time enough to give a disk more room. */
const FEW_DAYS = 7;

/**
 * Judges what is known.
 * @param recording of a process that observes; undefined where it does not
 * @param queue of a process that has one
 * @param replica where one answers questions
 */
export function judgeReadiness(
  facts: DatabaseFacts,
  recording: RecordingState | undefined,
  queue: QueueState | undefined,
  replica?: ReplicaState,
): { readonly readiness: Readiness; readonly outline: ReadinessOutline } {
  const projections = judgeProjections(facts);
  const reasons = [...findRecordingTrouble(facts.log, recording), ...findStuck(projections)];
  const degraded = [...findUnread(facts), ...findTrouble(facts, recording, queue), ...findLag(replica)];
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

function tellQueue({ reason, ...state }: QueueState): QueueState {
  return reason === undefined ? state : { ...state, reason: withoutAddresses(reason) };
}

/** Each sentence once: in general words, several findings may be one. */
function tell(
  reasons: readonly Finding[],
  degraded: readonly Finding[],
  words: keyof Finding,
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
  // They stand still on purpose, until the new ones are there.
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

/** Read models that are catching up, or wait for somebody who reads on; an upgrade has words of its own. */
function findUnread({ projections, upgrades }: DatabaseFacts): Finding[] {
  const others = new Set(upgrades.flatMap(({ differing }) => differing));
  const late = projections.filter(
    ({ name, waitingSeconds }) => !others.has(name) && (waitingSeconds ?? 0) >= UNREAD_AFTER_S,
  );
  if (late.length === 0) return [];
  const most = late.reduce((a, b) => (BigInt(b.behind) > BigInt(a.behind) ? b : a));
  const names = late.map(({ name }) => name).join(', ');
  return [
    {
      full: `${most.behind} events are not read yet by ${names}: lists and figures are of a part of the log, and an empty one proves nothing.`,
      general: 'Not all that is recorded is read yet: lists and figures are of a part of it.',
    },
  ];
}

function findStuck(projections: readonly ProjectionProgress[]): Finding[] {
  const stuck = projections.filter((projection) => projection.stuck).map(({ name }) => name);
  if (stuck.length === 0) return [];
  return [
    {
      full: `These projections do not move on: ${stuck.join(', ')}.`,
      general: 'Some projections do not move on.',
    },
  ];
}

function findRecordingTrouble(log: LogFacts, recording: RecordingState | undefined): Finding[] {
  if (!recording) return [];
  const { uptimeMs, troubleMs, trouble, failingMs, failure, waitingMs } = recording;
  const nothing = 'Nothing can be recorded.';
  if (failingMs >= CANNOT_WRITE_MS) {
    const why = withoutAddresses(failure ?? 'the database refuses it');
    return [{ full: `Nothing can be recorded for ${seconds(failingMs)}: ${why}.`, general: nothing }];
  }
  if (waitingMs >= CANNOT_WRITE_MS) {
    const since = seconds(waitingMs);
    const full = `Nothing can be recorded: the database has not answered an append for ${since}.`;
    return [{ full, general: nothing }];
  }
  if (troubleMs >= CANNOT_WRITE_MS) {
    const why = withoutAddresses(trouble ?? 'it lost its lease');
    const full = `Nothing is observed by this process for ${seconds(troubleMs)}: ${why}.`;
    return [{ full, general: 'Nothing is observed by this process.' }];
  }
  return isSilent(log) && uptimeMs >= CANNOT_WRITE_MS ? [tellSilence(log)] : [];
}

function findTrouble(
  { log, turnsLeft, upgrades, otherZoneData, faults, statisticsBehindSeconds, disk }: DatabaseFacts,
  recording: RecordingState | undefined,
  queue: QueueState | undefined,
): Finding[] {
  return [
    ...(!recording && isSilent(log) ? [tellSilence(log)] : []),
    ...(log.watchedNodes > 0 ? findUnobserved(log.leases) : []),
    ...(turnsLeft ? [tellTurns(turnsLeft)] : []),
    ...upgrades.map((upgrade) => ({
      full: withoutAddresses(describeUpgrade(upgrade)),
      general: 'Another release has made some read models.',
    })),
    ...(otherZoneData
      ? [
          {
            full: describeZoneData(otherZoneData),
            general: 'Processes with other time zone data are at work.',
          },
        ]
      : []),
    ...(queue?.state === 'unreachable' ? [QUEUE_AWAY] : []),
    ...(statisticsBehindSeconds >= STATISTICS_LATE_S
      ? [
          {
            full: `The statistics are ${Math.round(statisticsBehindSeconds)} s behind the record.`,
            general: 'The statistics are behind the record.',
          },
        ]
      : []),
    ...(log.aheadMs >= AHEAD_MS
      ? [
          {
            full: `The log is ${seconds(log.aheadMs)} ahead of the database's clock: until that has caught up, what was known at a time cannot be told.`,
            general: "The log is ahead of the database's clock.",
          },
        ]
      : []),
    ...(disk ? findLittleRoom(disk) : []),
    ...faults.map((full) => ({ full, general: 'Some of the record could not be taken.' })),
  ];
}

/** Little in itself, or at the pace of the last day. */
function findLittleRoom(disk: DiskUse): Finding[] {
  const { freeBytes } = disk;
  const days = daysLeft(disk) ?? Infinity;
  if (freeBytes === undefined || (freeBytes >= LITTLE_ROOM && days >= FEW_DAYS)) return [];
  const pace = days < FEW_DAYS ? `, which will do for ${tenths(days)} days as it grows now` : '';
  return [
    {
      full: `Only ${formatBytes(freeBytes)} are free on the database's disk${pace}.`,
      general: "Little room is left on the database's disk.",
    },
  ];
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

const QUEUE_AWAY: Finding = {
  full: 'The job queue does not answer: jobs wait, and the statistics are computed without it.',
  general: 'The job queue does not answer.',
};

function findLag(replica: ReplicaState | undefined): Finding[] {
  if (replica === undefined) return [];
  if (replica.position === null) {
    const away = 'The replica that answers questions does not answer: they are refused until it does.';
    return [{ full: away, general: away }];
  }
  const { behindSeconds } = replica;
  if (behindSeconds === null) {
    const unknown = 'How far the replica that answers questions is behind is not known.';
    return [{ full: unknown, general: unknown }];
  }
  if (behindSeconds < REPLICA_LATE_S) return [];
  return [
    {
      full: `The replica that answers questions is ${Math.round(behindSeconds)} s behind.`,
      general: 'The replica that answers questions is behind.',
    },
  ];
}

/** Parts of the nodes that nobody observes. Shards of other numbers than are held today were cut otherwise once. */
function findUnobserved(leases: readonly ShardLease[]): Finding[] {
  const held = new Set(leases.filter(({ isHeld }) => isHeld).map(({ shard }) => shard));
  const nobody = 'No process observes the nodes.';
  if (held.size === 0) return [{ full: nobody, general: nobody }];
  const counts = new Set([...held].map((shard) => Number(shard.split('/')[1])));
  const missing = [...counts].flatMap((count) =>
    Array.from({ length: count }, (_, index) => `${index + 1}/${count}`).filter((shard) => !held.has(shard)),
  );
  if (missing.length === 0) return [];
  return [
    {
      full: `No process observes the nodes of the shards ${missing.join(', ')}.`,
      general: 'No process observes some of the nodes.',
    },
  ];
}

/** Nodes are watched, and nothing of them has been recorded for longer than that can be. */
function isSilent({ watchedNodes, idleSeconds }: LogFacts): boolean {
  return watchedNodes > 0 && idleSeconds !== null && idleSeconds >= SILENT_AFTER_S;
}

function tellSilence({ idleSeconds }: LogFacts): Finding {
  return {
    full: `Nothing has been recorded for ${Math.round(idleSeconds ?? 0)} s, although nodes are watched.`,
    general: 'Nothing is being recorded, although nodes are watched.',
  };
}

function tellTurns({ position, chain, done, turns }: TurnsLeft): Finding {
  const left = turns === 1 ? 'the last step' : `the first of ${turns} steps that are left`;
  return {
    full: withoutAddresses(
      `The record is deciding anew what the event at position ${position} changed of the chain ${chain}: ${done} rows or DA heights are done of ${left}.`,
    ),
    general: 'The record is deciding anew what an event changed of a chain.',
  };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
