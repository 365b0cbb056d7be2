import type { Caller } from '../keys/caller.js';
import type { ReplicaState } from '../replica/replica-watch.js';
import type { UnreadState } from '../replica/unread-watch.js';
import type { Operation } from './operation.js';
import type { RequestLoaders } from './request-loaders.js';

/** The context that every resolver gets besides its arguments. */
export interface ApiContext {
  readonly loaders: RequestLoaders;
  /** Undefined without a key. */
  readonly caller: Caller | undefined;
  /** The request; undefined for an event of a subscription, which was admitted when it was subscribed to. */
  readonly operation?: Operation;
  /** Cost of the operation; unset until it was computed. */
  cost?: number;
  /** The replica's state when the request came, where a replica answers. */
  readonly replica?: Promise<ReplicaState> | undefined;
  /** The events that the read models had not read when the request came. */
  readonly unread: Promise<UnreadState | undefined>;
  /** Ends the connection of a subscription, because its client reads too slowly. */
  readonly letGo?: () => void;
}
