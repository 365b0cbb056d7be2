import type { HealthComponent, HealthState } from '../../domain/health/health-rule.js';
import type { Micros } from '../../domain/time.js';
import { Table, bool, float8, int8, text, timestamptz } from '../columns.js';

@Table(
  'health_interval',
  "Each component's health as an unbroken line of intervals, in all versions that were known of them.",
)
export class HealthIntervalEntity {
  @text('Id of the node.', { key: true }) node: string;
  @text('DA, NODE or COVERAGE.', { key: true }) component: HealthComponent;
  @timestamptz("Start, inclusive, observer's clock.", { key: true }) fromAt: Micros;
  @timestamptz.orNull('End, exclusive: the start of the next interval; null for the present one.')
  toAt: Micros | null;
  @text('HEALTHY, WARNING, CRITICAL or UNKNOWN.') state: HealthState;
  @text('The rule that decided; see DA_RULES, NODE_RULES and coverage-line.ts in src/domain.') rule: string;
  @text('Why, with the numbers at the moment it was confirmed.') reason: string;
  @text.orNull(
    "Status of the node's own /da/health: the one that contradicted us, where one did, else the first that claimed anything.",
  )
  claim: string | null;
  @bool.orNull(
    'The claim contradicted us in this interval, for claimDiffersAfterMs or longer; null where there is nothing to compare.',
  )
  claimDiffers: boolean | null;
  @int8('For how long it did, as far as the claim was looked at, in milliseconds.') differedMs: bigint;
  @int8('The event that made this version known.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event that replaced this version; null for the one that stands.')
  toPosition: bigint | null;
  @text.orNull('The setting that decided, by its name in hindsight.yaml; null where none did.')
  setting: string | null;
  @float8.orNull('What it came to: milliseconds, or attempts for failuresCount.') limitValue: number | null;
}
