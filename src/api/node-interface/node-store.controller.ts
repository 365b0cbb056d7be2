import { Controller, Get, HttpCode, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { parseConnectBody } from '../../domain/node-interface/connect-request.js';
import type { HttpReply, HttpRequest } from '../graphql/http-messages.js';
import { ReadersGuard } from '../http/readers.guard.js';
import { TakesText } from '../http/takes-text.js';
import { readAsked, type Asked, type GivenQuery } from './asked.js';
import { BlockAnswers } from './block-answers.js';
import { DescribedAnswer } from './described-answer.js';
import { NO_STANDING, pageNotFound, refusal, sendAnswer, type NodeAnswer } from './node-answer.js';
import { NodeInterface } from './node-interface.js';
import { StoreAnswers } from './store-answers.js';

const SERVICE = /^[A-Za-z0-9_.]{1,100}\.(StoreService|ConfigService)$/;
const PARTS = { service: 'such as `evnode.v1.StoreService`', method: 'GetBlock, for one' };

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
  })
  callNode(
    @Param() { id, service, method }: Readonly<Record<'id' | 'service' | 'method', string>>,
    @Query() query: GivenQuery,
    @Req() { headers, body }: HttpRequest,
    @Res() reply: HttpReply,
  ): Promise<void> {
    const asked = readAsked(id, query);
    const kind = SERVICE.exec(service)?.[1] ?? '';
    const isJson = /^application\/json\b/.test(String(headers['content-type'] ?? ''));
    return this.nodes.serve(id, reply, () =>
      isJson ? this.call(asked, `${kind}/${method}`, String(body)) : Promise.resolve(emptyAnswer(415)),
    );
  }

  @Get(':service/:method')
  @DescribedAnswer({
    summary: 'Not a call: a POST is one',
    answer: 'Nothing; 405 tells so.',
    parts: PARTS,
    type: 'text/plain',
  })
  refuseNodeCall(@Res() reply: HttpReply): void {
    sendAnswer(reply, { ...emptyAnswer(405), headers: { allow: 'POST' } });
  }

  private async call(asked: Asked, name: string, body: string): Promise<NodeAnswer> {
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
      default:
        return pageNotFound();
    }
  }
}

/** The refusal of a body that is no JSON object, of methods that take nothing from it. */
function refuseBody(body: string): NodeAnswer | undefined {
  const parsed = parseConnectBody(body, 'Empty');
  return 'error' in parsed ? refusal(parsed.error) : undefined;
}

function emptyAnswer(status: number): NodeAnswer {
  return { status, type: 'text/plain', body: '', ...NO_STANDING };
}
