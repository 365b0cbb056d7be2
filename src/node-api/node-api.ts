import type { ServiceClaim } from '../domain/claims.js';
import type { DecodedBlock } from '../domain/blocks/block.js';
import type { NodeShape } from '../domain/events.js';
import type { Namespaces } from '../domain/submissions/submission-codes.js';
import { isServiceError, probeForm } from '../domain/node-interface/answer-form.js';
import type { Clock } from '../platform/clock.js';
import type { HttpLimits, TlsFiles } from '../platform/http-messages.js';
import type { HttpClient } from '../platform/http.js';
import { firstLine, type NodeAnswer } from './answer.js';
import { BlocksClient, type BlockSelector } from './blocks.client.js';
import { ConnectService, normalisePrefix } from './connect-service.js';
import { DaDocumentsClient, type DaBlob, type DaDocument } from './da-documents.client.js';
import { SMALL } from './limits.js';
import { NodeServer } from './node-server.js';
import { NodeWitness } from './node-witness.js';
import { ProbesClient, type ProbeResult, type StatusProbe } from './probes.client.js';
import { StoreClient, type StoreState, type P2pStores, type StoreQuestion } from './store.client.js';
import { SubmissionsClient, type SubmissionsAnswer } from './submissions.client.js';

export interface NodeAccess {
  /** Base address of the node's RPC server. */
  readonly url: string;
  /** Base address of the status query; without it, the status is not requested. */
  readonly statusUrl?: string;
  /** Prefix of the block service, such as `evnode.v1`; found automatically if left out. */
  readonly service?: string;
  /** Sent with every request to the RPC server. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with the status query. */
  readonly statusHeaders?: Readonly<Record<string, string>>;
  /** Certificates for the RPC server. */
  readonly tls?: TlsFiles;
  /** Whether nothing is between us and the node; if left out, inferred from its answers as far as possible. */
  readonly direct?: boolean;
}

/**
 * All requests to one node, one method per endpoint. Answers are values: a node that is down, slow, old or hostile never makes
 * a method throw. There is one instance per node, shared by all callers, because it remembers what need not be requested again.
 */
export class NodeApi {
  private readonly service: ConnectService;
  private readonly list: SubmissionsClient;
  private readonly documents: DaDocumentsClient;
  private readonly blocks: BlocksClient;
  private readonly store: StoreClient;
  private readonly probes: ProbesClient;

  constructor(http: HttpClient, clock: Clock, access: NodeAccess) {
    const server = new NodeServer(http, clock, access.url, access);
    const status =
      access.statusUrl === undefined
        ? undefined
        : new NodeServer(http, clock, access.statusUrl.replace(/\/status\/*$/, ''), {
            headers: access.statusHeaders,
            tls: isSameServer(access.url, access.statusUrl) ? access.tls : undefined,
          });
    const configured = access.service === undefined ? undefined : normalisePrefix(access.service);
    const witness = new NodeWitness(clock, (signal) => this.showsItself(server, signal));
    this.service = new ConnectService(server, clock, configured, witness);
    this.list = new SubmissionsClient(server, this.service, witness);
    this.documents = new DaDocumentsClient(server, this.service, witness);
    this.blocks = new BlocksClient(this.service, witness);
    this.store = new StoreClient(this.service);
    this.probes = new ProbesClient(server, status, witness);
  }

  /** Whether the address now gives an answer that only a node gives: to the liveness probe, or to a request for a block. */
  private async showsItself(server: NodeServer, signal?: AbortSignal): Promise<boolean> {
    const live = await server.get('/health/live', SMALL, signal);
    if (live.kind === 'failure') return false;
    if (probeForm({ status: live.status, text: firstLine(live.body) }) === 'OWN') return true;
    const block = await this.block('latest', signal);
    if (block.ok || isServiceError(block.evidence ?? '')) return true;
    return block.status !== null && (await this.block({ height: 1n }, signal)).ok;
  }

  /** The prefix under which the block service answered (`evnode.v1`); null before that. */
  get servicePrefix(): string | null {
    return this.service.prefix;
  }

  /** Allows missing methods to be requested again: another process may answer now. */
  forgetMissing(): void {
    this.service.forgetMissing();
  }

  /** The shape of the last block; null before the first block. */
  get shape(): NodeShape | null {
    return this.blocks.shape;
  }

  /** `/da/submissions`, rows in the order sent. */
  submissions(signal?: AbortSignal): Promise<SubmissionsAnswer> {
    return this.list.submissions(signal);
  }

  /** `/da/blob`. */
  blob(id: string, namespace?: string, signal?: AbortSignal): Promise<NodeAnswer<DaBlob>> {
    return this.documents.blob(id, namespace, signal);
  }

  /** `/da/stats`, as the node sent it. */
  stats(signal?: AbortSignal): Promise<NodeAnswer<DaDocument>> {
    return this.documents.stats(signal);
  }

  /** `/da/health`, as the node sent it. */
  health(signal?: AbortSignal): Promise<NodeAnswer<DaDocument>> {
    return this.documents.health(signal);
  }

  /** `GetBlock`; `missing` if the node lacks the block. */
  block(
    selector: BlockSelector,
    signal?: AbortSignal,
    limits?: HttpLimits,
  ): Promise<NodeAnswer<DecodedBlock>> {
    return this.blocks.block(selector, signal, limits);
  }

  /** `GetState`. */
  state(signal?: AbortSignal): Promise<NodeAnswer<StoreState>> {
    return this.store.state(signal);
  }

  /** `GetMetadata`: a counter of the node's book-keeping, such as `d` (height up to which all is included). */
  metadata(key: string, signal?: AbortSignal): Promise<NodeAnswer<bigint>> {
    return this.store.metadata(key, signal);
  }

  /** `GetP2PStoreInfo`: head and oldest block of the header and data stores. */
  p2pStoreInfo(signal?: AbortSignal): Promise<NodeAnswer<P2pStores>> {
    return this.store.p2pStoreInfo(signal);
  }

  /** `GetNamespace`: the DA namespaces. */
  namespace(signal?: AbortSignal): Promise<NodeAnswer<Namespaces>> {
    return this.store.namespace(signal);
  }

  /** The answer to any small call of the node's services, as the node sent it. */
  document(question: StoreQuestion): Promise<NodeAnswer<DaDocument>> {
    return this.store.document(question);
  }

  /** The answer of one of the node's services, as the node sent it; "not found" counts as an answer. */
  serviceClaim(claim: ServiceClaim, signal?: AbortSignal): Promise<NodeAnswer<DaDocument>> {
    return this.store.claim(claim, signal);
  }

  /** `/health/live`. */
  live(signal?: AbortSignal): Promise<ProbeResult> {
    return this.probes.live(signal);
  }

  /** `/health/ready`. */
  ready(signal?: AbortSignal): Promise<ProbeResult> {
    return this.probes.ready(signal);
  }

  /** `/status` on its own port; undefined where the settings name none. */
  status(signal?: AbortSignal): Promise<StatusProbe | undefined> {
    return this.probes.status(signal);
  }
}

function isSameServer(url: string, other: string): boolean {
  return new URL(url).origin === new URL(other).origin;
}
