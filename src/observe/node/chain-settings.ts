import type { ChainEvents } from '../../domain/events.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';
import { changeStream } from '../change-stream.js';

/** What is set for one chain. */
export interface ChainSettings {
  readonly id: string;
  readonly reportingTimeZone: string;
  readonly da: Readonly<Record<string, string>>;
  readonly thresholds: Readonly<Record<string, number>>;
}

/** What the stream `<chain>/chain` remembers at its end. */
export interface ChainStreamState {
  readonly settings?: ChainEvents['ChainSettingsChanged'];
  /** Lineages opened so far, as the blocks observers wrote them. */
  readonly lineages?: readonly unknown[];
}

/** Records `ChainSettingsChanged` for each chain whose settings differ from what the log knows. */
export async function writeDownChainSettings(
  store: EventStore,
  clock: Clock,
  chains: readonly ChainSettings[],
): Promise<void> {
  for (const { id, reportingTimeZone, da, thresholds } of chains) {
    const body = { reportingTimeZone, thresholds, da };
    await changeStream<ChainStreamState>(store, `${id}/chain`, (state) =>
      JSON.stringify(state?.settings) === JSON.stringify(body)
        ? undefined
        : {
            event: { type: 'ChainSettingsChanged', observedAt: clock.now(), body },
            state: { ...state, settings: body },
          },
    );
  }
}
