/**
 * Key of a transaction-level advisory lock. The projection takes it exclusively before it changes prices or fees; code that
 * computes from them takes it shared. So results from the old prices are written before the marks that request their
 * recomputation. Each schema has its own lock, so a rebuild of prices blocks nothing.
 */
export const PRICE_LOCK = "hashtext('hindsight prices ' || current_schema())";
