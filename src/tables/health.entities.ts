import type { ProbeName, ProbeOutcome, SourceState, SystemOutcome } from '../domain/events.js';
import type { TimeAxis } from '../domain/time-axis.js';
import type { Micros } from '../domain/time.js';
import { Table, int8, json, text, timestamptz, bool, int4, float8, numeric } from './columns.js';
import type { ServiceClaim } from '../domain/claims.js';
import type { ListCoverage, StretchKind } from '../domain/coverage/list-coverage.js';
import type { HealthFold } from '../domain/health/health-fold.js';
import type { HealthComponent, HealthState } from '../domain/health/health-rule.js';
import type { LastTrouble } from '../domain/health/joined-trouble.js';

@Table(
  'availability_interval',
  'What the list of submissions was when it was looked at, in all versions that were known of it.',
)
export class AvailabilityIntervalEntity {
  @text('Id of the node.', { key: true }) node: string;
  @timestamptz("The look that found it so, observer's clock.", { key: true }) fromAt: Micros;
  @timestamptz.orNull('The look that found it otherwise; null for the present state.') toAt: Micros | null;
  @text('AVAILABLE, DISABLED, NOT_AGGREGATOR, NOT_SUPPORTED, INVALID or UNREACHABLE.') state: SourceState;
  @text('What the node, or the connection, said.') detail: string;
  @int8('The event that made this version known.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event that replaced this version; null for the one that stands.')
  toPosition: bigint | null;
  @json.orNull('TimeAxis of src/domain/time-axis.ts, on which the times lie; null: as the clock told them.')
  axis: TimeAxis | null;
}

@Table('claim', 'What a node said of itself, as it said it.')
export class ClaimEntity {
  @text('Id of the node.', { key: true }) node: string;
  @text(
    'health: /da/health; stats: /da/stats; state, stores, genesis, signer, peers, net, pruned: answers of its services.',
    { key: true },
  )
  kind: 'health' | 'stats' | ServiceClaim;
  @timestamptz("The look that found it, observer's clock.") observedAt: Micros;
  @text.orNull('Its status as sent; null for all but health, and where it names none.') status: string | null;
  @json('The answer as sent.') body: unknown;
  @int8('The event that made it known.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event with the next claim of its kind; null for the present one.')
  toPosition: bigint | null;
}

@Table('coverage_fold', "All that the coverage of a node is a function of, at the projection's checkpoint.")
export class CoverageFoldEntity {
  @text('Id of the node.', { key: true }) node: string;
  @json('ListCoverage of src/domain/coverage/list-coverage.ts.') state: ListCoverage;
  @json('The ring of each list that is remembered and is one with a list of another node.')
  rings: Readonly<Record<string, string>>;
  @int8.orNull(
    'Digest of the newest row of the list that was seen last: by it another node shows the same list.',
  )
  newestRow: bigint | null;
  @timestamptz.orNull('The last look at the list, whatever it found.') lookedAt: Micros | null;
}

@Table(
  'coverage_interval',
  "Stretches of the lists behind a node's address: a time that is proven, and the time behind it of which nothing is.",
)
export class CoverageIntervalEntity {
  @text('Id of the node.', { key: true }) node: string;
  @int4('Counts the stretches of the node, from 0.', { key: true }) number: number;
  @text(
    'LIST, HOLE (an event states it), NOT_AGGREGATOR (the node said so: nothing to cover) or UNSEEN (no list was ever seen).',
  )
  kind: StretchKind;
  @int4.orNull("The list's number behind the address; null for what is no list.") list: number | null;
  @text('Lists of several nodes that bear the same one are one list: a row with a time stood in both.')
  ring: string;
  @timestamptz("The look at which it begins, observer's clock.") fromAt: Micros;
  @timestamptz('The last look up to which it is proven that no row of the list was missed.') toAt: Micros;
  @timestamptz.orNull('The look that ends what is not proven behind it; null while nothing has.')
  untilAt: Micros | null;
  @bool('Whether rows may be missing behind it and no event says so: the list is out of sight.')
  unstated: boolean;
  @int8('The last row that was recorded of the list; 0 for none.') afterSequence: bigint;
}

@Table('health_fold', "All that the health of a node is a function of, at the projection's checkpoint.")
export class HealthFoldEntity {
  @text('Id of the node.', { key: true }) node: string;
  @text.orNull('Its chain, whose thresholds hold for it; null while unknown.') chain: string | null;
  @json('HealthFold of src/domain/health/health-fold.ts.') state: HealthFold;
  @bool.orNull(
    'Whether it was seen to show inclusion at one DA height after another, so that blocks which wait say something.',
  )
  inclusionShown: boolean | null;
}

@Table(
  'health_interval',
  "Each component's health as an unbroken line of intervals, in all versions that were known of them.",
)
export class HealthIntervalEntity {
  @text('Id of the node.', { key: true }) node: string;
  @text('DA, NODE, DA_NODE, EXECUTION or COVERAGE.', { key: true }) component: HealthComponent;
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

@Table('health_threshold', 'Thresholds that the settings change for a chain.')
export class HealthThresholdEntity {
  @text('Chain id.', { key: true }) chain: string;
  @json('By name, as in HealthThresholds of src/domain/health/health-thresholds.ts.') thresholds: Readonly<
    Record<string, number>
  >;
}

@Table(
  'incident_join',
  'Trouble of a node that belongs to an incident that began with another node of its chain, in all versions that were known of it.',
)
export class IncidentJoinEntity {
  @text('Id of the node.', { key: true }) node: string;
  @text('DA, NODE, DA_NODE, EXECUTION or COVERAGE.', { key: true }) component: HealthComponent;
  @timestamptz('Its first sign: an interval of health_interval begins so.', { key: true }) fromAt: Micros;
  @text('Id of the node that the incident began with.') rootNode: string;
  @timestamptz('The first sign of the incident, of the same component.') rootFromAt: Micros;
  @int8('The event that told of its first sign.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event that took it back; null for one that stands.') toPosition: bigint | null;
}

@Table(
  'last_trouble',
  "The last trouble of each node, by which another node's is joined to it, at the projection's checkpoint.",
)
export class LastTroubleEntity {
  @text('Id of the node.', { key: true }) node: string;
  @text.orNull('Its chain; null while unknown.') chain: string | null;
  @bool('Nobody is to look at it any more.') retired: boolean;
  @json('LastTrouble of src/domain/health/joined-trouble.ts, by component.')
  state: Readonly<Partial<Record<HealthComponent, LastTrouble>>>;
}

@Table('probe_minute', 'How the probes of a node went, per minute.')
export class ProbeMinuteEntity {
  @text('Id of the node.', { key: true }) node: string;
  @text('reachable, live, ready or status.', { key: true }) probe: ProbeName;
  @timestamptz("The minute (UTC) in which the summary begins, observer's clock.", { key: true })
  minuteAt: Micros;
  @int4('Probes that went well.') ok: number;
  @int4('Probes that did not.') failed: number;
  @int4('Answers whose latency is summarised.') latencyCount: number;
  @float8.orNull('Shortest latency in milliseconds; null without answers, as the following.')
  minMs: number | null;
  @float8.orNull('Mean latency.') meanMs: number | null;
  @float8.orNull('Median latency; of several summaries in one minute the mean weighted by answers.')
  p50Ms: number | null;
  @float8.orNull('99th percentile; of several summaries in one minute the highest.') p99Ms: number | null;
  @float8.orNull('Longest latency.') maxMs: number | null;
  @int8('The first event that told of it.') fromPosition: bigint;
  @int8('The last event that told of it.') lastPosition: bigint;
}

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

@Table('da_node', 'How the DA node behind each node answers, from each change on.')
export class DaNodeEntity {
  @text('Id of the rollup node.', { key: true }) node: string;
  @timestamptz("The poll that found it so, observer's clock.") observedAt: Micros;
  @text('OK, UNREACHABLE, REFUSED (the token), NOT_PERMITTED (the token may not read) or INVALID.')
  outcome: SystemOutcome;
  @int4.orNull('HTTP status; null without an answer.') statusCode: number | null;
  @text('Why it does not answer, in one line; empty where it does.') detail: string;
  @json.orNull('Permissions of our token, by its own payload; null without a token that can be read.')
  tokenPermissions: readonly string[] | null;
  @timestamptz.orNull(
    'When our token expires, by its own payload; null for never, or without a token that can be read.',
  )
  tokenExpiresAt: Micros | null;
  @int8('The event that made it known.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event that replaced it; null for the present state.') toPosition: bigint | null;
}

@Table(
  'account',
  'The last balance of each account, as the DA node behind each node reports it, in all versions that were known of it.',
)
export class AccountEntity {
  @text('Bech32 address.', { key: true }) account: string;
  @text('Id of the rollup node that pays from it.', { key: true }) node: string;
  @timestamptz("When the balance was read, observer's clock.") observedAt: Micros;
  @numeric.orNull('utia; null where the DA node could not read the balance.') amount: string | null;
  @int8.orNull('The DA height whose state has this balance; null if unknown.') daHeight: bigint | null;
  @text('Why the balance could not be read; empty where it could.') detail: string;
  @int8('The event that made it known.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event that replaced it; null for the present one.') toPosition: bigint | null;
}

@Table('balance', 'Balances of each account: one for each DA height, whichever of its nodes read it first.')
export class BalanceEntity {
  @text('Bech32 address.') account: string;
  @timestamptz("When the balance was read, observer's clock.") observedAt: Micros;
  @text('Id of the rollup node whose DA node reported it.') node: string;
  @int8.orNull('The DA height whose state has this balance; null if unknown.') daHeight: bigint | null;
  @numeric.orNull('utia; null where the balance could not be read.') amount: string | null;
  @numeric.orNull(
    'utia, against the balance before: below 0 it was spent, above 0 it is a top-up of at least that much; null for the first balance, and where it could not be read.',
  )
  change: string | null;
  @text('Why the balance could not be read; empty where it could.') detail: string;
  @int8('The event that made it known.', { key: true }) fromPosition: bigint;
}
