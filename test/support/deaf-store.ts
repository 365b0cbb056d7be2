import { EventStore } from '../../src/event-log/event-store.js';

/** A store that commits, but loses the confirmation while it is deaf. */
export class DeafStore extends EventStore {
  isDeaf = false;

  override async append(append: Parameters<EventStore['append']>[0]): ReturnType<EventStore['append']> {
    const result = await super.append(append);
    if (this.isDeaf) throw new Error('the connection broke');
    return result;
  }
}
