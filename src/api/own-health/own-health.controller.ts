import { Controller, Get, HttpException } from '@nestjs/common';
import { ReadinessQuery, type Readiness } from './readiness.query.js';

/** Hindsight's own health; that of a node is under `/nodes/{id}/health`. */
@Controller('health')
export class OwnHealthController {
  constructor(private readonly readiness: ReadinessQuery) {}

  /** The process runs and serves. */
  @Get('live')
  isLive(): { live: true } {
    return { live: true };
  }

  /**
   * Questions can be answered: the database is there and the read models move on. 503 with the reason otherwise. What is
   * wrong beside that (a job queue that is away, statistics that are late) is listed as `degraded`, with 200.
   */
  @Get('ready')
  async isReady(): Promise<Readiness> {
    const readiness = await this.readiness.getReadiness();
    if (!readiness.ready) throw new HttpException(readiness, 503);
    return readiness;
  }
}
