import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../platform/sql.js';
import type { AlertCondition, SampledCondition } from '../domain/alerts/alert-condition.js';
import type { AlertRule } from '../domain/alerts/alert-rules.js';
import { isInScope } from '../domain/alerts/alert-scope.js';
import type { Alert } from '../domain/alerts/alert-ledger.js';
import type { SampledSpan } from '../domain/alerts/trouble-runs.js';
import { SampledLines, type Finding } from '../domain/alerts/sampled-lines.js';
import type { Millis } from '../domain/time.js';
import { within } from '../platform/clock.js';
import { RareLog } from '../platform/rare-log.js';
import { ALERT_SOURCES, ALERTS_OPTIONS, type AlertSources, type AlertsOptions } from './alerts-options.js';
import { findCosts, findUncovered } from './conditions/figure-conditions.js';
import {
  findClaims,
  findFailures,
  findGaps,
  findPending,
  findUnseen,
  type SampleScope,
  type NodeFinding,
} from './conditions/node-conditions.js';
import { findOwn } from './conditions/own-conditions.js';
import { readMonitoredTimes, type ChainsByNode } from './monitored-times.js';

/** Conditions are sampled once a minute. The limit is lower because a run may come a little early. */
const PACE_MS: Millis = 55_000;

/** The longest time that decisions on health wait for them. */
const PATIENCE_MS: Millis = 5_000;

type RecordedCondition = Exclude<SampledCondition, { kind: 'hindsight' | 'disk' }>;

/** Whether a condition is about nodes or chains, and so is sampled from the record. */
export function isRecorded(condition: AlertCondition): condition is RecordedCondition {
  return !['health', 'hindsight', 'disk'].includes(condition.kind);
}

/**
 * Finds the nodes and chains for which a condition held at a moment, from the record as it is today.
 * @param watched the nodes that were monitored at that moment, with their chains
 * @param at on the observer's clock
 */
export async function findWhere(
  source: Database,
  condition: RecordedCondition,
  { watched, at }: { readonly watched: ChainsByNode; readonly at: Millis },
): Promise<Finding[]> {
  if (condition.kind === 'cost') return findCosts(source, condition, chainsOf(watched), at);
  const findings = await findNodes(source, condition, { nodes: [...watched.keys()], at });
  return findings.map((finding) => ({ ...finding, chain: watched.get(finding.node) ?? null }));
}

/** A chain for which a rule on cost cannot be evaluated, and why. */
export interface Unjudged {
  readonly rule: string;
  readonly chain: string;
  readonly why: string;
}

/** Rules on cost that cannot be evaluated now because no price is known in their unit, one entry for each chain. */
export async function findUnevaluable(
  source: Database,
  rules: readonly AlertRule[],
  at: Millis,
): Promise<Unjudged[]> {
  const watched = (await readMonitoredTimes(source)).nodesAt(at);
  const unjudged: Unjudged[] = [];
  for (const { name: rule, condition, scope = {} } of rules) {
    if (condition.kind !== 'cost') continue;
    const chains = chainsOf(watched).filter((chain) => isInScope(scope, { rule, node: null, chain }));
    for (const { chain, holds, reason: why } of await findCosts(source, condition, chains, at))
      if (holds === 'unknown' && chain !== null) unjudged.push({ rule, chain, why });
  }
  return unjudged;
}

function chainsOf(watched: ChainsByNode): string[] {
  return [...new Set([...watched.values()].flatMap((chain) => chain ?? []))].toSorted();
}

function findNodes(
  source: Database,
  condition: Exclude<RecordedCondition, { kind: 'cost' }>,
  look: SampleScope,
): Promise<NodeFinding[]> {
  switch (condition.kind) {
    case 'failures':
      return findFailures(source, condition, look);
    case 'hole':
      return findGaps(source, condition, look);
    case 'noLook':
      return findUnseen(source, condition, look);
    case 'pending':
      return findPending(source, condition, look);
    case 'claim':
      return findClaims(source, look);
    case 'coverage':
      return findUncovered(source, condition, look);
    default:
      return condition satisfies never;
  }
}

/** Samples the conditions other than health once a minute, and remembers how long they have held. */
@Injectable()
export class ConditionSampler {
  private readonly lines = new SampledLines();
  private readonly complaints: RareLog;
  private lookedAt = -Infinity;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly writes: Database,
    @Inject(ALERT_SOURCES) private readonly sources: AlertSources,
    @Inject(ALERTS_OPTIONS) private readonly options: AlertsOptions,
  ) {
    this.complaints = new RareLog(options.clock, options.logger);
  }

  /**
   * The times in which conditions held. A slow sample is not waited for: it counts the next time.
   * @param open the alerts that were raised and not resolved
   * @param now on the observer's clock
   */
  async getSpans(open: readonly Alert[], now: Millis): Promise<readonly SampledSpan[]> {
    const { clock, rules } = this.options;
    this.lines.continue(rules, open, now);
    if (this.looking === undefined && clock.monotonic() - this.lookedAt >= PACE_MS) {
      this.lookedAt = clock.monotonic();
      this.looking = this.look(now).finally(() => (this.looking = undefined));
    }
    if (this.looking) await within(clock, PATIENCE_MS, this.looking, '').catch(() => undefined);
    return this.lines.spans;
  }

  private async look(now: Millis): Promise<void> {
    const times = readMonitoredTimes(this.writes);
    times.catch(() => undefined);
    for (const { name, condition } of this.options.rules) {
      if (condition.kind === 'health') continue;
      try {
        const findings = isRecorded(condition)
          ? await findWhere(this.writes, condition, { watched: (await times).nodesAt(now), at: now })
          : findOwn(condition, await this.sources.readOwnHealth());
        this.lines.take(name, findings, now);
      } catch (error) {
        this.complaints.warn(error, `the alert rule ${name} could not be evaluated`);
      }
    }
  }
}
