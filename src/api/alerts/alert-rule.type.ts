import { Field, ObjectType } from '@nestjs/graphql';
import { describeCondition } from '../../domain/alerts/alert-condition.js';
import { ALERT_RULES, type AlertRule as RuleOfSettings } from '../../domain/alerts/alert-rules.js';
import { RUNBOOK_PATH } from '../../domain/health/trouble-words.js';
import type { TroubledState } from '../../domain/health/trouble.js';
import { float, int, text, texts } from '../graphql/fields.js';
import { HealthStates } from '../health/health.type.js';

/** Cost of a text of one or two lines. */
const SENTENCE = 15;

@ObjectType({
  description: 'A chain for which an alert rule cannot be evaluated, so the rule never fires there.',
})
export class UnevaluatedChain {
  @text('Id of the chain.') readonly chain: string;
  @text('The reason.', { complexity: SENTENCE }) readonly reason: string;
}

@ObjectType({ description: 'An alert rule of the settings of this process.' })
export class AlertRule {
  constructor(
    readonly rule: RuleOfSettings,
    /** Number of its open alerts. */
    private readonly open: number,
  ) {}

  @text('Its name.')
  get name(): string {
    return this.rule.name;
  }
  @Field(() => HealthStates, { description: 'Severity of its alerts: `WARNING` or `CRITICAL`.' })
  get severity(): TroubledState {
    return this.rule.severity;
  }
  @text('What is wrong when it fires, in a few words.', { complexity: SENTENCE })
  get title(): string {
    return this.rule.title;
  }
  @text('The effect on users.', { complexity: SENTENCE })
  get means(): string {
    return this.rule.means;
  }
  @text('What to do.', { complexity: SENTENCE })
  get remedy(): string {
    return this.rule.remedy;
  }
  @text('The condition, in words.', { complexity: SENTENCE })
  get condition(): string {
    return describeCondition(this.rule.condition);
  }
  @float('How long the condition must hold before it is reported, in milliseconds.')
  get afterMs(): number {
    return this.rule.forMs;
  }
  @texts.orNull('Patterns of the ids of the nodes that it applies to; null: all nodes.')
  get nodes(): readonly string[] | null {
    return this.rule.scope?.nodes ?? null;
  }
  @texts.orNull('Patterns of the ids of the chains that it applies to; null: all chains.')
  get chains(): readonly string[] | null {
    return this.rule.scope?.chains ?? null;
  }
  @texts('Names of rules that suppress it for a node that has their trouble.')
  get unless(): readonly string[] {
    return this.rule.unless ?? [];
  }
  @texts.orNull('Ids of the destinations that are notified; null: all destinations.')
  get destinations(): readonly string[] | null {
    return this.rule.destinations ?? null;
  }
  @text.orNull('Path of its runbook, a page of this service; null for a rule with a name of its own.')
  get runbook(): string | null {
    return ALERT_RULES.some(({ name }) => name === this.name) ? `${RUNBOOK_PATH}${this.name}` : null;
  }
  @int('Number of its open alerts; it fires if there is any.')
  get openAlerts(): number {
    return this.open;
  }
}
