import { ObjectType } from '@nestjs/graphql';
import type { NodeShape } from '../../domain/events.js';
import type { Nanos } from '../../domain/time.js';
import { enumOf } from '../graphql/literal-enum.js';
import type { Past } from '../graphql/time-travel.js';
import { HealthInterval } from '../health/health.type.js';
import { bool, dateTime, exactInt64, field, fieldOf, id, text } from '../graphql/fields.js';
import { HasId, VERSION } from '../objects/has-id.type.js';

const NodeShapes = enumOf<NodeShape>('NodeShape', "Format of a node's answers.", {
  SPEC: 'Format of the specification: snake_case, integers.',
  EV_NODE: 'Format of the real node: camelCase, 64-bit integers as strings, bytes in base64.',
});

const NO_HISTORY = 'Null with `asOf` and `knownAt`: it keeps no history.';

/** Shared part of descriptions of `node` fields in rows. */
export const IN_ROWS_PAST = 'With `asOf` and `knownAt`, the node as it was at that time.';

const health = fieldOf(() => HealthInterval);

@ObjectType({ implements: () => [HasId], description: 'A monitored node and its current state.' })
export class Node {
  /** Short key of the tables; not in the schema. */
  readonly nodeKey: number;
  /** The past of the request. */
  readonly past: Past;
  @id('Its id from the settings.') readonly id: string;
  @id(VERSION) readonly versionId?: string;
  @text("Base address of its RPC server; always today's address, even with `asOf` and `knownAt`.")
  readonly url: string;
  @text.orNull(
    'Its chain; null until the node has reported it. With `knownAt`, the chain of its newest block at that time.',
  )
  readonly chain: string | null;
  @bool.orNull(`Whether it submits to the DA layer; null while unknown. ${NO_HISTORY}`) readonly aggregator:
    boolean | null;
  @field.orNull(() => NodeShapes, `Format of its answers. ${NO_HISTORY}`) readonly shape: NodeShape | null;
  @text.orNull(`Prefix of its store service, such as \`evnode.v1\`. ${NO_HISTORY}`) readonly servicePrefix:
    string | null;
  @exactInt64.orNull('Its newest height; with `asOf` and `knownAt`, the height of its newest recorded block.')
  readonly head: bigint | null;
  @exactInt64.orNull(`The oldest height that it still has. ${NO_HISTORY}`) readonly oldest: bigint | null;
  @exactInt64.orNull(
    `The height up to which every recorded block is included, header and data; null while no block is known to be included. ${NO_HISTORY} (\`statistics\` has the value at the end of each bucket.)`,
  )
  readonly inclusionFrontier: bigint | null;
  @exactInt64.orNull(
    'Blocks produced and not yet included: `head` minus `inclusionFrontier`. Null if either is unknown, and with `asOf` and `knownAt`. Also null for a node that submits nothing, until its own inclusion was seen to advance: a node that syncs by P2P alone shows no inclusion.',
  )
  readonly pending: bigint | null;
  @health.orNull('The current state of its data availability.', { complexity: 5 })
  readonly da?: HealthInterval | null;
  @health.orNull('The current state of the node itself.', { complexity: 5 })
  readonly node?: HealthInterval | null;
  @text.orNull('The status of its own `/da/health`, as sent.', { complexity: 5 })
  readonly claim?: string | null;
  @bool.orNull(
    'Whether `claim` contradicts our state: one says healthy, the other critical. Null if there is nothing to compare.',
    { complexity: 5 },
  )
  readonly claimDiffers?: boolean | null;
  @exactInt64(
    'Rows recorded from its list of submissions; with `asOf` and `knownAt`, up to its newest row at that time.',
  )
  readonly submissionCount: bigint;
  @exactInt64('Blocks recorded from it.') readonly blockCount: bigint;
  @exactInt64.orNull(
    `Heights between the lowest and the highest recorded block of its current fork that the node did not return. Hindsight requests them again. ${NO_HISTORY}`,
  )
  readonly blocksMissing: bigint | null;
  @dateTime.orNull('Time of its newest successful submission; UTC. Null while there is no success.')
  readonly lastSuccessAt: Nanos | null;
  @dateTime.orNull(`When it last answered any request. ${NO_HISTORY}`) readonly lastSeenAt: Nanos | null;
  @bool('True if the node is no longer in the settings; what it showed is kept.') readonly retired: boolean;
}
