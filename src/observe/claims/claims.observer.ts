import type { DaySpending } from '../../domain/byte-budget.js';
import {
  CLAIM_INTERVAL_MS,
  isNewClaim,
  isNotFound,
  type KnownClaim,
  SERVICE_CLAIMS,
  type ServiceClaim,
  summariseClaim,
} from '../../domain/claims.js';
import type { NewEvent } from '../../domain/events.js';
import type { Millis } from '../../domain/time.js';
import type { NodeAnswer } from '../../node-api/answer.js';
import type { DaDocument } from '../../node-api/da-documents.client.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { Clock } from '../../platform/clock.js';
import { carryPolls, samePoll } from '../poll-book.js';
import type { SeeingObserver } from '../subject-observer.js';
import { type RecorderParts, SubjectRecorder } from '../subject-recorder.js';

/** Each service is requested at most this often: one round is seven small calls. */
const SERVICE_EVERY_MS: Millis = 300_000;
/** The genesis DA height exists only from the first inclusion on, so it is requested more often until then. */
const GENESIS_AGAIN_MS: Millis = 30_000;
/** If an answer takes longer, the remaining requests wait for the next poll. */
const SLOW_MS: Millis = 1_000;

/** Reads the service answers that nothing else requests. */
class ServiceClaimsReader {
  /** Monotonic time before which each claim is not requested. */
  private readonly askAgainAt = new Map<ServiceClaim, Millis>();

  constructor(
    private readonly api: NodeApi,
    private readonly clock: Clock,
  ) {}

  /** Requests the claims that are due, one after the other, and returns the answers. */
  async read(signal: AbortSignal): Promise<ReadonlyMap<ServiceClaim, DaDocument>> {
    const found = new Map<ServiceClaim, DaDocument>();
    for (const claim of SERVICE_CLAIMS.filter((each) => this.isDue(each))) {
      const answer = await this.api.serviceClaim(claim, signal);
      if (signal.aborted) break;
      const isAwaited = claim === 'genesis' && answer.ok && isNotFound(answer.value.json);
      this.askAgainAt.set(claim, this.clock.monotonic() + (isAwaited ? GENESIS_AGAIN_MS : SERVICE_EVERY_MS));
      if (answer.ok) found.set(claim, answer.value);
      if (answer.latencyMs > SLOW_MS || (!answer.ok && answer.state === 'UNREACHABLE')) break;
    }
    return found;
  }

  /** Makes claims due again, because their answers were not recorded. */
  forget(claims: Iterable<ServiceClaim>): void {
    for (const claim of claims) this.askAgainAt.delete(claim);
  }

  private isDue(claim: ServiceClaim): boolean {
    return this.clock.monotonic() >= (this.askAgainAt.get(claim) ?? -Infinity);
  }
}

/** The last claim of each kind that was recorded. */
interface ClaimsState {
  readonly health?: KnownClaim;
  readonly stats?: KnownClaim;
  readonly services?: Readonly<Partial<Record<ServiceClaim, KnownClaim>>>;
  readonly spent?: DaySpending;
}

const EVERY_MS = 5_000;
/** A node without its own DA list changes its claims only when its role changes. */
const NOT_AGGREGATOR_MS = 15_000;
/** DA monitoring that is disabled comes back only with a restart of the node. */
const SWITCHED_OFF_MS = 60_000;
const AFTER_LOST_APPEND_MS = 200;

/** Records what a node claims about its DA layer and in its services, verbatim, whenever a claim is new. */
export class ClaimsObserver implements SeeingObserver {
  readonly subject = 'claims';
  hasSeen = false;
  private readonly recorder: SubjectRecorder<ClaimsState>;
  private readonly services: ServiceClaimsReader;
  private statsAskedAt: Millis | undefined;

  constructor(private readonly parts: RecorderParts & { readonly api: NodeApi; readonly clock: Clock }) {
    this.recorder = new SubjectRecorder('claims', parts);
    this.services = new ServiceClaimsReader(parts.api, parts.clock);
  }

  async poll(signal: AbortSignal): Promise<Millis> {
    const { state = {} } = await this.recorder.load();
    const { api, clock, book } = this.parts;
    const health = await api.health(signal);
    this.hasSeen = health.ok;
    const isAway = !health.ok && health.state === 'UNREACHABLE';
    const stats = health.ok && this.isStatsDue() ? await api.stats(signal) : undefined;
    // Taken before the services are requested: the node's clock is compared with this time.
    const now = clock.now();
    const services = isAway ? new Map<ServiceClaim, DaDocument>() : await this.services.read(signal);
    if (signal.aborted) return EVERY_MS;
    if (health.ok) book.note(now, health.nodeClock);
    if (stats) this.statsAskedAt = clock.monotonic();
    const claimed = [...services].flatMap(([kind, document]) => {
      const claim = newClaim(state.services?.[kind], document, now);
      return claim ? ([[kind, claim]] as const) : [];
    });
    const said = {
      health: health.ok ? newClaim(state.health, health.value, now) : undefined,
      stats: stats?.ok ? newClaim(state.stats, stats.value, now) : undefined,
      services: new Map(claimed),
    };
    return (await this.record(state, said, now)) ? delayAfter(health) : AFTER_LOST_APPEND_MS;
  }

  /** @returns false when another process recorded first and the answers were discarded */
  private async record(state: ClaimsState, said: NewClaims, now: Millis): Promise<boolean> {
    const { health, stats, services } = said;
    const looked = [
      ...(health ? [healthEvent(health, now)] : []),
      ...(stats ? [statsEvent(stats, now)] : []),
    ];
    const serviceEvents = [...services].map(([kind, claim]) => serviceEvent(kind, claim, now));
    if (looked.length + serviceEvents.length === 0) return true;
    const known = [...services].map(([kind, claim]) => [kind, claim.known] as const);
    const pauseMs = await this.recorder.record({
      at: now,
      events: [...carryPolls(looked, this.parts.book.peek()), ...serviceEvents],
      carryNoPolls: looked.length === 0,
      state: () => ({
        ...state,
        ...(health && { health: health.known }),
        ...(stats && { stats: stats.known }),
        ...(known.length > 0 && { services: { ...state.services, ...Object.fromEntries(known) } }),
      }),
      settled: (isRecorded) => {
        if (isRecorded) return;
        this.statsAskedAt = undefined;
        this.services.forget(services.keys());
      },
    });
    return pauseMs !== undefined;
  }

  /** Statistics are recorded at most once a minute, so they are not requested more often. */
  private isStatsDue(): boolean {
    const { statsAskedAt } = this;
    return statsAskedAt === undefined || this.parts.clock.monotonic() - statsAskedAt >= CLAIM_INTERVAL_MS;
  }
}

function delayAfter(health: NodeAnswer<DaDocument>): Millis {
  if (health.ok) return health.value.json['is_aggregator'] === false ? NOT_AGGREGATOR_MS : EVERY_MS;
  return health.state === 'DISABLED' || health.state === 'NOT_SUPPORTED' ? SWITCHED_OFF_MS : EVERY_MS;
}

interface NewClaim {
  readonly document: DaDocument;
  readonly known: KnownClaim;
}

interface NewClaims {
  readonly health: NewClaim | undefined;
  readonly stats: NewClaim | undefined;
  readonly services: ReadonlyMap<ServiceClaim, NewClaim>;
}

function newClaim(known: KnownClaim | undefined, document: DaDocument, now: Millis): NewClaim | undefined {
  const claim = summariseClaim(document.json, now);
  return isNewClaim(known, claim) ? { document, known: claim } : undefined;
}

function healthEvent({ document }: NewClaim, now: Millis): NewEvent {
  const { status } = document.json;
  const body = {
    looks: samePoll(now),
    status: typeof status === 'string' ? status : null,
    ...bodyOf(document),
  };
  return { type: 'DaHealthClaimed', observedAt: now, body };
}

function statsEvent({ document }: NewClaim, now: Millis): NewEvent {
  return { type: 'DaStatsClaimed', observedAt: now, body: { looks: samePoll(now), ...bodyOf(document) } };
}

function serviceEvent(kind: ServiceClaim, { document }: NewClaim, now: Millis): NewEvent {
  return { type: 'ServiceClaimed', observedAt: now, body: { kind, ...bodyOf(document) } };
}

function bodyOf({ json, original }: DaDocument): { body: unknown; original?: string } {
  return { body: json, ...(original !== undefined && { original }) };
}
