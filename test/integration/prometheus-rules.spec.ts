import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { ALERT_RULES } from '../../src/domain/alerts/alert-rules.js';
import { toPrometheusRules } from '../support/prometheus-rules.js';

const FILE = 'packaging/prometheus/alerts.yml';
const HEAD = `# Rules for Prometheus, to be named under \`rule_files\`. They are made from the rules of alerts, see docs/alerts.md.
# UPDATE_RULES=1 npm test -- test/integration/prometheus-rules.spec.ts writes a change there to this file.
# They work with any jobs that scrape Hindsight's /metrics. Scrape every process: figures of nodes come from the roles \`api\` and
# \`all\`, rates of submissions and polls from \`observer\` and \`all\`. Several processes of a role are fine.
# A runbook_url is a path in this repository, a link one of Hindsight's pages; put your addresses in front.
`;

describe('the rules for Prometheus', () => {
  const { groups } = toPrometheusRules();
  const rules = groups.flatMap((group) => group.rules);

  it('match the table of alerts', () => {
    const text = `${HEAD}${stringify({ groups }, { lineWidth: 0, singleQuote: true })}`;
    if (process.env['UPDATE_RULES']) writeFileSync(FILE, text);
    expect(readFileSync(FILE, 'utf8')).toBe(text);
  });

  it('describe frozen finality differently from failing submissions', () => {
    const of = (name: string) => rules.find(({ alert }) => alert === name);
    expect(of('HindsightFinalityFrozen')?.annotations['summary']).toBe(
      '{{ $labels.node }} of {{ $labels.chain }}: Finality is frozen',
    );
    expect(of('HindsightFinalityFrozen')?.expr).toBe(
      'max without (instance, pod) (hindsight_node_health_rule{component="DA", rule=~"frozen"}) == 1',
    );
    expect(of('HindsightDaFailing')?.annotations['summary']).toContain('DA submissions fail');
  });

  it('each have a name, a severity, words, and an existing page', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { labels, annotations } of rules) {
      expect(['warning', 'critical']).toContain(labels['severity']);
      expect(annotations['description']).toMatch(/\w/);
      expect(existsSync(annotations['runbook_url'] ?? '')).toBe(true);
    }
  });

  it('have a page for each alert rule, and the page is short', () => {
    const pages = readdirSync('docs/runbooks').toSorted();
    expect(pages).toEqual(ALERT_RULES.map(({ name }) => `${name}.md`).toSorted());
    for (const page of pages) {
      const text = readFileSync(`docs/runbooks/${page}`, 'utf8');
      expect(text.split('\n').length).toBeLessThan(45);
      expect(text).toMatch(/^# /);
    }
    const told = new Set(rules.map(({ annotations }) => annotations['runbook_url']));
    expect(told.size).toBe(ALERT_RULES.length);
  });
});
