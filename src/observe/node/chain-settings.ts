import type { ChainEvents } from '../../domain/events.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';
import { changeStream } from '../change-stream.js';

export interface ChainSettings {
  readonly id: string;
  readonly reportingTimeZone: string;
  readonly da: Readonly<Record<string, string>>;
  readonly thresholds: Readonly<Record<string, number>>;
}

/** The state at the end of the stream `<chain>/chain`. */
export interface ChainStreamState {
  readonly settings?: ChainEvents['ChainSettingsChanged'];
  /** Lineages opened so far, written by the blocks observers. */
  readonly lineages?: readonly unknown[];
}

/** Records `ChainSettingsChanged` for each chain whose settings differ from the last recorded ones. */
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
