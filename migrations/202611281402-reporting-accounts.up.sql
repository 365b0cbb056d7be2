-- Accounts that pay for submissions, and their balances: as GraphQL's accounts and their balances.
CREATE VIEW reporting.balances AS
SELECT b.account, b.observed_at AS time, b.node, b.amount AS amount_utia, b.change AS change_utia, b.da_height, b.detail,
       b.from_position AS position
  FROM balance b;
COMMENT ON VIEW reporting.balances IS 'Balances of the accounts that pay for submissions: one for each DA height, as recorded when they change and once an hour. Bound it by account and time.';
COMMENT ON COLUMN reporting.balances.account IS 'Bech32 address.';
COMMENT ON COLUMN reporting.balances.time IS 'When the balance was read, by our clock.';
COMMENT ON COLUMN reporting.balances.node IS 'Id of the rollup node whose DA node reported it.';
COMMENT ON COLUMN reporting.balances.amount_utia IS 'The balance in utia; null where it could not be read.';
COMMENT ON COLUMN reporting.balances.change_utia IS 'Against the balance before, in utia. Below 0: spent. Above 0: a top-up of at least that much. Null where either is unknown.';
COMMENT ON COLUMN reporting.balances.da_height IS 'The DA height whose state has this balance; null if unknown.';
COMMENT ON COLUMN reporting.balances.detail IS 'Why the balance could not be read; empty where it could.';
COMMENT ON COLUMN reporting.balances.position IS 'The event that made it known.';

-- The newest report that could be read; an older one than two hours is not the present balance, as in src/domain/funds.
CREATE VIEW reporting.accounts AS
SELECT latest.account AS address, of.chains, of.nodes, latest.amount AS balance_utia, latest.detail,
       latest.observed_at AS balance_at, latest.da_height
  FROM (SELECT a.account, array_agg(a.node ORDER BY a.node COLLATE "C") AS nodes, max(a.observed_at) AS newest_at,
               coalesce(array_agg(DISTINCT n.chain_id COLLATE "C") FILTER (WHERE n.chain_id IS NOT NULL), '{}') AS chains
          FROM account a LEFT JOIN node n ON n.id = a.node
         WHERE a.to_position IS NULL GROUP BY a.account) of
 CROSS JOIN LATERAL (
   SELECT a.* FROM account a WHERE a.account = of.account AND a.to_position IS NULL
    ORDER BY a.amount IS NOT NULL AND a.observed_at >= of.newest_at - interval '2 hours' DESC, a.observed_at DESC LIMIT 1) latest;
COMMENT ON VIEW reporting.accounts IS 'The accounts that pay for submissions, with their newest balance. Spending and runway are in GraphQL.';
COMMENT ON COLUMN reporting.accounts.address IS 'Bech32 address.';
COMMENT ON COLUMN reporting.accounts.chains IS 'The present chains of its nodes.';
COMMENT ON COLUMN reporting.accounts.nodes IS 'Ids of the rollup nodes that pay from it.';
COMMENT ON COLUMN reporting.accounts.balance_utia IS 'The balance in utia; null while it cannot be read.';
COMMENT ON COLUMN reporting.accounts.detail IS 'Why the balance is unknown; empty where it is known.';
COMMENT ON COLUMN reporting.accounts.balance_at IS 'When the balance was read, or could not be read, by our clock.';
COMMENT ON COLUMN reporting.accounts.da_height IS 'The DA height whose state has this balance; null if unknown.';
