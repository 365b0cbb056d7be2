import { Controller, Get, Param, Query, Res, UseGuards } from '@nestjs/common';
import type { HttpReply } from '../graphql/http-messages.js';
import { ReadersGuard } from '../http/readers.guard.js';
import { readQuestion, type GivenQuery } from './node-question.js';
import { DescribedAnswer } from './described-answer.js';
import { NodeInterface } from './node-interface.js';
import { ProbeAnswers } from './probe-answers.js';

/** Nodes choose the status of a failed probe themselves. */
const PROBE_REFUSALS = { 500: "The node's answer to the probe, if it had this status." };

/** Serves a node's probes from the record. */
@Controller('nodes/:id')
@UseGuards(ReadersGuard)
export class NodeProbesController {
  constructor(
    private readonly nodes: NodeInterface,
    private readonly probes: ProbeAnswers,
  ) {}

  @Get('health/live')
  @DescribedAnswer({
    summary: 'Whether a node lives',
    answer: 'Yes.',
    type: 'text/plain',
    refusals: PROBE_REFUSALS,
  })
  getNodeLive(@Param('id') id: string, @Query() query: GivenQuery, @Res() reply: HttpReply): Promise<void> {
    const question = readQuestion(id, query);
    return this.nodes.serve(id, reply, () => this.probes.getProbe('live', question));
  }

  @Get('health/ready')
  @DescribedAnswer({
    summary: 'Whether a node is ready',
    answer: 'Yes.',
    type: 'text/plain',
    refusals: PROBE_REFUSALS,
  })
  getNodeReady(@Param('id') id: string, @Query() query: GivenQuery, @Res() reply: HttpReply): Promise<void> {
    const question = readQuestion(id, query);
    return this.nodes.serve(id, reply, () => this.probes.getProbe('ready', question));
  }

  @Get('status')
  @DescribedAnswer({ summary: "A node's status query", answer: 'Whether it is catching up.' })
  getNodeStatus(@Param('id') id: string, @Query() query: GivenQuery, @Res() reply: HttpReply): Promise<void> {
    const question = readQuestion(id, query);
    return this.nodes.serve(id, reply, () => this.probes.getStatus(question));
  }
}
