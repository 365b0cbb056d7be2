import { readFileSync } from 'node:fs';
import { DA_RULES } from '../../src/domain/health/health-da.js';
import { NODE_RULES } from '../../src/domain/health/health-node.js';
import { settingsTable } from '../../src/platform/settings-table.js';

describe('the README', () => {
  const readme = readFileSync('README.md', 'utf8');

  it.each([
    ['DA', DA_RULES],
    ['NODE', NODE_RULES],
  ])('has the rules of %s in the order in which they are tried', (_, rules) => {
    const rows = rules.map(
      ({ name, state, when }, index) => `| ${index + 1} | \`${state}\` | \`${name}\` | ${when} |`,
    );
    expect(readme).toContain(rows.join('\n'));
  });

  it('has every setting with its flag, variable, key and default', () => {
    expect(readme).toContain(settingsTable().trim());
  });
});
