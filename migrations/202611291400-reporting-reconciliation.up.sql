-- Balances of accounts by day, compared with the fees of the nodes that pay from them. GraphQL's reconciliation compares by DA
-- height; a view has the stored sums of hours only.
CREATE VIEW reporting.reconciliation_daily AS
SELECT paid.account, paid.day, paid.opening AS opening_utia, paid.closing AS closing_utia, paid.top_ups AS top_up_utia,
       paid.spent AS spent_utia, fee.submissions, fee.fee_min AS fee_min_utia, fee.fee_max AS fee_max_utia
  FROM (SELECT b.account, (b.observed_at AT TIME ZONE 'UTC')::date AS day,
               (array_agg(b.amount - coalesce(b.change, 0) ORDER BY b.observed_at, b.from_position))[1] AS opening,
               (array_agg(b.amount ORDER BY b.observed_at DESC, b.from_position DESC))[1] AS closing,
               coalesce(sum(b.change) FILTER (WHERE b.change > 0), 0) AS top_ups,
               coalesce(-sum(b.change) FILTER (WHERE b.change < 0), 0) AS spent
          FROM balance b WHERE b.amount IS NOT NULL GROUP BY 1, 2) paid
 CROSS JOIN LATERAL (
   SELECT coalesce(sum(c.submissions), 0) AS submissions, coalesce(sum(c.fee_min_utia), 0) AS fee_min,
          CASE WHEN bool_and(c.counted AND c.coverage = 1 AND (c.submissions = 0 OR c.fee_max_utia IS NOT NULL)) THEN sum(c.fee_max_utia) END AS fee_max
     FROM account payer JOIN reporting.node_cost_hourly c ON c.node = payer.node
    WHERE payer.account = paid.account AND payer.to_position IS NULL
      AND c.time >= paid.day::timestamp AT TIME ZONE 'UTC' AND c.time < (paid.day + 1)::timestamp AT TIME ZONE 'UTC') fee;
COMMENT ON VIEW reporting.reconciliation_daily IS 'Accounts by day of UTC: spending by their balances, beside the fees of the nodes that pay from them. Both are of the recorded part of the day, and a submission at midnight may be in the fees of the other day: `reconciliation` in GraphQL compares by DA height, and has the difference. Bound it by account and day.';
COMMENT ON COLUMN reporting.reconciliation_daily.account IS 'Bech32 address.';
COMMENT ON COLUMN reporting.reconciliation_daily.day IS 'Day of UTC.';
COMMENT ON COLUMN reporting.reconciliation_daily.opening_utia IS 'The balance before the first change of the day.';
COMMENT ON COLUMN reporting.reconciliation_daily.closing_utia IS 'The last balance of the day.';
COMMENT ON COLUMN reporting.reconciliation_daily.top_up_utia IS 'Rises of the balance: top-ups of at least that much, because spending between two balances nets out.';
COMMENT ON COLUMN reporting.reconciliation_daily.spent_utia IS 'Falls of the balance. More may have been spent on a day with a top-up.';
COMMENT ON COLUMN reporting.reconciliation_daily.submissions IS 'Landed submissions of the nodes that pay from the account. Nodes that show the same list count each; a node that pays from several accounts counts for each.';
COMMENT ON COLUMN reporting.reconciliation_daily.fee_min_utia IS 'Their fees, lower bound.';
COMMENT ON COLUMN reporting.reconciliation_daily.fee_max_utia IS 'Their fees, upper bound; null where a fee is unknown, submissions of an hour may be missing, or there are none.';
