/**
 * Key of the advisory lock (of a transaction) that the projection takes before it changes prices or fees, and that
 * whoever computes from them takes shared: what was computed from the old ones is written before the marks are made
 * that have it computed again. Each schema has its own: prices that are being rebuilt are nobody else's.
 */
export const PRICE_LOCK = "hashtext('hindsight prices ' || current_schema())";
