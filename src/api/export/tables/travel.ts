import { findPast, untilAsOf, type Past, type TravelArgs } from '../../graphql/time-travel.js';
import { changeKey, findFirstChange } from '../../graphql/updated-rows.js';
import type { Nanos } from '../../../domain/time.js';
import type { ExportReaders } from '../export-readers.js';
import type { KeyedList } from '../export-table.js';
import { instant } from '../parameters.js';

export const TRAVEL_PARAMETERS = {
  asOf: instant('the state at this time: only what happened before it'),
  knownAt: instant('the state as recorded by this time; fields that keep no history are empty'),
};

/** {@link TRAVEL_PARAMETERS} and the one for changes, for rows with change numbers. */
export const CHANGE_PARAMETERS = {
  ...TRAVEL_PARAMETERS,
  updatedSince: instant('rows that changed since, withdrawn ones too, in the order of their changes'),
};

interface TravelFilter extends TravelArgs {
  readonly updatedSince?: Nanos;
  readonly to?: Nanos;
}

/** The values of {@link CHANGE_PARAMETERS}, resolved, and the rest of the filter. */
export interface TravelledList<Filter> {
  readonly filter: Omit<Filter, 'asOf' | 'knownAt'>;
  readonly past: Past;
  /** Undefined when the request is not for changes. */
  readonly firstChange: bigint | undefined;
}

/** @throws ApiError BAD_USER_INPUT for `updatedSince` together with `knownAt` */
export async function travel<Filter extends TravelFilter>(
  { source, changes }: Pick<ExportReaders, 'source' | 'changes'>,
  { asOf, knownAt, ...filter }: Filter,
): Promise<TravelledList<Filter>> {
  const args = { ...(asOf !== undefined && { asOf }), ...(knownAt !== undefined && { knownAt }) };
  const firstChange = await findFirstChange(changes, filter, args);
  const past = await findPast(source, args);
  return { filter: untilAsOf(filter as never, past), past, firstChange };
}

/** The list in the order of changes, if the request is for changes. */
export function inChangeOrder(
  list: KeyedList,
  alias: string,
  { firstChange }: Pick<TravelledList<unknown>, 'firstChange'>,
): KeyedList {
  if (firstChange === undefined) return list;
  return { ...list, name: `${list.name}-changes`, key: changeKey(alias, list.key) };
}
