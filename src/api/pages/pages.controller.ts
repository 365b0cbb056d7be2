import type { Readable } from 'node:stream';
import { applyDecorators, Controller, Get, Header, Inject, Param, Res } from '@nestjs/common';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import type { HttpReply } from '../graphql/http-messages.js';
import { ErrorMapper } from '../http/error-mapper.js';
import { Described, type Description } from '../openapi/described.js';
import { FirstAnswers, zoneOfBrowser } from './first-answers.js';
import { DashboardShell, PAGE_POLICY, PageFiles, PageStream } from './static-files.js';

type PageReply = HttpReply & { readonly request: { readonly raw: { readonly url: string } } };

/** Declares the route of a page of the dashboard. */
function DashboardPage(path: string, about: Pick<Description, 'summary' | 'answer' | 'parts'>) {
  return applyDecorators(
    Get(path),
    Header('content-type', 'text/html; charset=utf-8'),
    Header('content-security-policy', PAGE_POLICY),
    Described({ tag: 'Pages', type: 'text/html', ...about }),
  );
}

/**
 * Serves the pages of the dashboard and the files that they load. All pages are the same shell, which loads its data by GraphQL;
 * the first responses are sent with it.
 */
@Controller()
export class PagesController {
  private readonly shell = new DashboardShell();
  private readonly files = new PageFiles();

  constructor(
    private readonly answers: FirstAnswers,
    private readonly errors: ErrorMapper,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock' | 'version' | 'sampleChain'>,
  ) {}

  @DashboardPage('', { summary: 'State of all nodes', answer: 'The page.' })
  getFleet(@Res({ passthrough: true }) reply: PageReply): Readable {
    return this.send('fleet', reply);
  }

  @DashboardPage('node/:id', {
    summary: 'Everything known about a node',
    answer: 'The page. It is the same for all nodes, and says if there is no such node.',
    parts: { id: 'Id of the node.' },
  })
  getNodeDashboard(@Res({ passthrough: true }) reply: PageReply): Readable {
    return this.send('owner', reply);
  }

  @DashboardPage('chain/:id', {
    summary: 'Everything known about a chain',
    answer: 'The page. It is the same for all chains, and says if there is no such chain.',
    parts: { id: 'Id of the chain.' },
  })
  getChainDashboard(@Res({ passthrough: true }) reply: PageReply): Readable {
    return this.send('owner', reply);
  }

  @DashboardPage('incident/:id', {
    summary: 'Everything known about an incident',
    answer: 'The page. It is the same for all incidents, and says if there is no such incident.',
    parts: { id: 'Id of the incident.' },
  })
  getIncidentDashboard(@Res({ passthrough: true }) reply: PageReply): Readable {
    return this.send('incident', reply);
  }

  @DashboardPage('submission/:id', {
    summary: 'Everything known about a submission',
    answer: 'The page. It is the same for all submissions, and says if there is no such submission.',
    parts: { id: 'Id of the submission.' },
  })
  getSubmissionDashboard(@Res({ passthrough: true }) reply: PageReply): Readable {
    return this.send('submission', reply);
  }

  @DashboardPage('block/:chain/:block', {
    summary: 'Everything known about a block',
    answer: 'The page. It is the same for all blocks, and says if there is no such block.',
    parts: { chain: 'Id of the chain.', block: 'Height of the block, or its header hash.' },
  })
  getBlockDashboard(@Res({ passthrough: true }) reply: PageReply): Readable {
    return this.send('block', reply);
  }

  @DashboardPage('cost', {
    summary: "A chain's cost on its DA layer",
    answer: 'The page. It is the same for all chains: `?chain=` names one.',
  })
  getCostDashboard(@Res({ passthrough: true }) reply: PageReply): Readable {
    return this.send('cost', reply);
  }

  @DashboardPage('incidents', { summary: 'Incidents of all nodes', answer: 'The page.' })
  getIncidentsDashboard(@Res({ passthrough: true }) reply: PageReply): Readable {
    return this.send('incidents', reply);
  }

  @DashboardPage('submissions', { summary: 'Submissions of all nodes', answer: 'The page.' })
  getSubmissionsDashboard(@Res({ passthrough: true }) reply: PageReply): Readable {
    return this.send('submissions', reply);
  }

  @DashboardPage('alerts', { summary: 'Alerts: rules, open alerts and deliveries', answer: 'The page.' })
  getAlertsDashboard(@Res({ passthrough: true }) reply: PageReply): Readable {
    return this.send('alerts', reply);
  }

  /** @throws ApiError NOT_FOUND */
  @Get('assets/:name')
  @Described({
    tag: 'Pages',
    summary: 'A script or a style that pages load',
    type: '*/*',
    answer: 'The file. It never changes: other releases have files of other names.',
    parts: { name: 'Its name' },
    refusals: { 404: 'There is no such file.' },
  })
  getAsset(@Param('name') name: string, @Res({ passthrough: true }) reply: HttpReply): Promise<Buffer> {
    return this.files.send(name, reply);
  }

  /** Sends all of the page except its end at once, so that the browser loads its files; then the first responses. */
  private send(page: string, reply: PageReply): Readable {
    const at = { nowMs: this.options.clock.now(), zone: zoneOfBrowser(reply.request) };
    const [start = '', end = ''] = this.shell.readFor(page, this.options, at).split(/(?=<\/body>)/);
    const sent = new PageStream(reply);
    sent.write(start);
    void this.answers
      .send(reply, reply.request.raw.url, at, (html) => sent.write(html))
      .catch((error: unknown) => this.errors.tell(error))
      .finally(() => sent.end(end));
    return sent.stream;
  }
}
