import { toPrintable } from '../../domain/printable-text.js';
import type { AccountFragment } from '../data/answers.gen.js';
import { moment, tia } from '../data/words.js';
import type { Fact } from './facts.js';

/** An account, its balance, and how long it lasts. */
export function accountFacts({ address, balanceFloat, detail, runway }: AccountFragment): Fact[] {
  const isSame = runway?.from === runway?.to;
  const end =
    runway?.from && (isSame ? moment(runway.from) : `${moment(runway.from)} to ${moment(runway.to)}`);
  return [
    ['Account', <span title={toPrintable(address)}>{shortAddress(address)}</span>],
    [
      'Balance',
      balanceFloat === null ? `unknown: ${toPrintable(detail, 200)}` : tia(balanceFloat, balanceFloat),
    ],
    ['Lasts until', end ?? 'unknown'],
  ];
}

/** Both ends of an address: enough to distinguish accounts. */
function shortAddress(address: string): string {
  const text = toPrintable(address);
  return text.length <= 20 ? text : `${text.slice(0, 13)}…${text.slice(-4)}`;
}
