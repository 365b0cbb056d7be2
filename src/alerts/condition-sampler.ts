import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../platform/sql.js';
import type { SampledCondition } from '../domain/alerts/alert-condition.js';
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
  findUnseenThen,
  type SampleScope,
  type NodeFinding,
} from './conditions/node-conditions.js';
import { findOwn } from './conditions/own-conditions.js';
import { readMonitored, type ChainsByNode } from './monitored-times.js';

/** Conditions are sampled once a minute. The limit is lower because a run may come a little early. */
const PACE_MS: Millis = 55_000;

/** The longest time that decisions on health wait for them. */
const PATIENCE_MS: Millis = 5_000;

/** The nodes that are monitored at a moment. */
export interface MonitoredNodes {
  readonly watched: ChainsByNode;
  /** On the observer's clock. */
  readonly at: Millis;
}

/** As {@link findWhere}, at a past moment (see {@link ASKED_OF_PAST}), from the record as it is today. */
export async function findWhereThen(
  source: Database,
  condition: SampledCondition,
  then: MonitoredNodes,
): Promise<Finding[]> {
  if (condition.kind !== 'noLook') return findWhere(source, NOT_OF_PAST, condition, then);
  const { watched, at } = then;
  return ofNodes(watched, await findUnseenThen(source, condition, { nodes: [...watched.keys()], at }));
}

const NOT_OF_PAST = {
  readOwnHealth: (): Promise<never> =>
    Promise.reject(new Error('The state of Hindsight is not evaluated for the past.')),
};

/** Finds the nodes and chains for which a condition holds now. */
export async function findWhere(
  source: Database,
  sources: Pick<AlertSources, 'readOwnHealth'>,
  condition: SampledCondition,
  { watched, at }: MonitoredNodes,
): Promise<Finding[]> {
  switch (condition.kind) {
    case 'cost':
      return findCosts(source, condition, chainsOf(watched), at);
    case 'hindsight':
    case 'disk':
      return findOwn(condition, await sources.readOwnHealth());
    default:
      return ofNodes(watched, await findNodes(source, condition, { nodes: [...watched.keys()], at }));
  }
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
  const watched = await readMonitored(source);
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

/** Adds the chain of its node to each finding. */
function ofNodes(watched: ChainsByNode, findings: readonly NodeFinding[]): Finding[] {
  return findings.map((finding) => ({ ...finding, chain: watched.get(finding.node) ?? null }));
}

function findNodes(
  source: Database,
  condition: Exclude<SampledCondition, { kind: 'cost' | 'hindsight' | 'disk' }>,
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
    const watched = readMonitored(this.writes);
    watched.catch(() => undefined);
    for (const { name, condition } of this.options.rules) {
      if (condition.kind === 'health') continue;
      try {
        const then = { watched: await watched, at: now };
        this.lines.take(name, await findWhere(this.writes, this.sources, condition, then), now);
      } catch (error) {
        this.complaints.warn(error, `the alert rule ${name} could not be evaluated`);
      }
    }
  }
}
