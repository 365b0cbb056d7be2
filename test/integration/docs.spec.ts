import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Command } from 'commander';
import { buildSchema, parse, validate } from 'graphql';
import { parse as parseYaml, stringify } from 'yaml';
import { define as defineStart } from '../../src/cli/start.command.js';
import { describeCondition } from '../../src/domain/alerts/alert-condition.js';
import { ALERT_RULES } from '../../src/domain/alerts/alert-rules.js';
import { DA_NODE_RULES } from '../../src/domain/health/da-node-rules.js';
import { EXECUTION_RULES } from '../../src/domain/health/execution-rules.js';
import { DA_RULES } from '../../src/domain/health/health-da.js';
import { NODE_RULES } from '../../src/domain/health/health-node.js';
import type { HealthComponent } from '../../src/domain/health/health-rule.js';
import { runbookOf, TROUBLE_WORDS } from '../../src/domain/health/trouble-words.js';
import { CONFIG, SETTINGS, settingsTable } from '../../src/settings/setting-list.js';
import { FAILURE_CODES } from '../../src/domain/submissions/failure-cause.js';
import { loadSettings } from '../../src/settings/settings.js';
import { textsOf } from '../support/page-blocks.js';

/** Words in which a newcomer learns what it is, tries it and finds the rest. */
const LONGEST_README = 1_100;

/** Lists every command and page. */
const LIST = 'docs/README.md';

const PAGES = ['README.md', 'SECURITY.md', ...readdirSync('docs').map((name) => join('docs', name))].filter(
  (path) => path.endsWith('.md'),
);
const textOf = (path: string) => readFileSync(path, 'utf8');

describe('the README', () => {
  it('is short', () => {
    expect(textOf('README.md').split(/\s+/).length).toBeLessThanOrEqual(LONGEST_README);
  });

  it('has pictures that are small, each and together', () => {
    const sizes = readdirSync('docs/images').map((name) => statSync(join('docs/images', name)).size);
    expect(Math.max(...sizes)).toBeLessThan(150_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_000_000);
  });

  it('leads to each page, itself or by docs/README.md', () => {
    const [readme, list] = [textOf('README.md'), textOf(LIST)];
    expect(readme).toContain(`(${LIST})`);
    for (const page of PAGES.slice(1))
      expect({ page, isLedTo: readme.includes(`(${page})`) || list.includes(`(${basename(page)})`) }).toEqual(
        {
          page,
          isLedTo: true,
        },
      );
  });
});

describe('the pages for users', () => {
  it('have a section for each cause of a failure', () => {
    const sections = [...textOf('docs/failure-causes.md').matchAll(/^## (\w+)$/gm)].map(([, code]) => code);
    expect(new Set(sections)).toEqual(new Set(FAILURE_CODES));
    expect(sections).toHaveLength(FAILURE_CODES.length);
  });

  it.each(PAGES)('link to targets that exist: %s', (page) => {
    const targets = [...textOf(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].flatMap(
      ([, target]) => target ?? [],
    );
    const missing = targets.filter((target) => !existsSync(join(dirname(page), target)));
    expect(missing).toEqual([]);
  });

  it('name rules, destinations and times of alerts that the program accepts as written', () => {
    const blocks = textsOf('docs/alerts.md', 'yaml').map((text) => parseYaml(text) as { alerts: object });
    expect(blocks.map(({ alerts }) => Object.keys(alerts)).flat()).toEqual(
      expect.arrayContaining(['destinations', 'rules', 'maintenance']),
    );
    // Each block describes something else of the same section.
    const alerts = Object.assign({}, ...blocks.map((block) => block.alerts)) as object;
    const text = stringify({ ...Object.assign({}, ...blocks), alerts });
    const { rules } = loadSettings({ flags: {}, env: {}, file: { name: 'hindsight.yaml', text } }).alerts;
    expect(rules.length).toBeGreaterThan(ALERT_RULES.length);
  });

  it.each(PAGES)('have npm run only programs that are installed: %s', (page) => {
    expect(textOf(page).match(/npx (?!--no-install )|npm (?:exec|x) (?!--no )/g)).toBeNull();
  });

  it.each(PAGES)('contain queries that the schema answers: %s', (page) => {
    const schema = buildSchema(textOf('src/api/schema.gql'));
    for (const query of textsOf(page, 'graphql')) {
      expect({ query, errors: validate(schema, parse(query)) }).toEqual({ query, errors: [] });
    }
  });

  it.each([
    ['DA', DA_RULES],
    ['NODE', NODE_RULES],
    ['DA_NODE', DA_NODE_RULES],
    ['EXECUTION', EXECUTION_RULES],
  ])('list the rules of %s in the order in which they are tried', (_, rules) => {
    const rows = rules.map(
      ({ name, state, when }, index) => `| ${index + 1} | \`${state}\` | \`${name}\` | ${when} |`,
    );
    expect(textOf('docs/health.md')).toContain(rows.join('\n'));
  });

  it('list the rules of alerts with the words that people receive, and a page for each', () => {
    const rows = ALERT_RULES.map(
      ({ name, severity, condition, forMs, title, means, remedy }) =>
        `| [\`${name}\`](runbooks/${name}.md) | ${severity} | ${describeCondition(condition)}${forMs > 0 ? `, for ${forMs / 60_000} min` : ''} | ${title}. ${means} | ${remedy} |`,
    );
    expect(textOf('docs/alerts.md')).toContain(rows.join('\n'));
  });

  it('have the runbook of each trouble', () => {
    const paths = Object.entries(TROUBLE_WORDS).flatMap(([component, rules]) =>
      Object.keys(rules).map((rule) =>
        runbookOf(component as HealthComponent, rule, { causes: [], isOpen: true }),
      ),
    );
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(`docs${path}.md`))).toEqual([]);
  });

  it('list every setting with its flag, variable, key and default', () => {
    expect(textOf('docs/settings.md')).toContain(settingsTable().trim());
  });

  it('have no flag that `hindsight start` does not accept', () => {
    const command = new Command();
    defineStart(command);
    const flags = [CONFIG, ...SETTINGS].flatMap(({ flag }) => flag ?? []);
    expect(command.options.map(({ long }) => long)).toEqual(expect.arrayContaining(flags));
  });
});
