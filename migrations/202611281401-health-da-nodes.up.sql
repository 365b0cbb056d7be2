-- Read models of the DA nodes that rollup nodes post through, and of the accounts that pay for submissions. All of it can be
-- rebuilt from the log.
-- from_position / to_position: the event that made a row known, and the later one that replaced it (null: it is current).

CREATE TABLE da_node (
  node              text        NOT NULL,
  observed_at       timestamptz NOT NULL,
  outcome           text        NOT NULL CHECK (outcome IN ('OK', 'UNREACHABLE', 'REFUSED', 'NOT_PERMITTED', 'INVALID')),
  status_code       integer,
  detail            text        NOT NULL,
  token_permissions json,
  token_expires_at  timestamptz,
  from_position     bigint      NOT NULL,
  to_position       bigint,
  PRIMARY KEY (node, from_position)
);
COMMENT ON TABLE  da_node                   IS 'How the DA node behind each node answers, from each change on.';
COMMENT ON COLUMN da_node.node              IS 'Id of the rollup node.';
COMMENT ON COLUMN da_node.observed_at       IS 'The poll that found it so, observer''s clock.';
COMMENT ON COLUMN da_node.outcome           IS 'OK, UNREACHABLE, REFUSED (the token), NOT_PERMITTED (the token may not read) or INVALID.';
COMMENT ON COLUMN da_node.status_code       IS 'HTTP status; null without an answer.';
COMMENT ON COLUMN da_node.detail            IS 'Why it does not answer, in one line; empty where it does.';
COMMENT ON COLUMN da_node.token_permissions IS 'Permissions of our token, by its own payload; null without a token that can be read.';
COMMENT ON COLUMN da_node.token_expires_at  IS 'When our token expires, by its own payload; null for never, or without a token that can be read.';
COMMENT ON COLUMN da_node.from_position     IS 'The event that made it known.';
COMMENT ON COLUMN da_node.to_position       IS 'The event that replaced it; null for the present state.';
CREATE UNIQUE INDEX da_node_now_key ON da_node (node) WHERE to_position IS NULL;

CREATE TABLE account (
  account       text        NOT NULL,
  node          text        NOT NULL,
  observed_at   timestamptz NOT NULL,
  amount        numeric,
  da_height     bigint,
  detail        text        NOT NULL,
  from_position bigint      NOT NULL,
  to_position   bigint,
  PRIMARY KEY (account, node, from_position)
);
COMMENT ON TABLE  account               IS 'The last balance of each account, as the DA node behind each node reports it, in all versions that were known of it.';
COMMENT ON COLUMN account.account       IS 'Bech32 address.';
COMMENT ON COLUMN account.node          IS 'Id of the rollup node that pays from it.';
COMMENT ON COLUMN account.observed_at   IS 'When the balance was read, observer''s clock.';
COMMENT ON COLUMN account.amount        IS 'utia; null where the DA node could not read the balance.';
COMMENT ON COLUMN account.da_height     IS 'The DA height whose state has this balance; null if unknown.';
COMMENT ON COLUMN account.detail        IS 'Why the balance could not be read; empty where it could.';
COMMENT ON COLUMN account.from_position IS 'The event that made it known.';
COMMENT ON COLUMN account.to_position   IS 'The event that replaced it; null for the present one.';
CREATE UNIQUE INDEX account_now_key ON account (account, node) WHERE to_position IS NULL;
CREATE INDEX account_node_idx ON account (node) WHERE to_position IS NULL;

CREATE TABLE balance (
  account       text        NOT NULL,
  observed_at   timestamptz NOT NULL,
  node          text        NOT NULL,
  da_height     bigint,
  amount        numeric,
  change        numeric,
  detail        text        NOT NULL,
  from_position bigint      NOT NULL PRIMARY KEY
);
COMMENT ON TABLE  balance               IS 'Balances of each account: one for each DA height, whichever of its nodes read it first.';
COMMENT ON COLUMN balance.account       IS 'Bech32 address.';
COMMENT ON COLUMN balance.observed_at   IS 'When the balance was read, observer''s clock.';
COMMENT ON COLUMN balance.node          IS 'Id of the rollup node whose DA node reported it.';
COMMENT ON COLUMN balance.da_height     IS 'The DA height whose state has this balance; null if unknown.';
COMMENT ON COLUMN balance.amount        IS 'utia; null where the balance could not be read.';
COMMENT ON COLUMN balance.change        IS 'utia, against the balance before: below 0 it was spent, above 0 it is a top-up of at least that much; null for the first balance, and where it could not be read.';
COMMENT ON COLUMN balance.detail        IS 'Why the balance could not be read; empty where it could.';
COMMENT ON COLUMN balance.from_position IS 'The event that made it known.';
CREATE INDEX balance_time_idx ON balance (account, observed_at, from_position);
CREATE INDEX balance_position_idx ON balance (account, from_position);
