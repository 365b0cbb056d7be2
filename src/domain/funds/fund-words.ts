const UTIA_DIGITS = 6;

/** An amount of utia in TIA, rounded down to thousandths, so that it never shows more than there is. */
export function tiaText(utia: string): string {
  const digits = utia.padStart(UTIA_DIGITS + 1, '0');
  return `${digits.slice(0, -UTIA_DIGITS)}.${digits.slice(-UTIA_DIGITS, -UTIA_DIGITS + 3)}`;
}

/** A comparison of balances with fees; amounts as texts with their unit. */
interface ComparedInWords {
  readonly agrees: boolean | null;
  readonly fees: string;
  /** Whether the balance fell by more than the fees. */
  readonly isMore: boolean;
  /** The distance between both. */
  readonly difference: string;
}

/** The result of a comparison, as the end of a sentence. */
export function comparisonText({ agrees, fees, isMore, difference }: ComparedInWords): string {
  if (agrees === null)
    return `the balance cannot be compared with the fees of its submissions, ${fees}: some may be missing, have no price, or be paid by another account.`;
  if (agrees) return `the balance agrees with the fees of its submissions, ${fees}.`;
  return isMore
    ? `the balance fell by ${difference} more than the fees of its submissions, ${fees}. No submission of these chains explains it.`
    : `the balance fell by ${difference} less than the computed fees of its submissions, ${fees}: a gas price may be too high, or money came in meanwhile.`;
}
