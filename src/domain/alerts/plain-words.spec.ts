import { TROUBLE_WORDS } from '../health/trouble-words.js';
import { describeCondition, type HealthCondition } from './alert-condition.js';
import { ALERT_RULES, WORDS, type AlertWords } from './alert-rules.js';

const troubles = Object.entries(TROUBLE_WORDS).flatMap(([component, rules]) =>
  Object.entries(rules).map(([rule, words]) => [`${component} ${rule}`, words] as const),
);
const alerts = [...ALERT_RULES.map((rule) => [rule.name, rule] as const), ...Object.entries(WORDS)];

const NOT_PLAIN =
  /\b(?:look|looks|looked|sighting|hole|anew|whoever|beside|told|nobody|stands?|goes on)\b|(?:^|[.:;] )(?:It|Of|Who|Whose|Which|Such|So)\b(?! status)/i;

describe('the words for people at 3 a.m.', () => {
  it.each([...troubles, ...alerts])('of %s are plain and short', (_, words: Partial<AlertWords>) => {
    for (const text of [words.title ?? 'Title', `${words.means}`, `${words.remedy}`]) {
      expect(text).not.toMatch(NOT_PLAIN);
      for (const sentence of text.split(/[.:;] /)) expect(sentence.split(' ').length).toBeLessThanOrEqual(30);
    }
  });
});

describe('the condition of a rule, in words', () => {
  const health = (given: Omit<HealthCondition, 'kind'>): string =>
    describeCondition({ kind: 'health', ...given });

  it('names subject and state as people say them', () => {
    expect(health({ component: 'NODE', rules: ['unreachable'] })).toBe('node unreachable');
    expect(health({ component: 'NODE', rules: ['not-live', 'head-still'] })).toBe(
      'node reports a fault or no new blocks',
    );
    expect(health({ rules: ['failing'], states: ['CRITICAL'] })).toBe('DA submissions fail, critical');
    expect(health({ component: 'DA', rules: ['not-yet-known'] })).toBe('the DA layer is not yet known');
    expect(health({ component: 'DA', states: ['CRITICAL'] })).toBe('the DA layer is critical');
    expect(health({})).toMatch(/^the node or its DA layer is (?:warning or critical|critical or warning)$/);
  });
});
