import { CLAIM_INTERVAL_MS, isNewClaim, summariseClaim, type KnownClaim } from '../domain/claims.js';
import type { NewEvent } from '../domain/events.js';
import type { NodeAnswer } from '../node-api/answer.js';
import type { DaDocument } from '../node-api/da-documents.client.js';
import type { NodeApi } from '../node-api/node-api.js';
import type { Clock } from '../platform/clock.js';
import type { DaySpending } from '../domain/byte-budget.js';
import type { Millis } from '../domain/time.js';
import { carryLooks, sameLook } from './look-book.js';
import type { SeeingObserver } from './subject-observer.js';
import { type RecorderParts, SubjectRecorder } from './subject-recorder.js';

/** The last claim of each kind that was recorded. */
interface ClaimsState {
  readonly health?: KnownClaim;
  readonly stats?: KnownClaim;
  readonly spent?: DaySpending;
}

const EVERY_MS = 5_000;
/** A node without a DA list of its own claims nothing that changes but when its role does. */
const NOT_AGGREGATOR_MS = 15_000;
/** DA monitoring that is switched off comes back with a restart of the node. */
const SWITCHED_OFF_MS = 60_000;
const AFTER_LOST_APPEND_MS = 200;

/** Records what a node says of its DA layer, as it says it, when it says something new. */
export class ClaimsObserver implements SeeingObserver {
  readonly subject = 'claims';
  hasSeen = false;
  private readonly recorder: SubjectRecorder<ClaimsState>;
  private statsAskedAt: Millis | undefined;

  constructor(private readonly parts: RecorderParts & { readonly api: NodeApi; readonly clock: Clock }) {
    this.recorder = new SubjectRecorder('claims', parts);
  }

  async look(signal: AbortSignal): Promise<Millis> {
    const { state = {} } = await this.recorder.load();
    const { api, clock, book } = this.parts;
    const health = await api.health(signal);
    this.hasSeen = health.ok;
    if (!health.ok) {
      return health.state === 'DISABLED' || health.state === 'NOT_SUPPORTED' ? SWITCHED_OFF_MS : EVERY_MS;
    }
    const stats = this.isStatsDue() ? await api.stats(signal) : undefined;
    if (signal.aborted) return EVERY_MS;
    const now = clock.now();
    book.note(now, health.nodeClock);
    if (stats) this.statsAskedAt = clock.monotonic();
    const said = { health: newClaim(state.health, health, now), stats: newClaim(state.stats, stats, now) };
    return (await this.record(state, said, now)) ? this.delayAfter(health) : AFTER_LOST_APPEND_MS;
  }

  /** False when another process recorded first: the answers are thrown away. */
  private async record(state: ClaimsState, { health, stats }: NewClaims, now: Millis): Promise<boolean> {
    if (!health && !stats) return true;
    const pauseMs = await this.recorder.record({
      at: now,
      events: carryLooks(
        [...(health ? [healthEvent(health, now)] : []), ...(stats ? [statsEvent(stats, now)] : [])],
        this.parts.book.peek(),
      ),
      state: () => ({
        ...state,
        ...(health && { health: health.known }),
        ...(stats && { stats: stats.known }),
      }),
      settled: (isRecorded) => {
        if (!isRecorded) this.statsAskedAt = undefined;
      },
    });
    return pauseMs !== undefined;
  }

  /** Statistics are recorded at most once a minute, so they are not asked for more often. */
  private isStatsDue(): boolean {
    const { statsAskedAt } = this;
    return statsAskedAt === undefined || this.parts.clock.monotonic() - statsAskedAt >= CLAIM_INTERVAL_MS;
  }

  private delayAfter(health: NodeAnswer<DaDocument>): number {
    const isFollower = health.ok && health.value.json['is_aggregator'] === false;
    return isFollower ? NOT_AGGREGATOR_MS : EVERY_MS;
  }
}

interface NewClaim {
  readonly document: DaDocument;
  readonly known: KnownClaim;
}

/** Of an answer of each kind. */
interface NewClaims {
  readonly health: NewClaim | undefined;
  readonly stats: NewClaim | undefined;
}

function newClaim(
  known: KnownClaim | undefined,
  answer: NodeAnswer<DaDocument> | undefined,
  now: Millis,
): NewClaim | undefined {
  if (!answer?.ok) return undefined;
  const claim = summariseClaim(answer.value.json, now);
  return isNewClaim(known, claim) ? { document: answer.value, known: claim } : undefined;
}

function healthEvent({ document }: NewClaim, now: Millis): NewEvent {
  const { status } = document.json;
  const body = {
    looks: sameLook(now),
    status: typeof status === 'string' ? status : null,
    ...bodyOf(document),
  };
  return { type: 'DaHealthClaimed', observedAt: now, body };
}

function statsEvent({ document }: NewClaim, now: Millis): NewEvent {
  return { type: 'DaStatsClaimed', observedAt: now, body: { looks: sameLook(now), ...bodyOf(document) } };
}

function bodyOf({ json, original }: DaDocument): { body: unknown; original?: string } {
  return { body: json, ...(original !== undefined && { original }) };
}
