import { Inject } from '@nestjs/common';
import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { millisToMicros } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { refusing } from '../errors.js';
import { COST_OF_INTERVAL } from '../interval/interval.type.js';
import { readPostMortem } from '../post-mortem/post-mortem-data.js';
import { toPostMortemMarkdown } from '../post-mortem/post-mortem-markdown.js';
import { IncidentsQuery } from './incidents.query.js';

@Resolver()
export class PostMortemResolver {
  constructor(
    private readonly incidents: IncidentsQuery,
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  @Query(() => String, {
    name: 'postMortem',
    nullable: true,
    complexity: COST_OF_INTERVAL,
    description:
      'The post-mortem of an incident in Markdown, as `hindsight incident` prints it: impact, claims, timeline, and the queries that prove them. Null if there is no such incident.',
  })
  async findPostMortem(
    @Args('incident', { type: () => ID, description: 'As in `Incident.id`.' }) id: string,
  ): Promise<string | null> {
    if (!(await this.incidents.findIncident(id, {}))) return null;
    const nowUs = millisToMicros(this.options.clock.now());
    return toPostMortemMarkdown(await refusing(() => readPostMortem(this.reads, { id }, nowUs)));
  }
}
