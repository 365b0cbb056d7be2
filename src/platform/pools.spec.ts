import { readFileSync } from 'node:fs';
import { poolSizes } from './pools.js';

const README = new URL('../../README.md', import.meta.url);

describe('the connections of a process', () => {
  it('are as many as the README says, for each role', () => {
    const readme = readFileSync(README, 'utf8');
    for (const role of ['all', 'observer', 'worker', 'api'] as const) {
      const { appends, leases, streams, work, reads, spare } = poolSizes(role);
      const sizes = [appends, leases, streams, work, reads, spare];
      const sum = sizes.reduce((total, size) => total + size, 0);
      expect(readme).toContain(`\n| \`${role}\` | ${sum} | ${sizes.join(' | ')} |\n`);
    }
  });
});
