import type { Caller } from '../keys/caller.js';
import type { ReplicaState } from '../replica/replica-watch.js';
import type { UnreadState } from '../replica/unread-watch.js';
import type { Operation } from './operation.js';
import type { RequestLoaders } from './request-loaders.js';

/** What every resolver is given beside its arguments. */
export interface ApiContext {
  readonly loaders: RequestLoaders;
  /** Who asks; undefined without a key. */
  readonly caller: Caller | undefined;
  readonly operation: Operation;
  /** Cost of the operation, once it is known. */
  cost?: number;
  /** How far the replica was before it was asked, where one answers. */
  readonly replica?: Promise<ReplicaState> | undefined;
  /** Events that the read models had not read when the request came. */
  readonly unread: Promise<UnreadState | undefined>;
}
