import { Controller, Get, HttpCode, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { ConnectError } from '@connectrpc/connect';
import { answerCall, type CallParameters, type CallResult } from '../../node-service/call.js';
import type { Call } from '../../node-service/messages.js';
import type { HttpReply, HttpRequest } from '../graphql/http-messages.js';
import { ReadersGuard } from '../http/readers.guard.js';
import { ErrorMapper } from '../http/error-mapper.js';
import { TakesBody } from '../http/takes-body.js';
import { readQuestion, type NodeQuestion, type GivenQuery } from './node-question.js';
import { BlockAnswers } from './block-answers.js';
import { DescribedAnswer } from './described-answer.js';
import { refuseFor, type CallReply } from './call-answer.js';
import { findCall, NOT_POST } from './node-calls.js';
import { NO_PROVENANCE, pageNotFound, sendAnswer, type ServedAnswer } from './node-answer.js';
import { NodeInterface } from './node-interface.js';
import { StoreAnswers } from './store-answers.js';

const PARTS = { service: 'such as `evnode.v1.StoreService`', method: 'for example GetBlock' };

type CallPath = Readonly<Record<'id' | 'service' | 'method', string>>;

/** Serves a node's services from the record: by Connect, gRPC and gRPC-Web. */
@Controller('nodes/:id')
@UseGuards(ReadersGuard)
export class NodeStoreController {
  constructor(
    private readonly nodes: NodeInterface,
    private readonly blocks: BlockAnswers,
    private readonly store: StoreAnswers,
    private readonly teller: ErrorMapper,
  ) {}

  @Post(':service/:method')
  @HttpCode(200)
  @TakesBody()
  @ApiBody({ schema: { type: 'object' } })
  @DescribedAnswer({
    summary: "A call of a node's block service",
    answer: "The answer of the call: a block, or the node's last report.",
    parts: PARTS,
    refusals: {
      400: 'The body is not a message of this call, or names no block: `invalid_argument`.',
      404: 'There is no such method or key, or no such node.',
      413: 'The body is too large.',
      415: 'The body has a type that none of the protocols uses.',
      500: 'The node has no such block: `internal`.',
    },
  })
  callNode(
    @Param() { id, service, method }: CallPath,
    @Query() query: GivenQuery,
    @Req() request: HttpRequest,
    @Res() reply: HttpReply,
  ): Promise<void> {
    const question = readQuestion(id, query);
    const call = findCall(service, method);
    return this.nodes.serve(id, reply, () =>
      call === undefined ? Promise.resolve(pageNotFound()) : this.call(question, call, request),
    );
  }

  @Get(':service/:method')
  @DescribedAnswer({
    summary: 'Not a call: calls need a POST',
    answer: 'Never sent.',
    parts: PARTS,
    type: 'text/plain',
    refusals: { 404: 'There is no such method.', 405: 'Only a POST is a call.' },
  })
  refuseNodeCall(@Param() { service, method }: CallPath, @Res() reply: HttpReply): void {
    sendAnswer(reply, findCall(service, method) === undefined ? pageNotFound() : NOT_POST);
  }

  private async call(
    question: NodeQuestion,
    call: Call,
    { method, headers, body }: HttpRequest,
  ): Promise<ServedAnswer> {
    const shape = question.shape === 'SPEC' ? 'specification' : 'connect';
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const request = { method, headers, body: bytes, shape } as const;
    const answer = await answerCall(call, request, (parameters) => this.tell(question, call, parameters));
    const { 'content-type': type = 'text/plain', ...others } = answer.headers;
    return { ...NO_PROVENANCE, ...answer, type, headers: others };
  }

  /** @throws ConnectError */
  private async tell(question: NodeQuestion, call: Call, parameters: CallParameters): Promise<CallResult> {
    const reply = await this.find(question, call, parameters).catch((error: unknown) =>
      refuseFor(this.teller.tell(error)),
    );
    if (reply instanceof ConnectError) throw reply;
    return reply;
  }

  private async find(question: NodeQuestion, call: Call, { block, key }: CallParameters): Promise<CallReply> {
    switch (call) {
      case 'StoreService/GetBlock':
        return this.blocks.getBlock(question, block);
      case 'StoreService/GetState':
        return this.store.getState(question);
      case 'StoreService/GetMetadata':
        return this.store.getMetadata(question, key);
      case 'StoreService/GetP2PStoreInfo':
        return this.store.getP2pStoreInfo(question);
      case 'ConfigService/GetNamespace':
      case 'StoreService/GetNamespace':
        return this.store.getNamespace(question);
      case 'StoreService/GetGenesisDaHeight':
      case 'ConfigService/GetSignerInfo':
      case 'P2PService/GetPeerInfo':
      case 'P2PService/GetNetInfo':
        return this.store.getClaimed(question, call);
      default:
        return call satisfies never;
    }
  }
}
