import { ObjectType } from '@nestjs/graphql';
import { describeCondition } from '../../domain/alerts/alert-condition.js';
import { ALERT_RULES, type AlertRule as RuleOfSettings } from '../../domain/alerts/alert-rules.js';
import { RUNBOOK_PATH } from '../../domain/health/trouble-words.js';
import type { TroubledState } from '../../domain/health/trouble.js';
import { field, float, int, sentence, text, texts } from '../graphql/fields.js';
import { HealthStates } from '../health/health.type.js';

@ObjectType({
  description: 'A chain for which an alert rule cannot be evaluated, so the rule never fires there.',
})
export class UnevaluatedChain {
  @text('Id of the chain.') readonly chain: string;
  @sentence('The reason.') readonly reason: string;
}

@ObjectType({ description: 'An alert rule of the settings of this process.' })
export class AlertRule {
  /** As the settings have it. */
  readonly given: RuleOfSettings;
  @text('Its name.') readonly name: string;
  @field(() => HealthStates, 'Severity of its alerts: `WARNING` or `CRITICAL`.')
  readonly severity: TroubledState;
  @sentence('What is wrong when it fires, in a few words.') readonly title: string;
  @sentence('The effect on users.') readonly means: string;
  @sentence('What to do.') readonly remedy: string;
  @sentence('The condition, in words.') readonly condition: string;
  @float('How long the condition must hold before it is reported, in milliseconds.') readonly afterMs: number;
  @texts.orNull('Patterns of the ids of the nodes that it applies to; null: all nodes.')
  readonly nodes: readonly string[] | null;
  @texts.orNull('Patterns of the ids of the chains that it applies to; null: all chains.')
  readonly chains: readonly string[] | null;
  @texts('Names of rules that suppress it for a node that has their trouble.')
  readonly unless: readonly string[];
  @texts.orNull('Ids of the destinations that are notified; null: all destinations.')
  readonly destinations: readonly string[] | null;
  @text.orNull('Path of its runbook, a page of this service; null for a rule with a name of its own.')
  readonly runbook: string | null;
  @int('Number of its open alerts; it fires if there is any.') readonly openAlerts: number;
}

export function toAlertRule(given: RuleOfSettings, openAlerts: number): AlertRule {
  const { name, condition, forMs: afterMs, scope, unless = [], destinations = null } = given;
  const { nodes = null, chains = null } = scope ?? {};
  const isOurs = ALERT_RULES.some((rule) => rule.name === name);
  const own = { given, condition: describeCondition(condition), afterMs, nodes, chains, openAlerts };
  return { ...given, ...own, unless, destinations, runbook: isOurs ? `${RUNBOOK_PATH}${name}` : null };
}
