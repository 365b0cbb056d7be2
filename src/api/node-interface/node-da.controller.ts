import { Controller, Get, HttpCode, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { HttpReply } from '../graphql/http-messages.js';
import { ReadersGuard } from '../http/readers.guard.js';
import { TakesBody } from '../http/takes-body.js';
import { readQuestion, readBlob, readList, readStatistics, type GivenQuery } from './node-question.js';
import { BlobAnswers } from './blob-answers.js';
import { DaAnswers } from './da-answers.js';
import { DaHealthAnswers } from './da-health-answers.js';
import { DescribedAnswer } from './described-answer.js';
import { pageNotFound, sendAnswer } from './node-answer.js';
import { NodeInterface } from './node-interface.js';

const LIST_QUERY = {
  limit: 'rows of the record, newest first, up to 1,000; 100 if left out',
  before:
    'only rows that entered the list before the row of this number; the header `x-hindsight-next-before` has the next number',
  from: 'only submissions from this moment on',
  to: 'only submissions before this moment',
};
const STATISTICS_QUERY = {
  history: { about: '`only`: the record alone, whatever the node answers', enum: ['only'] },
};
const BLOB_QUERY = { id: 'the id of the blob: its DA height and its commitment, hex', namespace: 'hex' };
/** Each endpoint takes some of these. */
const ANY_QUERY = { ...LIST_QUERY, ...STATISTICS_QUERY, ...BLOB_QUERY };

/** Serves a node's DA monitoring from the record. */
@Controller('nodes/:id/da')
@UseGuards(ReadersGuard)
export class NodeDaController {
  constructor(
    private readonly nodes: NodeInterface,
    private readonly da: DaAnswers,
    private readonly health: DaHealthAnswers,
    private readonly blobs: BlobAnswers,
  ) {}

  @Get('submissions')
  @DescribedAnswer({
    summary: "A node's list of submissions",
    answer: "The rows as the node sent them, in the node's order.",
    query: LIST_QUERY,
    isPaged: true,
  })
  getNodeSubmissions(
    @Param('id') id: string,
    @Query() query: GivenQuery,
    @Res() reply: HttpReply,
  ): Promise<void> {
    const { part, ...question } = readList(id, query);
    return this.nodes.serve(id, reply, () => this.da.getSubmissions(question, part));
  }

  @Get('stats')
  @DescribedAnswer({
    summary: "A node's statistics of its list",
    answer:
      "The node's own members, and the members of the whole record under `history`. Times are milliseconds, null is unknown.",
    query: STATISTICS_QUERY,
  })
  getNodeStats(@Param('id') id: string, @Query() query: GivenQuery, @Res() reply: HttpReply): Promise<void> {
    const question = readStatistics(id, query);
    return this.nodes.serve(id, reply, () => this.da.getStats(question));
  }

  @Get('health')
  @DescribedAnswer({
    summary: "A node's claim of its DA layer's health",
    answer: "The node's claim, and our conclusion about it under `hindsight`.",
  })
  getNodeDaHealth(
    @Param('id') id: string,
    @Query() query: GivenQuery,
    @Res() reply: HttpReply,
  ): Promise<void> {
    const question = readQuestion(id, query);
    return this.nodes.serve(id, reply, () => this.health.getHealth(question));
  }

  @Get('blob')
  @DescribedAnswer({
    summary: 'A blob, and the submission that carried it',
    answer: 'The content comes from the node itself while the node is up.',
    query: BLOB_QUERY,
    refusals: {
      400: 'The id is missing or invalid, its namespace is unknown, or one of our own parameters is wrong.',
      500: 'There is no such blob, as the node itself reports.',
    },
  })
  getNodeBlob(@Param('id') id: string, @Query() query: GivenQuery, @Res() reply: HttpReply): Promise<void> {
    const question = readBlob(id, query);
    return this.nodes.serve(id, reply, () => this.blobs.getBlob(question));
  }

  @Post(':name')
  @HttpCode(200)
  @TakesBody()
  @DescribedAnswer({
    summary: 'The same, by POST',
    answer: 'The same answer as to a GET: nodes take either method.',
    parts: { name: 'submissions, stats, health or blob' },
    query: ANY_QUERY,
    refusals: { 413: 'The body is too large.', 500: 'There is no such blob, as the node itself reports.' },
  })
  postNodeDa(
    @Param() { id, name }: Readonly<Record<'id' | 'name', string>>,
    @Query() query: GivenQuery,
    @Res() reply: HttpReply,
  ): Promise<void> | void {
    switch (name) {
      case 'submissions':
        return this.getNodeSubmissions(id, query, reply);
      case 'stats':
        return this.getNodeStats(id, query, reply);
      case 'health':
        return this.getNodeDaHealth(id, query, reply);
      case 'blob':
        return this.getNodeBlob(id, query, reply);
      default:
        return sendAnswer(reply, pageNotFound());
    }
  }
}
