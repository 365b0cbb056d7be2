import { readDaToken } from '../../domain/da-token.js';
import { ConsensusApi } from '../../node-api/consensus-api.js';
import { DaNodeApi } from '../../node-api/da-node-api.js';
import { ExecutionApi } from '../../node-api/execution-api.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { Clock } from '../../platform/clock.js';
import type { HttpClient } from '../../platform/http.js';
import type { ObservedNode } from '../subject-observer.js';
import type { RecorderParts } from '../subject-recorder.js';
import { DaNodeObserver, type DaNodeAnswers, type DaNodeParts } from './da-node.observer.js';
import { ExecutionObserver } from './execution.observer.js';
import { readSecretFile } from './secret-file.js';
import { SharedAnswers } from './shared-answers.js';

type SystemParts = RecorderParts & { readonly node: ObservedNode; readonly clock: Clock };

/** Makes the observers of the systems behind all nodes. An address that several nodes name is asked once. */
export class SystemObservers {
  private readonly shared: SharedAnswers;

  constructor(
    private readonly http: HttpClient,
    clock: Clock,
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
  daNode(parts: SystemParts): DaNodeObserver | undefined {
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
      consensus: consensus && new ConsensusApi(this.http, consensus),
    });
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
