import { readDaToken } from '../../domain/da-token.js';
import { ConsensusApi, type ConsensusAccess } from '../../node-api/consensus-api.js';
import { DaNodeApi } from '../../node-api/da-node-api.js';
import { ExecutionApi } from '../../node-api/execution-api.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import type { HttpClient } from '../../platform/http.js';
import type { ObservedNode } from '../subject-observer.js';
import type { RecorderParts } from '../subject-recorder.js';
import { ConsensusWatch } from './consensus-watch.js';
import { DaNodeObserver, type DaNodeAnswers, type DaNodeParts } from './da-node.observer.js';
import { ExecutionObserver } from './execution.observer.js';
import { readSecretFile } from './secret-file.js';
import { SharedAnswers } from './shared-answers.js';

type SystemParts = RecorderParts & { readonly node: ObservedNode; readonly clock: Clock };

/** Makes the observers of the systems behind all nodes. An address that several nodes name is asked once. */
export class SystemObservers {
  private readonly shared: SharedAnswers;
  /** By address and login. */
  private readonly consensus = new Map<string, ConsensusWatch>();

  constructor(
    private readonly http: HttpClient,
    private readonly clock: Clock,
  ) {
    this.shared = new SharedAnswers(clock);
  }

  /** Undefined if the settings of the node name no execution layer. */
  execution(parts: SystemParts & { readonly api: NodeApi }): ExecutionObserver | undefined {
    const { execution } = parts.node;
    if (execution === undefined) return undefined;
    return new ExecutionObserver({
      ...parts,
      execution: new ExecutionApi(this.http, parts.clock, execution),
    });
  }

  /** Undefined if the settings of the node name no DA node. */
  daNode(parts: SystemParts & { readonly logger: Logger }): DaNodeObserver | undefined {
    const { daNode } = parts.node;
    if (daNode === undefined) return undefined;
    const { url, headers, tokenFile, accounts, consensus } = daNode;
    const token = async (): Promise<string | null> =>
      tokenFile === undefined ? (daNode.token ?? null) : readSecretFile(tokenFile);
    const api = new DaNodeApi(this.http, parts.clock, { url, headers, token });
    const name = JSON.stringify([url, headers, daNode.token, tokenFile]);
    const ask: DaNodeParts['ask'] = (signal, freshMs) =>
      this.shared.take(name, parts.node.id, freshMs, () => askDaNode(api, token, signal));
    return new DaNodeObserver({
      ...parts,
      ask,
      daNode: api,
      accounts,
      consensus: consensus && this.consensusAt(consensus),
    });
  }

  private consensusAt(access: ConsensusAccess): ConsensusWatch {
    const name = JSON.stringify([access.url, access.headers]);
    const watch =
      this.consensus.get(name) ?? new ConsensusWatch(new ConsensusApi(this.http, access), this.clock);
    this.consensus.set(name, watch);
    return watch;
  }
}

/** One poll of a DA node. A head that does not come says enough: nothing else is asked then. */
async function askDaNode(
  api: DaNodeApi,
  token: () => Promise<string | null>,
  signal: AbortSignal,
): Promise<DaNodeAnswers> {
  let secret: string | null;
  try {
    secret = await token();
  } catch (error) {
    const detail = (error as Error).message;
    return { head: { ok: false, outcome: 'REFUSED', statusCode: null, detail }, token: null };
  }
  const described = secret === null ? null : readDaToken(secret);
  const head = await api.head(signal);
  if (!head.ok) return { head, token: described };
  const [syncTo, sampling] = await Promise.all([api.syncTo(signal), api.sampling(signal)]);
  return { head, syncTo, sampling, token: described };
}
