import { z } from 'zod';
import { ALERT_RULES, WORDS, type AlertRule } from '../domain/alerts/alert-rules.js';
import type { AlertCondition } from '../domain/alerts/alert-condition.js';
import { DA_NODE_RULES } from '../domain/health/da-node-rules.js';
import { EXECUTION_RULES } from '../domain/health/execution-rules.js';
import { JUDGED_COMPONENTS, type HealthRule } from '../domain/health/health-rule.js';
import { DA_RULES } from '../domain/health/health-da.js';
import { NODE_RULES } from '../domain/health/health-node.js';
import { TROUBLED_STATES } from '../domain/health/trouble.js';
import { section } from './faults.js';
import { bytesValue, currencyValue, durationValue, priceValue, textLike } from './values.js';

const WITHOUT_FOR: readonly AlertCondition['kind'][] = ['failures', 'cost', 'hole', 'coverage', 'noLook'];

const countValue = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(1e9, 'must be at most 1000000000');

/** `40%`, or 0.4. */
const shareValue = z
  .union([z.string(), z.number()], 'must be a percentage like 40%')
  .transform((given, context) => {
    const [, digits, sign] = /^(\d{1,3}(?:\.\d{1,6})?)\s*(%?)$/.exec(String(given).trim()) ?? [];
    const share = Number(digits) / (sign === '%' ? 100 : 1);
    if (share >= 0 && share <= 1) return share;
    context.addIssue('must be a percentage like 40%');
    return z.NEVER;
  });

export const nameValue = (what: string) =>
  textLike(
    /^[A-Za-z0-9._-]{1,64}$/,
    `must be ${what} of 1 to 64 letters, digits, dots, dashes or underscores`,
  );

const PATTERNS = 'must be patterns like prod-*';
const patternValue = textLike(/^.{1,200}$/su, 'must have 1 to 200 characters');

/** Patterns of names, `*` for any characters and `?` for one; a single pattern needs no list. */
export const patternsValue = z
  .union([patternValue, z.array(patternValue, PATTERNS)], PATTERNS)
  .transform((given) => [given].flat())
  .pipe(z.array(z.string()).min(1, 'must name one').max(200, 'must be 200 at most'));

export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

/** Conditions other than health are checked once a minute. */
const lookedBackValue = durationValue.refine((ms) => ms >= 60_000, 'must be at least 1m');

/** Health rules for a state other than `HEALTHY`. */
const RULES_OF = {
  DA: notHealthy(DA_RULES),
  NODE: notHealthy(NODE_RULES),
  DA_NODE: notHealthy(DA_NODE_RULES),
  EXECUTION: notHealthy(EXECUTION_RULES),
};
const HEALTH_RULES = [...new Set(Object.values(RULES_OF).flatMap((rules) => rules.map(({ name }) => name)))];

type NamedRule = Pick<HealthRule<never>, 'name' | 'state'>;

function notHealthy(rules: readonly NamedRule[]): readonly NamedRule[] {
  return rules.filter(({ state }) => state !== 'HEALTHY');
}

/** Subjects that findings of these conditions never have: a rule with patterns for such a subject would never hold. */
const NEVER_OF: Readonly<Partial<Record<AlertCondition['kind'], readonly ('nodes' | 'chains')[]>>> = {
  hindsight: ['nodes', 'chains'],
  disk: ['nodes', 'chains'],
  cost: ['nodes'],
};

/** The conditions of a rule; exactly one of them is given. */
const CONDITIONS = {
  health: section({
    of: oneOf(JUDGED_COMPONENTS).optional(),
    rules: z
      .array(oneOf(HEALTH_RULES), 'must be a list of rules of health')
      .min(1, 'must name one')
      .optional(),
    states: z
      .array(oneOf([...TROUBLED_STATES, 'UNKNOWN']), 'must be a list of states')
      .min(1, 'must name one')
      .optional(),
  })
    .refine(
      ({ of, rules = [] }) =>
        of === undefined || rules.every((rule) => RULES_OF[of].some(({ name }) => name === rule)),
      { error: 'names a rule of another component than of: it would never match', path: ['rules'] },
    )
    .refine(
      ({ rules, states }) =>
        rules === undefined ||
        states === undefined ||
        Object.values(RULES_OF).some((all) =>
          all.some(({ name, state }) => rules.includes(name) && (states as string[]).includes(state)),
        ),
      { error: 'has no state of the rules that it names: it would never match', path: ['states'] },
    )
    .transform(({ of: component, ...rest }) => ({ kind: 'health' as const, component, ...rest })),
  failures: section({
    above: shareValue.refine((share) => share < 1, 'must be below 100%: it would never match'),
    over: lookedBackValue.default(600_000),
    attempts: countValue.default(10),
  }).transform(({ over: overMs, ...rest }) => ({ kind: 'failures' as const, overMs, ...rest })),
  cost: section({
    budget: priceValue,
    unit: currencyValue.default('TIA'),
    per: oneOf(['day', 'month', 'quarter', 'year']),
    fiscalYearStart: z
      .int('must be the number of a month')
      .min(1, 'must be at least 1')
      .max(12, 'must be at most 12')
      .optional(),
    forecast: z.boolean('must be true or false').default(false),
  })
    .refine(
      ({ forecast, per, unit }) => !forecast || (per !== 'day' && unit === 'TIA'),
      'has a forecast, which exists only for a month, quarter or year in TIA',
    )
    .refine(
      ({ fiscalYearStart, per }) => fiscalYearStart === undefined || per === 'quarter' || per === 'year',
      'has fiscalYearStart, which only a quarter or year can have',
    )
    .transform(({ per, fiscalYearStart: yearStart, ...rest }) => ({
      kind: 'cost' as const,
      per: per.toUpperCase() as Uppercase<typeof per>,
      ...(yearStart !== undefined && { yearStart }),
      ...rest,
    })),
  hole: section({ within: lookedBackValue }).transform(({ within }) => ({
    kind: 'hole' as const,
    withinMs: within,
  })),
  coverage: section({
    below: shareValue.refine((share) => share > 0, 'must be above 0%: it would never match'),
    over: lookedBackValue.default(3_600_000),
  }).transform(({ below, over: overMs }) => ({ kind: 'coverage' as const, below, overMs })),
  noLook: lookedBackValue.transform((ms) => ({ kind: 'noLook' as const, ms })),
  pending: section({ above: countValue }).transform(({ above }) => ({ kind: 'pending' as const, above })),
  claim: oneOf(['differs']).transform(() => ({ kind: 'claim' as const })),
  hindsight: oneOf(['not-ready', 'degraded']).transform((is) => ({
    kind: 'hindsight' as const,
    is: is === 'degraded' ? ('DEGRADED' as const) : ('NOT_READY' as const),
  })),
  disk: section({ free: bytesValue.default(2e9), days: countValue.default(7) }).transform(
    ({ free, days }) => ({
      kind: 'disk' as const,
      freeBytes: free,
      days,
    }),
  ),
};

const KINDS = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[];

const optionalConditions = Object.fromEntries(
  KINDS.map((kind) => [kind, (CONDITIONS[kind] as z.ZodType<AlertCondition>).optional()]),
) as Record<keyof typeof CONDITIONS, z.ZodOptional<z.ZodType<AlertCondition>>>;

const wordsValue = z
  .string('must be a text')
  .regex(/^[^\p{Cc}]+$/u, 'must be text without control characters')
  .max(200, 'must have at most 200 characters')
  .optional();

/** A new rule, or changes to one of ours: such an entry has our rule's name and may have no condition. */
const ruleValue = section({
  name: nameValue('a name'),
  off: z.boolean('must be true or false').default(false),
  severity: oneOf(TROUBLED_STATES).optional(),
  for: durationValue.optional(),
  nodes: patternsValue.optional(),
  chains: patternsValue.optional(),
  group: oneOf(['chain', 'node']).optional(),
  unless: z.array(nameValue('a name'), 'must be a list of rules').optional(),
  destinations: z
    .array(nameValue('an id'), 'must be a list of destinations')
    .min(1, 'must name one')
    .optional(),
  resolved: z.boolean('must be true or false').optional(),
  title: wordsValue,
  means: wordsValue,
  remedy: wordsValue,
  ...optionalConditions,
}).transform((given, context) => {
  const [kind, another] = KINDS.filter((name) => given[name] !== undefined);
  const condition = kind && given[kind];
  const ours = ALERT_RULES.find(({ name }) => name === given.name);
  const complaint = (message: string): void => context.addIssue({ code: 'custom', message });
  if (another !== undefined) complaint(`has ${kind} and ${another}: give one condition`);
  if (condition === undefined && ours === undefined)
    complaint(`is not a built-in rule, and must have one of ${KINDS.join(', ')}`);
  if (condition !== undefined && given.for !== undefined && WITHOUT_FOR.includes(condition.kind))
    complaint(`has for, but ${kind} has its own time`);
  const holds = condition ?? ours?.condition;
  for (const name of (holds && NEVER_OF[holds.kind]) ?? [])
    if (given[name] !== undefined && holds)
      complaint(`has ${name}, but ${holds.kind} does not depend on them: it would never match`);
  return { given, condition: holds, ours };
});

type GivenRule = z.output<typeof ruleValue>;

/** The rules in the settings, see {@link toRules}. Faults between rules are reported together with those of single rules. */
export const rulesValue = z
  .array(ruleValue, 'must be a list of rules')
  .max(200, 'must have at most 200 entries')
  .superRefine(
    (rules: readonly unknown[], context) => {
      const given = rules.map(readGiven);
      const names = given.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
      if (new Set(names).size < names.length)
        context.addIssue({ code: 'custom', message: 'use a name twice' });
      const known = new Set<unknown>([...names, ...ALERT_RULES.map(({ name }) => name)]);
      const unlessOf = new Map<unknown, readonly unknown[]>([
        ...ALERT_RULES.map(({ name, unless = [] }) => [name, unless] as const),
        ...given.flatMap(({ name, unless }) => (Array.isArray(unless) ? [[name, unless] as const] : [])),
      ]);
      for (const [index, { name, unless }] of given.entries()) {
        if (!Array.isArray(unless)) continue;
        const complaint = (message: string): void =>
          context.addIssue({ code: 'custom', path: [index, 'unless'], message });
        if (unless.some((other) => !known.has(other))) complaint('names an unknown rule');
        if (leadsTo(name, unless, unlessOf))
          complaint('leads back to the rule itself: no message would be sent');
      }
    },
    { when: ({ value }) => Array.isArray(value) },
  );

/** Whether following `next` from `begin` reaches a name. */
function leadsTo(
  name: unknown,
  begin: readonly unknown[],
  next: ReadonlyMap<unknown, readonly unknown[]>,
): boolean {
  const found = new Set(begin);
  // A Set's iteration also visits elements added on the way.
  for (const each of found) for (const one of next.get(each) ?? []) found.add(one);
  return found.has(name);
}

/** The content of an entry, whether or not it has a fault. */
export function readGiven(rule: unknown): Readonly<Record<string, unknown>> {
  if (typeof rule !== 'object' || rule === null) return {};
  return 'given' in rule ? (rule.given as Record<string, unknown>) : { ...rule };
}

/** The effective rules: ours, as the settings change them, and those of the settings. */
export function toRules(rules: readonly GivenRule[]): readonly AlertRule[] {
  const byName = new Map(rules.map((rule) => [rule.given.name, rule]));
  const ours = ALERT_RULES.map((rule) => byName.get(rule.name) ?? rule);
  const theirs = rules.filter((rule) => rule.ours === undefined);
  return [...ours, ...theirs].flatMap((rule) => ('given' in rule ? toRule(rule) : rule));
}

function toRule({ given, condition, ours }: GivenRule): AlertRule[] {
  if (given.off || condition === undefined) return [];
  const { nodes, chains, group } = given;
  const words = condition === ours?.condition ? ours : WORDS[condition.kind];
  const scope = (nodes ?? chains) ? { nodes, chains } : undefined;
  const groupBy = group && (group === 'node' ? ('NODE' as const) : ('CHAIN' as const));
  // Missed submissions do not come back.
  const tellsEnd = given.resolved ?? (condition.kind === 'hole' ? false : undefined);
  const hasTime = WITHOUT_FOR.includes(condition.kind);
  return [
    {
      name: given.name,
      condition,
      severity: given.severity ?? ours?.severity ?? 'WARNING',
      forMs: given.for ?? ours?.forMs ?? (hasTime ? 0 : 60_000),
      title: given.title ?? words.title,
      means: given.means ?? words.means,
      remedy: given.remedy ?? words.remedy,
      ...(scope && { scope }),
      ...(groupBy && { groupBy }),
      ...((given.unless ?? ours?.unless) && { unless: given.unless ?? ours?.unless ?? [] }),
      ...(given.destinations && { destinations: given.destinations }),
      ...(tellsEnd !== undefined && { tellsEnd }),
    },
  ];
}
