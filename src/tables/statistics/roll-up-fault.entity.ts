import type { Micros } from '../../domain/time.js';
import { Table, int4, text, timestamptz } from '../columns.js';

@Table(
  'roll_up_fault',
  'Nodes and chains whose figures cannot be computed, set aside with their marks so that others go on.',
)
export class RollUpFaultEntity {
  @int4('As in roll_up_mark.', { key: true }) nodeKey: number;
  @text('As in roll_up_mark.', { key: true }) chain: string;
  @text('What the roll-up said of it.') error: string;
  @timestamptz("When it was first set aside, the database's clock.", { default: 'clock_timestamp()' })
  since: Micros;
  @timestamptz("When it was last tried, the database's clock.", { default: 'clock_timestamp()' })
  triedAt: Micros;
}
