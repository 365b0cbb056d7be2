import type { SourceState } from '../../domain/events.js';
import type { Micros } from '../../domain/time.js';
import { Table, bool, int4, int8, text, timestamptz } from '../columns.js';

@Table('node', 'Each monitored node and its present state.')
export class NodeEntity {
  @int4('Short key, counted in the order of first appearance in the log.', { key: true }) nodeKey: number;
  @text('The id from the settings.') id: string;
  @text('Base address of its RPC server.') url: string;
  @text.orNull('Address of its status query, where configured.') statusUrl: string | null;
  @text.orNull('Null until it has said its chain (or the settings did).') chainId: string | null;
  @bool.orNull('Whether it submits to the DA layer; null while unknown.') aggregator: boolean | null;
  @text.orNull('SPEC or EV_NODE: which form its answers take.') shape: string | null;
  @text.orNull('Prefix of its StoreService, such as evnode.v1.') servicePrefix: string | null;
  @text.orNull('58 hex digits.') headerNamespace: string | null;
  @text.orNull('58 hex digits; equal to header_namespace when both share one.') dataNamespace: string | null;
  @int4.orNull('The lineage that its latest block belongs to.') lineageKey: number | null;
  @int8.orNull('Its newest height.') head: bigint | null;
  @int8.orNull('The oldest height it still has.') oldest: bigint | null;
  @int8.orNull(
    'The height up to which every recorded block is included, header and data; null while none is.',
  )
  inclusionFrontier: bigint | null;
  @int8.orNull('Its own metadata d.') daIncluded: bigint | null;
  @int8.orNull('Its own metadata last-submitted-header-height.') lastSubmittedHeader: bigint | null;
  @int8.orNull('Its own metadata last-submitted-data-height.') lastSubmittedData: bigint | null;
  @int8.orNull("Its clock minus the observer's, to about a second.") clockOffsetMs: bigint | null;
  @int8('Rows recorded from its ring.', { default: '0' }) submissionCount: bigint;
  @int8('Blocks recorded from it.', { default: '0' }) blockCount: bigint;
  @timestamptz.orNull('Time of its newest successful submission (as in submission.time_at).')
  lastSuccessAt: Micros | null;
  @timestamptz.orNull("The last successful look at any of its subjects, observer's clock.")
  lastSeenAt: Micros | null;
  @bool('No longer in the settings.', { default: 'false' }) retired: boolean;
  @text.orNull(
    'What its list of submissions was when last looked at: a SourceState; null before the first look.',
  )
  listState: SourceState | null;
  @timestamptz.orNull("When the list was found to be so, observer's clock.") listStateAt: Micros | null;
  @timestamptz.orNull("The last look at its list whose rows are all recorded, observer's clock.")
  listSeenAt: Micros | null;
  @timestamptz.orNull("The last look at its list, whatever came of it, observer's clock.")
  listLookedAt: Micros | null;
  @int8('The last success of its list that holds headers and tells its DA height; 0 for none.', {
    default: '0',
  })
  headerAfter: bigint;
  @int8.orNull('That DA height.') headerDa: bigint | null;
  @int8('The same of data.', { default: '0' }) dataAfter: bigint;
  @int8.orNull('That DA height.') dataDa: bigint | null;
  @int8('The event that made it known.') fromPosition: bigint;
  @int8.orNull('The event that retired it.') toPosition: bigint | null;
  @text.orNull('The chain that its settings name; null: they name none.') settingsChainId: string | null;
  @bool('Whether its descriptions say which list they belong to; those of older observers do not.', {
    default: 'false',
  })
  namesLists: boolean;
}
