/**
 * A part of a whole as a share from 0 to 1; 0 of an empty whole. It is 1 only where nothing is missing, and 0 only
 * where there is nothing, however close the quotient comes to either.
 */
export function shareOf(part: bigint, whole: bigint): number {
  if (part <= 0n || whole <= 0n) return 0;
  if (part >= whole) return 1;
  return Math.min(Number(part) / Number(whole), 1 - Number.EPSILON / 2);
}
