import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError } from '../errors.js';
import type { HttpReply } from '../graphql/http-messages.js';
import { Described, type Description } from '../openapi/described.js';
import { toBadge } from './badge.js';
import { publicPath, toIncidentFeed } from './incident-feed.js';
import { PUBLIC_PAGE_POLICY, toPublicPage } from './public-page.js';
import { PublicSummaryQuery } from './public-summary.query.js';

const SHARED = {
  tag: 'Pages',
  parts: { chain: 'Id of the chain.' },
  refusals: {
    404: 'There is no such chain, or its owner does not show this.',
    503: 'It cannot be read at the moment; retry.',
  },
} as const satisfies Partial<Description>;

const FEED_TYPE = 'application/atom+xml';

/** Seconds for which browsers and proxies may keep an answer. */
const FRESH_S = 30;
const BADGE_FRESH_S = 60;

/** Serves what the owner of a chain shows to strangers: without a key, and nothing that names or quotes a node. */
@Controller('public')
export class PublicController {
  constructor(
    private readonly summaries: PublicSummaryQuery,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'alerts'>,
  ) {}

  /** @throws ApiError NOT_FOUND */
  @Get(':chain')
  @Described({
    ...SHARED,
    summary: 'A page about a chain for strangers',
    description: 'Needs no key. Has the parts that the setting `public` of the chain names.',
    type: 'text/html',
    answer: 'The page, without scripts.',
  })
  async getPublicPage(
    @Param('chain') chain: string,
    @Res({ passthrough: true }) reply: HttpReply,
  ): Promise<string> {
    const page = toPublicPage(shown(await this.summaries.findSummary(chain)));
    reply.header('content-security-policy', PUBLIC_PAGE_POLICY);
    return send(reply, 'text/html', FRESH_S, page);
  }

  /** @throws ApiError NOT_FOUND */
  @Get(':chain/badge.svg')
  @Described({
    ...SHARED,
    summary: 'A badge with the state of a chain',
    description: 'Needs no key, and `state` in the setting `public` of the chain.',
    type: 'image/svg+xml',
    answer: 'The picture.',
    isShownElsewhere: true,
  })
  async getBadge(
    @Param('chain') chain: string,
    @Res({ passthrough: true }) reply: HttpReply,
  ): Promise<string> {
    const summary = await this.summaries.findSummary(chain);
    const badge = toBadge(shown(summary?.state));
    // Pages of other origins may show it.
    reply.header('cross-origin-resource-policy', 'cross-origin');
    return send(reply, 'image/svg+xml', BADGE_FRESH_S, badge);
  }

  /** @throws ApiError NOT_FOUND */
  @Get(':chain/incidents.atom')
  @Described({
    ...SHARED,
    summary: 'A feed of the incidents of a chain',
    description: 'Needs no key, and `incidents` in the setting `public` of the chain.',
    type: FEED_TYPE,
    answer: 'The latest 50 incidents of 90 days.',
  })
  async getIncidentFeed(
    @Param('chain') chain: string,
    @Res({ passthrough: true }) reply: HttpReply,
  ): Promise<string> {
    const summary = shown(await this.summaries.findSummary(chain));
    const page = publicPath(chain, this.options.alerts?.publicUrl);
    const links = { page, feed: `${page}/incidents.atom` };
    const feed = toIncidentFeed(chain, shown(summary.incidents), summary.at, links);
    return send(reply, FEED_TYPE, FRESH_S, feed);
  }
}

/** The same error for an unknown chain and for a part that is not shown, so that strangers cannot tell them apart. */
function shown<T>(part: T | undefined): T {
  if (part === undefined) throw new ApiError('NOT_FOUND', 'There is nothing here.');
  return part;
}

/** Sets the headers of an answer that was found: a decorator would set them on errors, too. */
function send(reply: HttpReply, type: string, freshSeconds: number, text: string): string {
  reply
    .header('content-type', `${type}; charset=utf-8`)
    .header('cache-control', `public, max-age=${freshSeconds}`);
  return text;
}
