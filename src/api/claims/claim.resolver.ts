import { Args, Context, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { ApiContext } from '../graphql/api-context.js';
import type { Page } from '../graphql/connection.js';
import { Costs, pageCost } from '../graphql/field-cost.js';
import { RawJson } from '../graphql/raw-json.js';
import { Json } from '../graphql/scalars.js';
import { Claim, ClaimArgs, ClaimConnection } from './claim.type.js';
import { ClaimsQuery } from './claims.query.js';

@Resolver(() => Claim)
export class ClaimResolver {
  constructor(private readonly claims: ClaimsQuery) {}

  @Query(() => ClaimConnection, {
    name: 'claims',
    description: "A node's claims about itself, oldest first.",
  })
  @Costs(pageCost)
  async getClaims(@Args() args: ClaimArgs): Promise<Page<Claim>> {
    return this.claims.getClaims(args);
  }

  @ResolveField('body', () => Json)
  getBody(@Parent() { body }: Claim, @Context() { loaders }: ApiContext): unknown {
    if (body instanceof RawJson) loaders.serveText(body.text);
    return body;
  }
}
