/**
 * Key of an advisory lock (of a transaction). The projection takes it before it changes prices or fees; whoever
 * computes from them takes it shared. So what was computed from the old ones is written before the marks are made that
 * have it computed again. Each schema has its own: prices that are being rebuilt are nobody else's.
 */
export const PRICE_LOCK = "hashtext('hindsight prices ' || current_schema())";
