import { Inject, Injectable } from '@nestjs/common';
import { SilenceRefused, Silences } from '../../alerts/silences.js';
import { nanosToMillis, type Nanos } from '../../domain/time.js';
import { EventStore } from '../../event-log/event-store.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError, badUserInput } from '../errors.js';
import { parseRowId } from '../objects/row-id.js';
import { toSilence, type Silence, type SilenceMatcher } from './silence.type.js';

@Injectable()
export class SilencesService {
  private readonly silences: Silences;

  constructor(
    store: EventStore,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {
    this.silences = new Silences(store);
  }

  /** Silences that are active now. */
  async getSilences(): Promise<Silence[]> {
    const held = await this.silences.getSilences(this.options.clock.now());
    return held.map(toSilence);
  }

  /** @throws ApiError BAD_USER_INPUT for input that cannot be recorded */
  async add(
    { rules, nodes, chains }: SilenceMatcher,
    until: Nanos,
    note: string,
    by: string,
  ): Promise<Silence> {
    const scope = {
      ...(rules && { rules }),
      ...(nodes && { nodes }),
      ...(chains && { chains }),
    };
    const requested = { scope, until: nanosToMillis(until), note, by };
    const added = await this.silences.add(requested, this.options.clock.now()).catch((error: unknown) => {
      throw error instanceof SilenceRefused ? badUserInput(error.message) : error;
    });
    return toSilence(added);
  }

  /** @throws ApiError NOT_FOUND if no active silence has this id */
  async lift(id: string, by: string): Promise<Silence> {
    const { type, parts = [] } = parseRowId(id) ?? {};
    const own = type === 'Silence' ? parts[0] : undefined;
    const lifted = own && (await this.silences.lift(own, by, this.options.clock.now()));
    if (!lifted) throw new ApiError('NOT_FOUND', `There is no silence ${JSON.stringify(id.slice(0, 100))}.`);
    return toSilence(lifted);
  }
}
