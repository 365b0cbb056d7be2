import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiKeys } from '../keys/api-keys.js';
import type { HttpReply, HttpRequest } from '../graphql/http-messages.js';
import { Described } from '../openapi/described.js';
import { ReadinessQuery } from './readiness.query.js';
import { RunningQuery, type ServiceStatus } from './running.query.js';

/** Hindsight's own health; the health of a node is under `/nodes/{id}/health`. */
@Controller('health')
export class OwnHealthController {
  constructor(
    private readonly readiness: ReadinessQuery,
    private readonly running: RunningQuery,
    private readonly keys: ApiKeys,
  ) {}

  /** 200 if the process runs and serves. */
  @Get('live')
  @Described({
    tag: 'Operations',
    summary: 'Whether the process runs and serves',
    type: 'application/json',
    answer: 'Yes.',
    schema: { type: 'object', required: ['live'], properties: { live: { type: 'boolean' } } },
    isUnlimited: true,
  })
  isLive(): { live: true } {
    return { live: true };
  }

  /**
   * 200 if recording works and requests are answered: the database is there, an observer can write, and the read models advance.
   * Otherwise 503 with the reason. Other problems are listed as `degraded`, with 200: a job queue that does not answer,
   * statistics that are late, quarantined events.
   *
   * Load balancers and orchestrators have no key: they get an answer too, in general words. Clients with a key also get the
   * periodic work of this process.
   */
  @Get('ready')
  @Described({
    tag: 'Operations',
    summary: 'Whether the service records, and answers queries',
    description: 'Needs no key. If queries need a key, an answer to a request with a key has more details.',
    type: 'application/json',
    answer: 'Yes. Other problems are listed under `degraded`.',
    schema: { type: 'object', required: ['ready'], properties: { ready: { type: 'boolean' } } },
    alike: { 503: 'No; the reason says why.' },
    refusals: {
      403: 'The request names a host other than this computer, or a browser sends it for another page.',
    },
  })
  async isReady(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) reply: HttpReply,
  ): Promise<ServiceStatus> {
    const isTrusted = this.keys.admits(request);
    const readiness = await this.readiness.getReadiness(isTrusted);
    if (!readiness.ready) reply.code(503);
    return isTrusted ? { ...readiness, ...this.running.getRunning() } : readiness;
  }
}
