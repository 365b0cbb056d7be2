import { AvailabilityIntervalEntity } from './health/availability-interval.entity.js';
import { ClaimEntity } from './health/claim.entity.js';
import { CoverageFoldEntity } from './health/coverage-fold.entity.js';
import { CoverageIntervalEntity } from './health/coverage-interval.entity.js';
import { HealthFoldEntity } from './health/health-fold.entity.js';
import { HealthIntervalEntity } from './health/health-interval.entity.js';
import { IncidentJoinEntity } from './health/incident-join.entity.js';
import { LastTroubleEntity } from './health/last-trouble.entity.js';
import { HealthThresholdEntity } from './health/health-threshold.entity.js';
import { ProbeMinuteEntity } from './health/probe-minute.entity.js';
import { ProbeStateEntity } from './health/probe-state.entity.js';
import { ApiKeyEntity } from './keys/api-key.entity.js';
import { EventEntity } from './log/event.entity.js';
import { LogHeadEntity } from './log/log-head.entity.js';
import { ObserverLeaseEntity } from './log/observer-lease.entity.js';
import { StreamHeadEntity } from './log/stream-head.entity.js';
import { ChainSettingEntity } from './prices/chain-setting.entity.js';
import { ImportedFeePastEntity } from './prices/imported-fee-past.entity.js';
import { ImportedFeeEntity } from './prices/imported-fee.entity.js';
import { PriceEntity } from './prices/price.entity.js';
import { ProjectionCheckpointEntity } from './projections/projection-checkpoint.entity.js';
import { ProjectionFaultEntity } from './projections/projection-fault.entity.js';
import { RebuildFailureEntity } from './projections/rebuild-failure.entity.js';
import { BlockSpanEntity } from './record/block-span.entity.js';
import { BlockEntity } from './record/block.entity.js';
import { BracketEntity } from './record/bracket.entity.js';
import { DecisionTurnEntity } from './record/decision-turn.entity.js';
import { FrontierEntity } from './record/frontier.entity.js';
import { InclusionWalkEntity } from './record/inclusion-walk.entity.js';
import { LineageEntity } from './record/lineage.entity.js';
import { LossEntity } from './record/loss.entity.js';
import { NamespaceEntity } from './record/namespace.entity.js';
import { NodeChainEntity } from './record/node-chain.entity.js';
import { NodeListEntity } from './record/node-list.entity.js';
import { NodeNamespaceEntity } from './record/node-namespace.entity.js';
import { NodeEntity } from './record/node.entity.js';
import { ProposerEntity } from './record/proposer.entity.js';
import { RecordChangeEntity } from './record/record-change.entity.js';
import { SubmissionEvidencePastEntity } from './record/submission-evidence-past.entity.js';
import { SubmissionRunEntity } from './record/submission-run.entity.js';
import { SubmissionSpanEntity } from './record/submission-span.entity.js';
import { SubmissionEntity } from './record/submission.entity.js';
import { BlockStatisticEntity } from './statistics/block-statistic.entity.js';
import { RollUpFaultEntity } from './statistics/roll-up-fault.entity.js';
import { RollUpMarkEntity } from './statistics/roll-up-mark.entity.js';
import { StatisticStateEntity } from './statistics/statistic-state.entity.js';
import { StatisticEntity } from './statistics/statistic.entity.js';

/** All tables except those in which migrations record themselves. */
export const ALL_TABLES = [
  AvailabilityIntervalEntity,
  ClaimEntity,
  CoverageFoldEntity,
  CoverageIntervalEntity,
  HealthFoldEntity,
  HealthIntervalEntity,
  IncidentJoinEntity,
  LastTroubleEntity,
  HealthThresholdEntity,
  ProbeMinuteEntity,
  ProbeStateEntity,
  ApiKeyEntity,
  EventEntity,
  LogHeadEntity,
  ObserverLeaseEntity,
  StreamHeadEntity,
  ChainSettingEntity,
  ImportedFeePastEntity,
  ImportedFeeEntity,
  PriceEntity,
  ProjectionCheckpointEntity,
  ProjectionFaultEntity,
  RebuildFailureEntity,
  BlockSpanEntity,
  BlockEntity,
  BracketEntity,
  DecisionTurnEntity,
  FrontierEntity,
  InclusionWalkEntity,
  LineageEntity,
  LossEntity,
  NamespaceEntity,
  NodeChainEntity,
  NodeListEntity,
  NodeNamespaceEntity,
  NodeEntity,
  ProposerEntity,
  RecordChangeEntity,
  SubmissionEvidencePastEntity,
  SubmissionRunEntity,
  SubmissionSpanEntity,
  SubmissionEntity,
  BlockStatisticEntity,
  RollUpFaultEntity,
  RollUpMarkEntity,
  StatisticStateEntity,
  StatisticEntity,
];
