import { readFileSync } from 'node:fs';
import { poolSizes } from './pools.js';
import { ROLES } from './role.js';

const PAGE = new URL('../../docs/scaling.md', import.meta.url);

describe('the connections of a process', () => {
  it('are as many as the page on scaling says, for each role', () => {
    const page = readFileSync(PAGE, 'utf8');
    for (const role of ROLES) {
      const { appends, leases, streams, work, reads, spare } = poolSizes(role);
      const sizes = [appends, leases, streams, work, reads, spare];
      const sum = sizes.reduce((total, size) => total + size, 0);
      expect(page).toContain(`\n| \`${role}\` | ${sum} | ${sizes.join(' | ')} |\n`);
    }
  });
});
