import type { ListCoverage } from '../../domain/submissions/list-coverage.js';
import type { Micros } from '../../domain/time.js';
import { Table, int8, json, text, timestamptz } from '../columns.js';

@Table('coverage_fold', "All that the coverage of a node is a function of, at the projection's checkpoint.")
export class CoverageFoldEntity {
  @text('Id of the node.', { key: true }) node: string;
  @json('ListCoverage of src/domain/submissions/list-coverage.ts.') state: ListCoverage;
  @json('The ring of each list that is remembered and is one with a list of another node.')
  rings: Readonly<Record<string, string>>;
  @int8.orNull(
    'Digest of the newest row of the list that was seen last: by it another node shows the same list.',
  )
  newestRow: bigint | null;
  @timestamptz.orNull('The last look at the list, whatever it found.') lookedAt: Micros | null;
}
