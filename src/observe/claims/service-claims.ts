import { SERVICE_CLAIMS, type ServiceClaim } from '../../domain/claims.js';
import type { Millis } from '../../domain/time.js';
import type { DaDocument } from '../../node-api/da-documents.client.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { Clock } from '../../platform/clock.js';

/** Each is asked for at most this often: one round is seven small calls. */
const EVERY_MS: Millis = 300_000;
/** A node that takes longer for an answer is left alone until the next look. */
const SLOW_MS: Millis = 1_000;

/** What the services of a node answer that nothing else asks for. */
export class ServiceClaimsReader {
  private readonly askedAt = new Map<ServiceClaim, Millis>();

  constructor(
    private readonly api: NodeApi,
    private readonly clock: Clock,
  ) {}

  /** Asks for what has not been asked for lately, one after the other; gives what was answered. */
  async read(signal: AbortSignal): Promise<ReadonlyMap<ServiceClaim, DaDocument>> {
    const found = new Map<ServiceClaim, DaDocument>();
    for (const claim of SERVICE_CLAIMS.filter((each) => this.isDue(each))) {
      const answer = await this.api.serviceClaim(claim, signal);
      if (signal.aborted) break;
      this.askedAt.set(claim, this.clock.monotonic());
      if (answer.ok) found.set(claim, answer.value);
      if (answer.latencyMs > SLOW_MS || (!answer.ok && answer.state === 'UNREACHABLE')) break;
    }
    return found;
  }

  /** Has them asked for again: what they said was not recorded. */
  forget(claims: Iterable<ServiceClaim>): void {
    for (const claim of claims) this.askedAt.delete(claim);
  }

  private isDue(claim: ServiceClaim): boolean {
    const at = this.askedAt.get(claim);
    return at === undefined || this.clock.monotonic() - at >= EVERY_MS;
  }
}
