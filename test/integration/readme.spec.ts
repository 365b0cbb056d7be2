import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { define as defineStart } from '../../src/cli/start.command.js';
import { DA_RULES } from '../../src/domain/health/health-da.js';
import { NODE_RULES } from '../../src/domain/health/health-node.js';
import {
  OTHER_FLAGS,
  SETTINGS,
  settingsTable,
  type SettingDefinition,
} from '../../src/platform/settings-table.js';

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

  it('has no flag that `hindsight start` does not take', () => {
    const command = new Command();
    defineStart(command);
    const single: readonly SettingDefinition[] = Object.values(SETTINGS);
    const flags = [...single, ...Object.values(OTHER_FLAGS)].flatMap(({ flag }) => flag ?? []);
    expect(command.options.map(({ long }) => long)).toEqual(expect.arrayContaining(flags));
  });
});
