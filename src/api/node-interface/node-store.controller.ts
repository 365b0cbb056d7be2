import { Controller, Get, HttpCode, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { parseConnectBody } from '../../domain/node-interface/connect-request.js';
import type { HttpReply, HttpRequest } from '../graphql/http-messages.js';
import { ReadersGuard } from '../http/readers.guard.js';
import { TakesText } from '../http/takes-text.js';
import { readAsked, type Asked, type GivenQuery } from './asked.js';
import { BlockAnswers } from './block-answers.js';
import { DescribedAnswer } from './described-answer.js';
import { findCall, NOT_JSON, NOT_POST, type Call } from './node-calls.js';
import { pageNotFound, refusal, sendAnswer, unavailable, type NodeAnswer } from './node-answer.js';
import { NodeInterface } from './node-interface.js';
import { StoreAnswers } from './store-answers.js';

const PARTS = { service: 'such as `evnode.v1.StoreService`', method: 'GetBlock, for one' };

type CallPath = Readonly<Record<'id' | 'service' | 'method', string>>;

/** A node's block service, from the record: the Connect protocol, with JSON only. */
@Controller('nodes/:id')
@UseGuards(ReadersGuard)
export class NodeStoreController {
  constructor(
    private readonly nodes: NodeInterface,
    private readonly blocks: BlockAnswers,
    private readonly store: StoreAnswers,
  ) {}

  @Post(':service/:method')
  @HttpCode(200)
  @TakesText()
  @ApiBody({ schema: { type: 'object' } })
  @DescribedAnswer({
    summary: "A call of a node's block service",
    answer: 'What GetBlock, GetState, GetMetadata, GetP2PStoreInfo or GetNamespace answers.',
    parts: PARTS,
    refusals: {
      400: 'The body is no JSON object, or names no block: `invalid_argument`.',
      404: 'There is no such method or key, or no such node.',
      413: 'The body is too large.',
      415: 'The body is of another type than JSON.',
      500: 'The node has no such block: `internal`.',
    },
  })
  callNode(
    @Param() { id, service, method }: CallPath,
    @Query() query: GivenQuery,
    @Req() { headers, body }: HttpRequest,
    @Res() reply: HttpReply,
  ): Promise<void> {
    const asked = readAsked(id, query);
    const name = findCall(service, method);
    const isJson = /^application\/json\b/.test(String(headers['content-type'] ?? ''));
    return this.nodes.serve(id, reply, async () => {
      if (name === undefined) return pageNotFound();
      return isJson ? this.call(asked, name, typeof body === 'string' ? body : '') : NOT_JSON;
    });
  }

  @Get(':service/:method')
  @DescribedAnswer({
    summary: 'Not a call: a POST is one',
    answer: 'Nothing ever.',
    parts: PARTS,
    type: 'text/plain',
    refusals: { 404: 'There is no such method.', 405: 'Only a POST is a call.' },
  })
  refuseNodeCall(@Param() { service, method }: CallPath, @Res() reply: HttpReply): void {
    sendAnswer(reply, findCall(service, method) === undefined ? pageNotFound() : NOT_POST);
  }

  private async call(asked: Asked, name: Call, body: string): Promise<NodeAnswer> {
    switch (name) {
      case 'StoreService/GetBlock':
        return this.blocks.getBlock(asked, body);
      case 'StoreService/GetState':
        return refuseBody(body) ?? this.store.getState(asked);
      case 'StoreService/GetMetadata':
        return this.store.getMetadata(asked, body);
      case 'StoreService/GetP2PStoreInfo':
        return refuseBody(body) ?? this.store.getP2pStoreInfo(asked);
      case 'ConfigService/GetNamespace':
      case 'StoreService/GetNamespace':
        return refuseBody(body) ?? this.store.getNamespace(asked);
      case 'StoreService/GetGenesisDaHeight':
      case 'ConfigService/GetSignerInfo':
      case 'P2PService/GetPeerInfo':
      case 'P2PService/GetNetInfo':
        return refuseBody(body) ?? unavailable(`What ${name} answers is not on record.`);
      default:
        return name satisfies never;
    }
  }
}

/** The refusal of a body that is no JSON object, of methods that take nothing from it. */
function refuseBody(body: string): NodeAnswer | undefined {
  const parsed = parseConnectBody(body, 'Empty');
  return 'error' in parsed ? refusal(parsed.error) : undefined;
}
