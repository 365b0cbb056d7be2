-- Read models of how nodes fared (health, availability of the list, coverage, probes, claims) and of what is charged (settings of
-- chains, price book, imported fees). All of it can be rebuilt from the log.
-- from_position / to_position: the event that made a row known, and the later one that replaced it (null: it stands).
-- "What was known after position p" are the rows with from_position <= p and (to_position > p or to_position is null).

CREATE TABLE health_interval (
  node          text             NOT NULL,
  component     text             NOT NULL CHECK (component IN ('DA', 'NODE')),
  from_at       timestamptz      NOT NULL,
  to_at         timestamptz,
  state         text             NOT NULL CHECK (state IN ('HEALTHY', 'WARNING', 'CRITICAL', 'UNKNOWN')),
  rule          text             NOT NULL,
  reason        text             NOT NULL,
  setting       text,
  limit_value   double precision,
  claim         text,
  claim_differs boolean,
  differed_ms   bigint           NOT NULL,
  from_position bigint           NOT NULL,
  to_position   bigint,
  PRIMARY KEY (node, component, from_at, from_position)
) WITH (fillfactor = 90);
COMMENT ON TABLE  health_interval               IS 'Each component''s health as an unbroken line of intervals, in all versions that were known of them.';
COMMENT ON COLUMN health_interval.node          IS 'Id of the node.';
COMMENT ON COLUMN health_interval.component     IS 'DA or NODE.';
COMMENT ON COLUMN health_interval.from_at       IS 'Start, inclusive, observer''s clock.';
COMMENT ON COLUMN health_interval.to_at         IS 'End, exclusive: the start of the next interval; null for the present one.';
COMMENT ON COLUMN health_interval.state         IS 'HEALTHY, WARNING, CRITICAL or UNKNOWN.';
COMMENT ON COLUMN health_interval.rule          IS 'The rule that decided; see DA_RULES and NODE_RULES in src/domain.';
COMMENT ON COLUMN health_interval.reason        IS 'Why, with the numbers at the moment it was confirmed.';
COMMENT ON COLUMN health_interval.setting       IS 'The setting that decided, by its name in hindsight.yaml; null where none did.';
COMMENT ON COLUMN health_interval.limit_value   IS 'What it came to: milliseconds, or attempts for failuresCount.';
COMMENT ON COLUMN health_interval.claim         IS 'Status of the node''s own /da/health: the one that contradicted us, where one did, else the first that claimed anything.';
COMMENT ON COLUMN health_interval.claim_differs IS 'The claim contradicted us in this interval, for claimDiffersAfterMs or longer; null where there is nothing to compare.';
COMMENT ON COLUMN health_interval.differed_ms   IS 'For how long it did, as far as the claim was looked at, in milliseconds.';
COMMENT ON COLUMN health_interval.from_position IS 'The event that made this version known.';
COMMENT ON COLUMN health_interval.to_position   IS 'The event that replaced this version; null for the one that stands.';
CREATE UNIQUE INDEX health_interval_now_key ON health_interval (node, component, from_at) WHERE to_position IS NULL;
CREATE INDEX health_interval_open_idx ON health_interval (node, component) WHERE to_position IS NULL AND to_at IS NULL;

CREATE TABLE health_fold (
  node  text PRIMARY KEY,
  chain text,
  state json NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE  health_fold       IS 'All that the health of a node is a function of, at the projection''s checkpoint.';
COMMENT ON COLUMN health_fold.node  IS 'Id of the node.';
COMMENT ON COLUMN health_fold.chain IS 'Its chain, whose thresholds hold for it; null while unknown.';
COMMENT ON COLUMN health_fold.state IS 'HealthFold of src/domain/health/health-fold.ts.';

CREATE TABLE health_threshold (
  chain      text PRIMARY KEY,
  thresholds json NOT NULL
);
COMMENT ON TABLE  health_threshold            IS 'Thresholds that the settings change for a chain.';
COMMENT ON COLUMN health_threshold.chain      IS 'Chain id.';
COMMENT ON COLUMN health_threshold.thresholds IS 'By name, as in HealthThresholds of src/domain/health/health-thresholds.ts.';

CREATE TABLE availability_interval (
  node          text        NOT NULL,
  from_at       timestamptz NOT NULL,
  to_at         timestamptz,
  state         text        NOT NULL,
  detail        text        NOT NULL,
  axis          json,
  from_position bigint      NOT NULL,
  to_position   bigint,
  PRIMARY KEY (node, from_at, from_position)
);
COMMENT ON TABLE  availability_interval               IS 'What the list of submissions was when it was looked at, in all versions that were known of it.';
COMMENT ON COLUMN availability_interval.node          IS 'Id of the node.';
COMMENT ON COLUMN availability_interval.from_at       IS 'The look that found it so, observer''s clock.';
COMMENT ON COLUMN availability_interval.to_at         IS 'The look that found it otherwise; null for the present state.';
COMMENT ON COLUMN availability_interval.state         IS 'AVAILABLE, DISABLED, NOT_AGGREGATOR, NOT_SUPPORTED, INVALID or UNREACHABLE.';
COMMENT ON COLUMN availability_interval.detail        IS 'What the node, or the connection, said.';
COMMENT ON COLUMN availability_interval.axis          IS 'TimeAxis of src/domain/time-axis.ts, on which the times lie; null: as the clock told them.';
COMMENT ON COLUMN availability_interval.from_position IS 'The event that made this version known.';
COMMENT ON COLUMN availability_interval.to_position   IS 'The event that replaced this version; null for the one that stands.';
CREATE UNIQUE INDEX availability_interval_now_key ON availability_interval (node, from_at) WHERE to_position IS NULL;

-- Coverage by list: each stretch tells up to when it is proven, and what is not proven behind it.
CREATE TABLE coverage_interval (
  node           text        NOT NULL,
  number         integer     NOT NULL,
  kind           text        NOT NULL,
  list           integer,
  ring           text        NOT NULL,
  from_at        timestamptz NOT NULL,
  to_at          timestamptz NOT NULL,
  until_at       timestamptz,
  unstated       boolean     NOT NULL,
  after_sequence bigint      NOT NULL,
  PRIMARY KEY (node, number)
) WITH (fillfactor = 50);
COMMENT ON TABLE  coverage_interval                IS 'Stretches of the lists behind a node''s address: a time that is proven, and the time behind it of which nothing is.';
COMMENT ON COLUMN coverage_interval.node           IS 'Id of the node.';
COMMENT ON COLUMN coverage_interval.number         IS 'Counts the stretches of the node, from 0.';
COMMENT ON COLUMN coverage_interval.kind           IS 'LIST, HOLE (an event states it), NOT_AGGREGATOR (the node said so: nothing to cover) or UNSEEN (no list was ever seen).';
COMMENT ON COLUMN coverage_interval.list           IS 'The list''s number behind the address; null for what is no list.';
COMMENT ON COLUMN coverage_interval.ring           IS 'Lists of several nodes that bear the same one are one list: a row with a time stood in both.';
COMMENT ON COLUMN coverage_interval.from_at        IS 'The look at which it begins, observer''s clock.';
COMMENT ON COLUMN coverage_interval.to_at          IS 'The last look up to which it is proven that no row of the list was missed.';
COMMENT ON COLUMN coverage_interval.until_at       IS 'The look that ends what is not proven behind it; null while nothing has.';
COMMENT ON COLUMN coverage_interval.unstated       IS 'Whether rows may be missing behind it and no event says so: the list is out of sight.';
COMMENT ON COLUMN coverage_interval.after_sequence IS 'The last row that was recorded of the list; 0 for none.';
CREATE INDEX coverage_interval_time_idx ON coverage_interval (node, until_at);

CREATE TABLE coverage_fold (
  node       text        PRIMARY KEY,
  state      json        NOT NULL,
  rings      json        NOT NULL,
  newest_row bigint,
  looked_at  timestamptz
);
COMMENT ON TABLE  coverage_fold            IS 'All that the coverage of a node is a function of, at the projection''s checkpoint.';
COMMENT ON COLUMN coverage_fold.node       IS 'Id of the node.';
COMMENT ON COLUMN coverage_fold.state      IS 'ListCoverage of src/domain/submissions/list-coverage.ts.';
COMMENT ON COLUMN coverage_fold.rings      IS 'The ring of each list that is remembered and is one with a list of another node.';
COMMENT ON COLUMN coverage_fold.newest_row IS 'Digest of the newest row of the list that was seen last: by it another node shows the same list.';
COMMENT ON COLUMN coverage_fold.looked_at  IS 'The last look at the list, whatever it found.';
CREATE INDEX coverage_fold_newest_row_idx ON coverage_fold (newest_row);

CREATE TABLE probe_minute (
  node          text             NOT NULL,
  probe         text             NOT NULL,
  minute_at     timestamptz      NOT NULL,
  ok            integer          NOT NULL,
  failed        integer          NOT NULL,
  latency_count integer          NOT NULL,
  min_ms        double precision,
  mean_ms       double precision,
  p50_ms        double precision,
  p99_ms        double precision,
  max_ms        double precision,
  from_position bigint           NOT NULL,
  last_position bigint           NOT NULL,
  PRIMARY KEY (node, probe, minute_at)
);
COMMENT ON TABLE  probe_minute               IS 'How the probes of a node went, per minute.';
COMMENT ON COLUMN probe_minute.node          IS 'Id of the node.';
COMMENT ON COLUMN probe_minute.probe         IS 'reachable, live, ready or status.';
COMMENT ON COLUMN probe_minute.minute_at     IS 'The minute (UTC) in which the summary begins, observer''s clock.';
COMMENT ON COLUMN probe_minute.ok            IS 'Probes that went well.';
COMMENT ON COLUMN probe_minute.failed        IS 'Probes that did not.';
COMMENT ON COLUMN probe_minute.latency_count IS 'Answers whose latency is summarised.';
COMMENT ON COLUMN probe_minute.min_ms        IS 'Shortest latency in milliseconds; null without answers, as the following.';
COMMENT ON COLUMN probe_minute.mean_ms       IS 'Mean latency.';
COMMENT ON COLUMN probe_minute.p50_ms        IS 'Median latency; of several summaries in one minute the mean weighted by answers.';
COMMENT ON COLUMN probe_minute.p99_ms        IS '99th percentile; of several summaries in one minute the highest.';
COMMENT ON COLUMN probe_minute.max_ms        IS 'Longest latency.';
COMMENT ON COLUMN probe_minute.from_position IS 'The first event that told of it.';
COMMENT ON COLUMN probe_minute.last_position IS 'The last event that told of it.';

CREATE TABLE probe_state (
  node          text             NOT NULL,
  probe         text             NOT NULL,
  from_at       timestamptz      NOT NULL,
  outcome       text             NOT NULL,
  status_code   integer,
  detail        text             NOT NULL,
  latency_ms    double precision,
  catching_up   boolean,
  from_position bigint           NOT NULL,
  to_position   bigint,
  PRIMARY KEY (node, probe, from_position)
);
COMMENT ON TABLE  probe_state               IS 'What each probe of a node gives, from each change on.';
COMMENT ON COLUMN probe_state.node          IS 'Id of the node.';
COMMENT ON COLUMN probe_state.probe         IS 'reachable, live, ready or status.';
COMMENT ON COLUMN probe_state.from_at       IS 'The look that found it so, observer''s clock.';
COMMENT ON COLUMN probe_state.outcome       IS 'OK, FAILED, TIMEOUT, REFUSED, NOT_OFFERED or INVALID.';
COMMENT ON COLUMN probe_state.status_code   IS 'HTTP status; null without an answer.';
COMMENT ON COLUMN probe_state.detail        IS 'What the node, or the connection, said.';
COMMENT ON COLUMN probe_state.latency_ms    IS 'Latency of that look in milliseconds.';
COMMENT ON COLUMN probe_state.catching_up   IS 'The node''s own catching_up; only of status.';
COMMENT ON COLUMN probe_state.from_position IS 'The event that made it known.';
COMMENT ON COLUMN probe_state.to_position   IS 'The event that replaced it; null for the present state.';
CREATE UNIQUE INDEX probe_state_now_key ON probe_state (node, probe) WHERE to_position IS NULL;

CREATE TABLE claim (
  node          text        NOT NULL,
  kind          text        NOT NULL CHECK (kind IN ('health', 'stats', 'state', 'stores', 'genesis', 'signer', 'peers', 'net', 'pruned')),
  observed_at   timestamptz NOT NULL,
  status        text,
  body          json        NOT NULL,
  from_position bigint      NOT NULL,
  to_position   bigint,
  PRIMARY KEY (node, kind, from_position)
);
COMMENT ON TABLE  claim               IS 'What a node said of itself, as it said it.';
COMMENT ON COLUMN claim.node          IS 'Id of the node.';
COMMENT ON COLUMN claim.kind          IS 'health: /da/health; stats: /da/stats; state, stores, genesis, signer, peers, net, pruned: answers of its services.';
COMMENT ON COLUMN claim.observed_at   IS 'The look that found it, observer''s clock.';
COMMENT ON COLUMN claim.status        IS 'Its status as sent; null for all but health, and where it names none.';
COMMENT ON COLUMN claim.body          IS 'The answer as sent.';
COMMENT ON COLUMN claim.from_position IS 'The event that made it known.';
COMMENT ON COLUMN claim.to_position   IS 'The event with the next claim of its kind; null for the present one.';
CREATE UNIQUE INDEX claim_now_key ON claim (node, kind) WHERE to_position IS NULL;
CREATE INDEX claim_time_idx ON claim (node, kind, observed_at);

CREATE TABLE chain_setting (
  chain               text   PRIMARY KEY,
  reporting_time_zone text   NOT NULL,
  da_layer            text,
  from_position       bigint NOT NULL
);
COMMENT ON TABLE  chain_setting                     IS 'What the settings say of a chain, as last recorded.';
COMMENT ON COLUMN chain_setting.chain               IS 'The chain.';
COMMENT ON COLUMN chain_setting.reporting_time_zone IS 'IANA name; its days are those of reports.';
COMMENT ON COLUMN chain_setting.da_layer            IS 'Name of its DA layer, where the settings say it.';
COMMENT ON COLUMN chain_setting.from_position       IS 'Position of the event that said so.';

CREATE TABLE price (
  chain          text        NOT NULL,
  subject        text        NOT NULL CHECK (subject IN ('GAS_PRICE', 'GAS_SCHEDULE', 'FIAT_RATE')),
  effective_from timestamptz NOT NULL,
  value          jsonb       NOT NULL,
  source         text        NOT NULL,
  recorded_at    timestamptz NOT NULL,
  from_position  bigint      NOT NULL,
  to_position    bigint,
  PRIMARY KEY (chain, subject, effective_from, from_position)
);
COMMENT ON TABLE  price                IS 'The price book: each entry holds from its moment until the next one of its chain and subject. Versions are kept.';
COMMENT ON COLUMN price.chain          IS 'The chain that it is of.';
COMMENT ON COLUMN price.subject        IS 'What it prices.';
COMMENT ON COLUMN price.effective_from IS '-infinity: from the beginning.';
COMMENT ON COLUMN price.value          IS 'GAS_PRICE {utia}, GAS_SCHEDULE {gasPerShareByte, gasPerBlob, fixedGas, signer}, FIAT_RATE {unit, perTia}; decimals in text.';
COMMENT ON COLUMN price.source         IS 'settings, or what the person who set it said of it.';
COMMENT ON COLUMN price.recorded_at    IS 'When it was recorded, by the clock of the database.';
COMMENT ON COLUMN price.from_position  IS 'Position of the event that set it.';
COMMENT ON COLUMN price.to_position    IS 'The event that replaced this version; null: it stands.';

CREATE TABLE imported_fee (
  chain         text    NOT NULL,
  da_height     bigint  NOT NULL,
  namespace     text    NOT NULL,
  ordinal       integer NOT NULL,
  fee_utia      numeric NOT NULL,
  tx_hash       text,
  source        text    NOT NULL,
  from_position bigint  NOT NULL,
  PRIMARY KEY (chain, da_height, namespace, ordinal)
);
COMMENT ON TABLE  imported_fee               IS 'Fees that somebody read from the DA layer.';
COMMENT ON COLUMN imported_fee.chain         IS 'The chain that paid.';
COMMENT ON COLUMN imported_fee.da_height     IS 'Height of the DA layer at which it was paid.';
COMMENT ON COLUMN imported_fee.namespace     IS '58 hex digits, lower case; empty where the file names none.';
COMMENT ON COLUMN imported_fee.ordinal       IS 'Counts from 1 among the fees of the same DA height and namespace.';
COMMENT ON COLUMN imported_fee.fee_utia      IS 'The fee in utia.';
COMMENT ON COLUMN imported_fee.tx_hash       IS 'The transaction that paid it, where it is known.';
COMMENT ON COLUMN imported_fee.source        IS 'Where it was read.';
COMMENT ON COLUMN imported_fee.from_position IS 'Position of the event that brought it.';

CREATE TABLE imported_fee_past (
  chain       text    NOT NULL,
  da_height   bigint  NOT NULL,
  namespace   text    NOT NULL,
  ordinal     integer NOT NULL,
  fee_utia    numeric NOT NULL,
  to_position bigint  NOT NULL,
  PRIMARY KEY (chain, da_height, namespace, ordinal, to_position)
);
COMMENT ON TABLE  imported_fee_past             IS 'What a fee was before it was corrected.';
COMMENT ON COLUMN imported_fee_past.chain       IS 'As in imported_fee.';
COMMENT ON COLUMN imported_fee_past.da_height   IS 'As in imported_fee.';
COMMENT ON COLUMN imported_fee_past.namespace   IS 'As in imported_fee.';
COMMENT ON COLUMN imported_fee_past.ordinal     IS 'As in imported_fee.';
COMMENT ON COLUMN imported_fee_past.fee_utia    IS 'utia; what was known until to_position.';
COMMENT ON COLUMN imported_fee_past.to_position IS 'The event that corrected it.';
