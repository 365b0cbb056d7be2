import { ArgsType, ObjectType } from '@nestjs/graphql';
import type { HealthComponent } from '../../domain/health/health-rule.js';
import type { BlockRowKey } from '../blocks/blocks.query.js';
import { Block } from '../blocks/block.type.js';
import { RowsOf } from '../graphql/field-cost.js';
import { field, id, ids, int, text, texts } from '../graphql/fields.js';
import { HealthComponents, HealthInterval } from '../health/health.type.js';
import { Submission } from '../submissions/submission.type.js';
import type { SubmissionListKey } from '../submissions/submissions.query.js';

/** The most rows that an event of a subscription has. */
export const MOST_ROWS_OF_EVENT = 100;

@ArgsType()
export class LiveArgs {
  @ids.orNull('Ids of nodes; all nodes if left out.') nodes?: string[] | null;
  @texts.orNull('Ids of chains; all chains if left out.') chains?: string[] | null;
}

@ObjectType({ description: 'A state of health that began, ended, or was decided again by later facts.' })
export class HealthChange {
  @id('Id of the node.') readonly nodeId: string;
  @text.orNull('Chain of the node; null while unknown.') readonly chain: string | null;
  @field(() => HealthComponents, 'The component that the state is about.')
  readonly component: HealthComponent;
  @field(() => HealthInterval, 'The state, with its reason.') readonly interval: HealthInterval;
}

const COUNT = 'Null if they were too many to count: page the list with `updatedSince`.';

/** Rows that were recorded at once. */
@ObjectType({ isAbstract: true })
abstract class ObservedRows<Key> {
  /** Keys of the rows to show; not in the schema. */
  readonly keys: readonly Key[];
  @int.orNull(`Number of new rows. ${COUNT}`) readonly count: number | null;
  @int.orNull(
    `Number of older rows that changed at the same time, for example because blocks prove them now. ${COUNT}`,
  )
  readonly updated: number | null;

  constructor(keys: readonly Key[], count: number | null, updated: number | null) {
    this.keys = keys;
    this.count = count;
    this.updated = updated;
  }
}

@ObjectType({ description: 'Submissions that were recorded.' })
export class ObservedSubmissions extends ObservedRows<SubmissionListKey> {
  @RowsOf(MOST_ROWS_OF_EVENT)
  @field(() => [Submission], `The new rows; the first ${MOST_ROWS_OF_EVENT} if there are more.`)
  readonly submissions?: Submission[];
}

@ObjectType({ description: 'Blocks that were recorded.' })
export class ObservedBlocks extends ObservedRows<BlockRowKey> {
  @RowsOf(MOST_ROWS_OF_EVENT)
  @field(() => [Block], `The new blocks; the first ${MOST_ROWS_OF_EVENT} if there are more.`)
  readonly blocks?: Block[];
}
