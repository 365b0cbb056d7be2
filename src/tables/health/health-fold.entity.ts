import type { HealthFold } from '../../domain/health/health-fold.js';
import { bool, Table, json, text } from '../columns.js';

@Table('health_fold', "All that the health of a node is a function of, at the projection's checkpoint.")
export class HealthFoldEntity {
  @text('Id of the node.', { key: true }) node: string;
  @text.orNull('Its chain, whose thresholds hold for it; null while unknown.') chain: string | null;
  @json('HealthFold of src/domain/health/health-fold.ts.') state: HealthFold;
  @bool.orNull(
    'Whether it was seen to show inclusion at one DA height after another, so that blocks which wait say something.',
  )
  inclusionShown: boolean | null;
}
