import type { ProbeName, ProbeOutcome } from '../../domain/events.js';
import type { Micros } from '../../domain/time.js';
import { Table, bool, float8, int4, int8, text, timestamptz } from '../columns.js';

@Table('probe_state', 'What each probe of a node gives, from each change on.')
export class ProbeStateEntity {
  @text('Id of the node.', { key: true }) node: string;
  @text('reachable, live, ready or status.', { key: true }) probe: ProbeName;
  @timestamptz("The look that found it so, observer's clock.") fromAt: Micros;
  @text('OK, FAILED, TIMEOUT, REFUSED, NOT_OFFERED or INVALID.') outcome: ProbeOutcome;
  @int4.orNull('HTTP status; null without an answer.') statusCode: number | null;
  @text('What the node, or the connection, said.') detail: string;
  @float8.orNull('Latency of that look in milliseconds.') latencyMs: number | null;
  @bool.orNull("The node's own catching_up; only of status.") catchingUp: boolean | null;
  @int8('The event that made it known.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event that replaced it; null for the present state.') toPosition: bigint | null;
}
