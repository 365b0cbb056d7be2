/** The most events that wait for one subscriber. */
const MOST_WAITING = 1_000;

/** The events of one subscription that its client has not taken yet. Bounded: a client that takes too few is let go. */
export class EventQueue<Event> implements AsyncIterableIterator<Event> {
  private readonly events: Event[] = [];
  private take: (() => void) | undefined;
  private isOver = false;

  /**
   * @param letGo called when too many events wait
   * @param closed called once, at the end
   */
  constructor(
    private readonly letGo: () => void,
    private readonly closed: (queue: EventQueue<Event>) => void,
  ) {}

  push(events: readonly Event[]): void {
    if (this.isOver || events.length === 0) return;
    if (this.events.length + events.length > MOST_WAITING) {
      this.end();
      this.letGo();
      return;
    }
    for (const event of events) this.events.push(event);
    this.take?.();
  }

  /** Ends the subscription; waiting events are dropped. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.events.length = 0;
    this.take?.();
    this.closed(this);
  }

  async next(): Promise<IteratorResult<Event, undefined>> {
    while (this.events.length === 0 && !this.isOver) {
      await new Promise<void>((resolve) => (this.take = resolve));
    }
    const value = this.events.shift();
    return value === undefined ? { done: true, value: undefined } : { done: false, value };
  }

  async return(): Promise<IteratorResult<Event, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
