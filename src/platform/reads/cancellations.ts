/** Cancels statements on the server, one batch at a time: requests that arrive during a batch go into the next one together. */
export class Cancellations {
  private next: { readonly pids: Set<number>; readonly sent: Promise<void> } | undefined;
  private last: Promise<void> = Promise.resolve();

  /** @param send makes the server end the statements of these processes */
  constructor(private readonly send: (serverPids: readonly number[]) => Promise<unknown>) {}

  /** Resolves once the server has the order to end the statement of the process. */
  async cancel(serverPid: number): Promise<void> {
    const order = (this.next ??= this.order());
    order.pids.add(serverPid);
    await order.sent;
  }

  private order(): { pids: Set<number>; sent: Promise<void> } {
    const pids = new Set<number>();
    const sent = this.sendAfter(this.last, pids);
    this.last = sent.catch(() => undefined);
    return { pids, sent };
  }

  private async sendAfter(last: Promise<void>, pids: ReadonlySet<number>): Promise<void> {
    await last;
    this.next = undefined;
    await this.send([...pids]);
  }
}
