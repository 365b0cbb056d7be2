import { Inject } from '@nestjs/common';
import { Query, Resolver } from '@nestjs/graphql';
import { millisToNanos, type Nanos } from '../../domain/time.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { DateTime } from '../graphql/scalars.js';

@Resolver()
export class NowResolver {
  constructor(@Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>) {}

  @Query(() => DateTime, {
    name: 'now',
    description:
      "The current time by the service's clock; UTC. Compute a range that ends now from it, because a client’s own clock may be wrong.",
  })
  getNow(): Nanos {
    return millisToNanos(this.options.clock.now());
  }
}
