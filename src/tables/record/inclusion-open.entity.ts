import type { Micros } from '../../domain/time.js';
import { Table, bool, int4, int8, timestamptz } from '../columns.js';

@Table('inclusion_open', 'DA heights that blocks point to, or may, with something that is not decided yet.')
export class InclusionOpenEntity {
  @int4('The history of the chain.', { key: true }) lineageKey: number;
  @int8('Height of the DA layer.', { key: true }) daHeight: bigint;
  @timestamptz("When a block was last seen to point to it, observer's clock.") changedAt: Micros;
  @bool('Of headers or of data all blocks that can point to it are known: looks at the lists are missing.')
  passed: boolean;
  @bool('Of headers or of data there may be blocks that point to it and are not known yet.') beyond: boolean;
  @int4.orNull(
    'The node whose list ends with a row that may be it: its next success may exclude that. Null for none.',
  )
  waitsFor: number | null;
}
