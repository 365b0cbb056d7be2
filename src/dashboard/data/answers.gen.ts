/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Conditions that must all hold. A list that is given and empty matches nothing. */
export type BlockFilter = {
  /** Ids of chains. */
  chains?: Array<string> | null | undefined;
  /** Of the block's time; inclusive. */
  from?: string | null | undefined;
  /** Least height; inclusive. */
  heightFrom?: string | null | undefined;
  /** Largest height; inclusive. */
  heightTo?: string | null | undefined;
  /** Whether header and data are both included. */
  included?: boolean | null | undefined;
  /** Ids of the nodes that showed it. */
  nodes?: Array<string | number> | null | undefined;
  /** Of the block's time; exclusive. */
  to?: string | null | undefined;
  /** Rows of which something changed since, and each change at least once. Those of the last minute before it come again, of a time more than 34 days ago those of the last hour. Withdrawn ones are among them. They come in the order of their changes, the oldest first, whatever `order` says; rows that change meanwhile move to the end. Of the other conditions what holds today counts. Not with `knownAt`. */
  updatedSince?: string | null | undefined;
};

/** How much time a row covers. */
export type Bucket =
  /** A day of `timeZone`, else of the chain's reporting zone: 23 to 25 hours. */
  | 'DAY'
  /** An hour of UTC; of `timeZone` where that is named and its hours begin at other minutes. */
  | 'HOUR'
  /** A month of these days. */
  | 'MONTH'
  /** A quarter of an hour of UTC: what all others are added up from. */
  | 'QUARTER_HOUR'
  /** Seven days from Monday on. */
  | 'WEEK'
  /** A year of these days. */
  | 'YEAR';

/** The time that a budget is for. */
export type BudgetPeriod =
  /** Each day of the chain. */
  | 'DAY'
  /** Each month of the chain. */
  | 'MONTH';

/** What became of a check. */
export type CheckResult =
  /** It is wrong. */
  | 'FAILED'
  /** Nothing was proven, in either direction. */
  | 'NOT_CHECKED'
  /** It is right. */
  | 'PASSED';

/** Causes of failures. A code is never used again for something else. */
export type FailureCode =
  /** The DA node does not find its account on the DA layer. */
  | 'ACCOUNT_NOT_FOUND'
  /** The namespace or the options of the submission are not valid. */
  | 'BAD_NAMESPACE'
  /** The node gave the attempt up, as it does when it stops or loses its leadership. */
  | 'CANCELED'
  /** The DA node cannot use the consensus node behind it. */
  | 'CORE_UNREACHABLE'
  /** The DA node was asked for a height that it has not reached. */
  | 'DA_BEHIND'
  /** The DA node gets too many requests. */
  | 'DA_BUSY'
  /** The connection to the DA node broke. */
  | 'DA_CONNECTION_LOST'
  /** The DA layer refused, for a reason that is not known here. */
  | 'DA_ERROR'
  /** The DA node refuses the authentication token. */
  | 'DA_UNAUTHORIZED'
  /** The DA endpoint cannot be reached. */
  | 'DA_UNREACHABLE'
  /** The fee granter does not pay for the DA account. */
  | 'FEE_GRANT_REFUSED'
  /** The DA layer asks for a higher fee than was offered. */
  | 'FEE_TOO_LOW'
  /** The same transaction is already in the mempool of the DA layer. */
  | 'IN_MEMPOOL_ALREADY'
  /** The mempool of the DA layer is full. */
  | 'MEMPOOL_FULL'
  /** The node or the DA node failed within itself. */
  | 'NODE_PANIC'
  /** The DA layer does not have what was asked for. */
  | 'NOT_FOUND'
  /** The transaction was sent and was not seen in a block in time. */
  | 'NOT_INCLUDED'
  /** The DA account is out of funds. */
  | 'OUT_OF_FUNDS'
  /** The gas limit of the transaction is too low. */
  | 'OUT_OF_GAS'
  /** The sequence number of the DA account is not the one that the DA layer expects. */
  | 'SEQUENCE_MISMATCH'
  /** The DA node gave no answer in time. */
  | 'TIMED_OUT'
  /** The batch, or one blob of it, is larger than the DA layer takes. */
  | 'TOO_BIG'
  /** The node gave no reason, or one that is not known here. */
  | 'UNKNOWN';

/** What a fee rests on: the best source that there is. */
export type FeeBasis =
  /** It was read from the DA layer and imported. */
  | 'IMPORTED'
  /** Computed from the sizes of the blobs and the gas price of the price book. */
  | 'PRICED'
  /** Computed from the sizes of the blobs and the gas price that the node reported. */
  | 'RECORDED';

/** Of what health is told. */
export type HealthComponent =
  /** Whether we saw all of its list, which is our own doing. Its line begins with the first time in which something may have been missed. */
  | 'COVERAGE'
  /** Whether its data reaches the DA layer. */
  | 'DA'
  /** Whether the node itself runs and moves on. */
  | 'NODE';

/** How a component fares, as we conclude it. */
export type HealthState =
  /** It does not work. */
  | 'CRITICAL'
  /** It works. */
  | 'HEALTHY'
  /** We could not see; the reason says why. */
  | 'UNKNOWN'
  /** It works, with some failures; the reason says which. */
  | 'WARNING';

/** Conditions that must all hold. A list that is given and empty matches nothing. */
export type IncidentFilter = {
  /** Chains that they are of: see `Incident.chain`. */
  chains?: Array<string> | null | undefined;
  /** Of what; all when left out. */
  component?: HealthComponent | null | undefined;
  /** Only incidents that reach beyond this time. */
  from?: string | null | undefined;
  /** Ids of nodes, of which one has it. */
  nodes?: Array<string | number> | null | undefined;
  /** Whether it has not been seen to end. */
  open?: boolean | null | undefined;
  /** The worst state in it. */
  severities?: Array<HealthState> | null | undefined;
  /** What they are of; all when left out. */
  subject?: IncidentSubject | null | undefined;
  /** Only incidents that begin before this time. */
  to?: string | null | undefined;
};

/** What an incident is of. */
export type IncidentSubject =
  /** Our own coverage of a node: nobody looked, or rows left its list unseen. */
  | 'COVERAGE'
  /** Whether the data of a node gets through. */
  | 'DA'
  /** Finality as its nodes see it: submissions succeed, and they show no further block as included. Other nodes of the chain may see it move. Its `component` is `DA`. */
  | 'FINALITY'
  /** A node. */
  | 'NODE';

/** Conditions that must all hold. A list that is given and empty matches nothing. */
export type LossFilter = {
  /** Chains that the nodes are of. */
  chains?: Array<string> | null | undefined;
  /** Only holes that reach this time or a later one. */
  from?: string | null | undefined;
  /** How rows came to be missed. */
  kinds?: Array<LossKind> | null | undefined;
  /** Ids of nodes. */
  nodes?: Array<string | number> | null | undefined;
  /** Only holes that begin before this time. */
  to?: string | null | undefined;
  /** Rows of which something changed since, and each change at least once. Those of the last minute before it come again, of a time more than 34 days ago those of the last hour. Withdrawn ones are among them. They come in the order of their changes, the oldest first, whatever `order` says; rows that change meanwhile move to the end. Of the other conditions what holds today counts. Not with `knownAt`. */
  updatedSince?: string | null | undefined;
};

/** How rows came to be missed. */
export type LossKind =
  /** Rows overlap, but none of them proves by how many. */
  | 'AMBIGUOUS'
  /** What came before we first looked. */
  | 'BEFORE_START'
  /** A full list shared nothing with what was known: rows fell out of it unseen. */
  | 'OVERFLOW'
  /** The list was emptied, by a restart or a change of leader; or it was empty, and that may have happened unseen. */
  | 'RESET';

/** What an entry of the price book is about. */
export type PriceSubject =
  /** What a TIA is worth. */
  | 'FIAT_RATE'
  /** utia for each unit of gas. */
  | 'GAS_PRICE'
  /** How much gas a submission takes. */
  | 'GAS_SCHEDULE';

/** What a search can find. */
export type SearchKind =
  /** A block of a chain: ask `blocks` with its chain and height. */
  | 'BLOCK'
  /** A chain: ask `chain(id:)`. */
  | 'CHAIN'
  /** An incident: ask `incident(id:)`. */
  | 'INCIDENT'
  /** A node: ask `node(id:)`. */
  | 'NODE'
  /** A submission: ask `submission(id:)`. */
  | 'SUBMISSION';

/** Conditions that must all hold. A list that is given and empty matches nothing. */
export type StatisticsFilter = {
  /** Ids of chains. */
  chains?: Array<string> | null | undefined;
  /** What batches hold. */
  kinds?: Array<SubmissionKind> | null | undefined;
  /** 58 hex digits; case and 0x don't matter. Or `other`, see `namespace` of the rows. */
  namespaces?: Array<string> | null | undefined;
  /** Counts what these nodes showed, without `RECONSTRUCTED` and `UNDECIDED`, instead of each submission of the chain once. */
  nodes?: Array<string | number> | null | undefined;
  /** How attempts ended. */
  statuses?: Array<SubmissionStatus> | null | undefined;
};

/** What rows are told apart by. */
export type StatisticsGroup =
  /** The chain. */
  | 'CHAIN'
  /** What a batch holds. */
  | 'KIND'
  /** The namespace that a batch was posted to. */
  | 'NAMESPACE'
  /** What each node showed. Several nodes of a chain may show the same attempts, so their sum can be more than the chain. No node shows `RECONSTRUCTED` or `UNDECIDED`. */
  | 'NODE'
  /** How an attempt ended. */
  | 'STATUS';

/** What the blocks of the chain say about an attempt. */
export type SubmissionEvidence =
  /** It succeeded, and the blocks agree. */
  | 'CONFIRMED'
  /** A failure, or a success that cannot be decided. */
  | 'OBSERVED'
  /** Blocks prove it, no list showed it. It has no node. */
  | 'RECONSTRUCTED'
  /** A success that no block shows yet. */
  | 'UNCONFIRMED'
  /** Blocks prove its blobs, and `possibleAttempts` failed attempts may have posted them, none for certain. It has no node. */
  | 'UNDECIDED'
  /** A success that the frontier has passed and no block points to: paid for nothing. */
  | 'UNREFERENCED';

/** Conditions that must all hold. A list that is given and empty matches nothing. */
export type SubmissionFilter = {
  /** Ids of chains. */
  chains?: Array<string> | null | undefined;
  /** Least DA height; inclusive. */
  daHeightFrom?: string | null | undefined;
  /** Largest DA height; inclusive. */
  daHeightTo?: string | null | undefined;
  /** Every kind of evidence unless some are named. */
  evidence?: Array<SubmissionEvidence> | null | undefined;
  /** Of `occurredAt`, or `observedAt` where that is null or wild; inclusive. */
  from?: string | null | undefined;
  /** What its batch holds. */
  kinds?: Array<SubmissionKind> | null | undefined;
  /** Part of the message, in any case. */
  message?: string | null | undefined;
  /** 58 hex digits; case and 0x don't matter. */
  namespaces?: Array<string> | null | undefined;
  /** Leaves out `RECONSTRUCTED` and `UNDECIDED`, which have no node. */
  nodes?: Array<string | number> | null | undefined;
  /** How it ended. */
  statuses?: Array<SubmissionStatus> | null | undefined;
  /** As `from`; exclusive. */
  to?: string | null | undefined;
  /** Rows of which something changed since, and each change at least once. Those of the last minute before it come again, of a time more than 34 days ago those of the last hour. Withdrawn ones are among them. They come in the order of their changes, the oldest first, whatever `order` says; rows that change meanwhile move to the end. Of the other conditions what holds today counts. Not with `knownAt`. */
  updatedSince?: string | null | undefined;
};

/** What a batch holds, by the namespace it was posted to. */
export type SubmissionKind =
  /** Transactions of blocks. */
  | 'DATA'
  /** Headers of blocks. */
  | 'HEADER'
  /** Headers and data share a namespace, so the row does not tell. */
  | 'MIXED'
  /** The node has not told its namespaces, or the row names another one or none. */
  | 'UNKNOWN';

/** How an attempt ended, as the node says. */
export type SubmissionStatus =
  /** The same transaction waited in the mempool already. */
  | 'ALREADY_IN_MEMPOOL'
  /** The node gave it up, as it does when it stops. */
  | 'CONTEXT_CANCELED'
  /** The DA node gave no answer in time. */
  | 'CONTEXT_DEADLINE'
  /** The DA layer refused: see `message` and `cause`. */
  | 'ERROR'
  /** The DA node was asked for a height that it had not reached. */
  | 'HEIGHT_FROM_FUTURE'
  /** The sequence number of the DA account was not the one that the DA layer expected. */
  | 'INCORRECT_ACCOUNT_SEQUENCE'
  /** The DA layer does not have what was asked for. */
  | 'NOT_FOUND'
  /** It was sent, and no block of the DA layer had it in time. */
  | 'NOT_INCLUDED_IN_BLOCK'
  /** The node said something that we don't know, or nothing: see `statusText`. */
  | 'OTHER'
  /** It was posted. */
  | 'SUCCESS'
  /** The batch, or a blob of it, is larger than the DA layer takes. */
  | 'TOO_BIG';

/** How blocks would have been batched: either by their number or by the clock. */
export type WhatIfPolicy = {
  /** A batch closes with its n-th block. 1 to 100,000. */
  everyBlocks?: number | null | undefined;
  /** A batch closes at each whole multiple of so many milliseconds since 1970. */
  everyMs?: number | null | undefined;
  /** Whether headers and data go out in one submission. */
  joined?: boolean | null | undefined;
  /** Most bytes of a submission: a batch with more is split. */
  maxBytes?: number | null | undefined;
  /** Milliseconds assumed from the close of a batch to its inclusion, the DA layer’s block time say. */
  submissionMs?: number | null | undefined;
};

export type AroundQueryVariables = Exact<{
  rows: SubmissionFilter;
  blocks: BlockFilter;
  losses: LossFilter;
  node: string | number;
  hasNode: boolean;
  from: string;
  to: string;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type AroundQuery = { now: string, submissions: { nodes: Array<{ id: string, time: string, nodeId: string | null, status: SubmissionStatus, kind: SubmissionKind, evidence: SubmissionEvidence, countsForChain: boolean }>, pageInfo: { hasNextPage: boolean } }, blocks: { nodes: Array<{ chainId: string, height: string, time: string, headerDaHeight: string | null, dataDaHeight: string | null }>, pageInfo: { hasNextPage: boolean } }, losses: { nodes: Array<{ from: string | null, to: string, explanation: string }> }, healthHistory?: Array<{ from: string, to: string | null, state: HealthState, reason: string }> };

export type BarsQueryVariables = Exact<{
  nodes: Array<string | number> | string | number;
  hours: string;
  days: string;
  to: string;
  timeZone: string;
  knownAt?: string | null | undefined;
}>;


export type BarsQuery = { now: string, nodeHours: Array<{ node: string, time: string, healthyMsFloat: number, warningMsFloat: number, criticalMsFloat: number }>, nodeDays: Array<{ node: string, time: string, healthyMsFloat: number, warningMsFloat: number, criticalMsFloat: number }>, daHours: Array<{ node: string, time: string, healthyMsFloat: number, warningMsFloat: number, criticalMsFloat: number }>, daDays: Array<{ node: string, time: string, healthyMsFloat: number, warningMsFloat: number, criticalMsFloat: number }> };

export type BarFragment = { node: string, time: string, healthyMsFloat: number, warningMsFloat: number, criticalMsFloat: number };

export type BlockQueryVariables = Exact<{
  chains: Array<string> | string;
  height: string;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type BlockQuery = { now: string, blocks: { nodes: Array<{ nodeId: string, lineage: string, height: string, time: string, chainId: string, hash: string | null, lastHeaderHash: string | null, dataHash: string, appHash: string | null, proposerAddress: string, txCount: number, dataBytes: string, headerBlobBytes: string | null, dataBlobBytes: string | null, headerDaHeight: string | null, dataDaHeight: string | null, includedAt: string | null, checks: { link: CheckResult, hash: CheckResult, signature: CheckResult, proposer: CheckResult, data: CheckResult } }>, pageInfo: { hasNextPage: boolean } } };

export type CarriersQueryVariables = Exact<{
  chains: Array<string> | string;
  header?: string | null | undefined;
  data?: string | null | undefined;
  hasHeader: boolean;
  hasData: boolean;
  waits: boolean;
  from: string;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type CarriersQuery = { now: string, header?: { nodes: Array<{ id: string, time: string, nodeId: string | null, status: SubmissionStatus, kind: SubmissionKind, evidence: SubmissionEvidence, daHeight: string | null, countsForChain: boolean, blocks: Array<string> }> }, data?: { nodes: Array<{ id: string, time: string, nodeId: string | null, status: SubmissionStatus, kind: SubmissionKind, evidence: SubmissionEvidence, daHeight: string | null, countsForChain: boolean, blocks: Array<string> }> }, since?: { nodes: Array<{ id: string, time: string, nodeId: string | null, status: SubmissionStatus, kind: SubmissionKind, evidence: SubmissionEvidence, daHeight: string | null, countsForChain: boolean, blocks: Array<string> }> } };

export type CarrierFragment = { id: string, time: string, nodeId: string | null, status: SubmissionStatus, kind: SubmissionKind, evidence: SubmissionEvidence, daHeight: string | null, countsForChain: boolean, blocks: Array<string> };

export type ChainsQueryVariables = Exact<{ [key: string]: never; }>;


export type ChainsQuery = { now: string, chains: Array<{ id: string, reportingTimeZone: string, budgets: Array<{ rule: string, amountFloat: number, unit: string, per: BudgetPeriod }> }> };

export type ChartCostsQueryVariables = Exact<{
  filter: StatisticsFilter;
  bucket: Bucket;
  from: string;
  to: string;
  timeZone: string;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type ChartCostsQuery = { now: string, costReport: Array<{ time: string, feeMinFloat: number | null, feeMaxFloat: number | null }> };

export type ChartFiguresQueryVariables = Exact<{
  filter: StatisticsFilter;
  bucket: Bucket;
  from: string;
  to: string;
  timeZone: string;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type ChartFiguresQuery = { now: string, statistics: Array<{ time: string, coverage: number, counted: boolean, attemptsFloat: number | null, failuresFloat: number | null, successRate: number | null, sizeBytesFloat: number | null, gasPriceMeanFloat: number | null, pendingAtEndFloat: number | null, blobBytes: { p50: number, p99: number, max: number } | null, inclusionLagMs: { p50: number, p90: number, p99: number } | null }> };

export type CostQueryVariables = Exact<{
  chain: string | number;
  filter: StatisticsFilter;
  bucket: Bucket;
  groups: Array<StatisticsGroup> | StatisticsGroup;
  whole: Bucket;
  from: string;
  to: string;
  otherFrom: string;
  otherTo: string;
  timeZone: string;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type CostQuery = { now: string, parts: Array<{ time: string, kind: SubmissionKind | null, namespace: string | null, feeMinFloat: number | null, feeMaxFloat: number | null, knownFeeMaxFloat: number | null, unknownShare: number }>, rows: Array<{ time: string, counted: boolean, feeMinFloat: number | null, feeMaxFloat: number | null, fiatMinFloat: number | null, fiatMaxFloat: number | null, fiatUnit: string | null, submissionsFloat: number | null, sizeBytesFloat: number | null, feePerMegabyteMinFloat: number | null, feePerMegabyteMaxFloat: number | null, feePerBlockMinFloat: number | null, feePerBlockMaxFloat: number | null, feePerTransactionMinFloat: number | null, feePerTransactionMaxFloat: number | null, failedAttemptsFloat: number | null, failedFeeMaxFloat: number | null, unreferencedFloat: number | null, wastedFeeMinFloat: number | null, wastedFeeMaxFloat: number | null, headerShare: number | null, dataShare: number | null, importedShare: number, recordedShare: number, pricedShare: number, unknownShare: number, coverage: number, decided: boolean }>, total: Array<{ feeMinFloat: number | null, feeMaxFloat: number | null, fiatMinFloat: number | null, fiatMaxFloat: number | null, fiatUnit: string | null, submissionsFloat: number | null, sizeBytesFloat: number | null, feePerMegabyteMinFloat: number | null, feePerMegabyteMaxFloat: number | null, feePerBlockMinFloat: number | null, feePerBlockMaxFloat: number | null, feePerTransactionMinFloat: number | null, feePerTransactionMaxFloat: number | null, failedAttemptsFloat: number | null, failedFeeMaxFloat: number | null, unreferencedFloat: number | null, wastedFeeMinFloat: number | null, wastedFeeMaxFloat: number | null, headerShare: number | null, dataShare: number | null, importedShare: number, recordedShare: number, pricedShare: number, unknownShare: number, coverage: number, decided: boolean, forecastLowFloat: number | null, forecastExpectedFloat: number | null, forecastHighFloat: number | null }>, other: Array<{ feeMinFloat: number | null, feeMaxFloat: number | null, fiatMinFloat: number | null, fiatMaxFloat: number | null, fiatUnit: string | null, submissionsFloat: number | null, sizeBytesFloat: number | null, feePerMegabyteMinFloat: number | null, feePerMegabyteMaxFloat: number | null, feePerBlockMinFloat: number | null, feePerBlockMaxFloat: number | null, feePerTransactionMinFloat: number | null, feePerTransactionMaxFloat: number | null, failedAttemptsFloat: number | null, failedFeeMaxFloat: number | null, unreferencedFloat: number | null, wastedFeeMinFloat: number | null, wastedFeeMaxFloat: number | null, headerShare: number | null, dataShare: number | null, importedShare: number, recordedShare: number, pricedShare: number, unknownShare: number, coverage: number, decided: boolean }>, priceBook: Array<{ subject: PriceSubject, effectiveFrom: string | null, gasPrice: string | null, fiatUnit: string | null, fiatPerTia: string | null, gasPerShareByte: string | null, gasPerBlob: string | null, fixedGas: string | null, source: string, by: string | null, recordedAt: string, replacedAt: string | null }> };

export type BillFragment = { feeMinFloat: number | null, feeMaxFloat: number | null, fiatMinFloat: number | null, fiatMaxFloat: number | null, fiatUnit: string | null, submissionsFloat: number | null, sizeBytesFloat: number | null, feePerMegabyteMinFloat: number | null, feePerMegabyteMaxFloat: number | null, feePerBlockMinFloat: number | null, feePerBlockMaxFloat: number | null, feePerTransactionMinFloat: number | null, feePerTransactionMaxFloat: number | null, failedAttemptsFloat: number | null, failedFeeMaxFloat: number | null, unreferencedFloat: number | null, wastedFeeMinFloat: number | null, wastedFeeMaxFloat: number | null, headerShare: number | null, dataShare: number | null, importedShare: number, recordedShare: number, pricedShare: number, unknownShare: number, coverage: number, decided: boolean };

export type ForecastFragment = { forecastLowFloat: number | null, forecastExpectedFloat: number | null, forecastHighFloat: number | null };

export type FeedQueryVariables = Exact<{
  rows: SubmissionFilter;
  losses: LossFilter;
  blocks: BlockFilter;
  after?: string | null | undefined;
  lossesAfter?: string | null | undefined;
  blocksAfter?: string | null | undefined;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type FeedQuery = { now: string, submissions: { nodes: Array<{ id: string, time: string, nodeId: string | null, status: SubmissionStatus, kind: SubmissionKind, evidence: SubmissionEvidence, namespace: string | null, daHeight: string | null, blobCount: number | null, sizeBytesFloat: number | null, message: string | null, cause: { title: string, remedy: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } }, losses: { nodes: Array<{ id: string, nodeId: string, kind: LossKind, from: string | null, to: string, open: boolean, minLost: string, maxLost: string | null, likelyLost: string | null, explanation: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } }, blocks: { nodes: Array<{ id: string, nodeId: string, chainId: string, height: string, time: string, txCount: number, dataBytesFloat: number, headerDaHeight: string | null, dataDaHeight: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type FiguresQueryVariables = Exact<{
  day: string;
  month: string;
  to: string;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type FiguresQuery = { now: string, statistics: Array<{ node: string | null, successRate: number | null, gasPriceLastFloat: number | null, coverage: number }>, today: Array<{ chain: string | null, feeMinFloat: number | null, feeMaxFloat: number | null, fiatMinFloat: number | null, fiatMaxFloat: number | null, fiatUnit: string | null }>, month: Array<{ chain: string | null, feeMinFloat: number | null, feeMaxFloat: number | null, fiatMinFloat: number | null, fiatMaxFloat: number | null, fiatUnit: string | null }> };

export type MoneyFragment = { chain: string | null, feeMinFloat: number | null, feeMaxFloat: number | null, fiatMinFloat: number | null, fiatMaxFloat: number | null, fiatUnit: string | null };

export type FleetQueryVariables = Exact<{
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type FleetQuery = { now: string, nodes: Array<{ id: string, retired: boolean, chain: string | null, aggregator: boolean | null, headFloat: number | null, inclusionFrontierFloat: number | null, pendingFloat: number | null, lastSuccessAt: string | null, lastSeenAt: string | null, claim: string | null, claimDiffers: boolean | null, da: { state: HealthState, reason: string, rule: string, from: string } | null, node: { state: HealthState, reason: string } | null }> };

export type ImpactQueryVariables = Exact<{
  id: string | number;
  nodes: Array<string | number> | string | number;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
  knownThen?: string | null | undefined;
}>;


export type ImpactQuery = { now: string, incident: { impact: { attemptsFloat: number | null, successesFloat: number | null, failuresFloat: number | null, longestWithoutSuccessMsFloat: number | null, coverage: number, holesFloat: number, lostMin: string, lostMax: string | null, feeMinFloat: number | null, feeMaxFloat: number | null, failedAttemptsFloat: number | null, failedFeeMaxFloat: number | null, causes: Array<{ countFloat: number, cause: { title: string } }>, blocks: { producedFloat: number, includedFloat: number } | null, waits: { waitedFloat: number, unknownFloat: number, mostWaitingFloat: number | null, delayedFloat: number | null, transactionsDelayedFloat: number | null, p95Ms: number | null, maxMs: number | null, stillWaitingFloat: number, transactionsStillWaitingFloat: number } | null } } | null, waiting: { nodes: Array<{ chainId: string, height: string }> } };

export type IncidentRowFragment = { id: string, nodeId: string, chain: string | null, component: HealthComponent, subject: IncidentSubject, severity: HealthState, from: string, to: string | null, open: boolean, lastSignAt: string | null, rule: string, reason: string, signs: number, troubleMs: number | null, acknowledgedBy: string | null, acknowledgedAt: string | null, nodes: Array<{ nodeId: string }> };

export type IncidentStatesQueryVariables = Exact<{
  node: string | number;
  component: HealthComponent;
  from: string;
  to: string;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type IncidentStatesQuery = { now: string, healthHistory: Array<{ id: string, from: string, to: string | null, state: HealthState, rule: string, reason: string }> };

export type IncidentTimeQueryVariables = Exact<{
  nodes?: Array<string | number> | string | number | null | undefined;
  failures: Array<SubmissionStatus> | SubmissionStatus;
  from: string;
  to: string;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type IncidentTimeQuery = { now: string, losses: { nodes: Array<{ id: string, nodeId: string, from: string | null, to: string, open: boolean, explanation: string }> }, submissions: { nodes: Array<{ id: string, nodeId: string | null, time: string, message: string | null, cause: { title: string, remedy: string } | null }>, pageInfo: { hasNextPage: boolean } } };

export type IncidentQueryVariables = Exact<{
  id: string | number;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type IncidentQuery = { now: string, incident: { means: string | null, remedy: string | null, claim: string | null, claimDifferedMs: number | null, endReason: string | null, position: string, acknowledgementCount: number, id: string, nodeId: string, chain: string | null, component: HealthComponent, subject: IncidentSubject, severity: HealthState, from: string, to: string | null, open: boolean, lastSignAt: string | null, rule: string, reason: string, signs: number, troubleMs: number | null, acknowledgedBy: string | null, acknowledgedAt: string | null, nodes: Array<{ from: string, to: string | null, severity: HealthState, reason: string, nodeId: string }>, acknowledgements: Array<{ by: string, at: string, note: string }> } | null };

export type IncidentsQueryVariables = Exact<{
  filter?: IncidentFilter | null | undefined;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type IncidentsQuery = { now: string, incidents: { nodes: Array<{ id: string, nodeId: string, chain: string | null, component: HealthComponent, subject: IncidentSubject, severity: HealthState, from: string, to: string | null, open: boolean, lastSignAt: string | null, rule: string, reason: string, signs: number, troubleMs: number | null, acknowledgedBy: string | null, acknowledgedAt: string | null, nodes: Array<{ nodeId: string }> }>, pageInfo: { hasNextPage: boolean } } };

export type NodeFragment = { id: string, retired: boolean, chain: string | null, aggregator: boolean | null, headFloat: number | null, inclusionFrontierFloat: number | null, pendingFloat: number | null, lastSuccessAt: string | null, lastSeenAt: string | null, claim: string | null, claimDiffers: boolean | null, da: { state: HealthState, reason: string, rule: string, from: string } | null, node: { state: HealthState, reason: string } | null };

export type NotCoveredQueryVariables = Exact<{
  chain?: string | null | undefined;
  node?: string | number | null | undefined;
  from: string;
  to: string;
  knownAt?: string | null | undefined;
}>;


export type NotCoveredQuery = { now: string, coverageGaps: Array<{ from: string, to: string, node: string | null, open: boolean, reason: string }> };

export type PostMortemQueryVariables = Exact<{
  id: string | number;
}>;


export type PostMortemQuery = { now: string, postMortem: string | null };

export type SearchQueryVariables = Exact<{
  text: string;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type SearchQuery = { search: Array<{ kind: SearchKind, id: string, title: string, url: string }> };

export type ServiceQueryVariables = Exact<{ [key: string]: never; }>;


export type ServiceQuery = { now: string, chains: Array<{ id: string, reportingTimeZone: string }>, service: { ready: boolean, reason: string | null, degraded: Array<string>, behindSeconds: number | null, statisticsBehindSeconds: number | null, logBytesFloat: number | null, readModelBytesFloat: number | null, freeBytesFloat: number | null, daysLeft: number | null } };

export type SubjectQueryVariables = Exact<{
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type SubjectQuery = { now: string, nodes: Array<{ id: string, retired: boolean, chain: string | null, aggregator: boolean | null, headFloat: number | null, inclusionFrontierFloat: number | null, pendingFloat: number | null, lastSuccessAt: string | null, lastSeenAt: string | null, claim: string | null, claimDiffers: boolean | null, da: { state: HealthState, reason: string, rule: string, from: string } | null, node: { state: HealthState, reason: string } | null }> };

export type SubmissionQueryVariables = Exact<{
  id: string | number;
  asOf?: string | null | undefined;
  knownAt?: string | null | undefined;
}>;


export type SubmissionQuery = { now: string, submission: { id: string, chain: string | null, nodeId: string | null, sequence: string | null, ring: number | null, status: SubmissionStatus, statusText: string | null, message: string | null, namespace: string | null, kind: SubmissionKind, evidence: SubmissionEvidence, possibleAttempts: number | null, countsForChain: boolean, withdrawn: boolean, daHeight: string | null, blobCount: number | null, blobIds: Array<string>, sizeBytes: string | null, gasPrice: string | null, time: string, occurredAt: string | null, occurredAtText: string | null, observedAt: string, updatedAt: string | null, blocks: Array<string>, rawText: string | null, cause: { code: FailureCode, title: string, remedy: string } | null, cost: { gasMin: string | null, gasMax: string | null, feeMin: string | null, feeMax: string | null, feeMinFloat: number | null, feeMaxFloat: number | null, feeBasis: FeeBasis | null, fiatMinFloat: number | null, fiatMaxFloat: number | null, fiatUnit: string | null } | null, healthThen: { state: HealthState, rule: string, reason: string } | null, claimThen: { status: string | null, observedAt: string } | null, attemptsBefore: Array<{ id: string, time: string, status: SubmissionStatus, evidence: SubmissionEvidence, daHeight: string | null, message: string | null, cause: { title: string } | null }>, attemptsAfter: Array<{ id: string, time: string, status: SubmissionStatus, evidence: SubmissionEvidence, daHeight: string | null, message: string | null, cause: { title: string } | null }>, previous: { id: string } | null, next: { id: string } | null } | null };

export type AttemptFragment = { id: string, time: string, status: SubmissionStatus, evidence: SubmissionEvidence, daHeight: string | null, message: string | null, cause: { title: string } | null };

export type WhatIfQueryVariables = Exact<{
  chain: string | number;
  from: string;
  to: string;
  policies: Array<WhatIfPolicy> | WhatIfPolicy;
  gasPrice?: string | null | undefined;
}>;


export type WhatIfQuery = { now: string, whatIf: { blocksFloat: number, blocksMissingFloat: number, notes: Array<string>, baseline: { submissionsFloat: number, feeMinFloat: number | null, feeMaxFloat: number | null, inclusionLagMs: { p50: number, p99: number } | null }, policies: Array<{ everyBlocks: number | null, joined: boolean, submissionsFloat: number, feeFloat: number | null, unpricedFloat: number, inclusionLagMs: { p50: number, p99: number } | null }> } };
