import type { HealthComponent } from '../../domain/health/health-rule.js';
import type { LastTrouble } from '../../domain/health/joined-trouble.js';
import { Table, bool, json, text } from '../columns.js';

@Table(
  'last_trouble',
  "The last trouble of each node, by which another node's is joined to it, at the projection's checkpoint.",
)
export class LastTroubleEntity {
  @text('Id of the node.', { key: true }) node: string;
  @text.orNull('Its chain; null while unknown.') chain: string | null;
  @bool('Nobody is to look at it any more.') retired: boolean;
  @json('LastTrouble of src/domain/health/joined-trouble.ts, by component.')
  state: Readonly<Partial<Record<HealthComponent, LastTrouble>>>;
}
