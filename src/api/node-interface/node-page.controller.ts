import { Controller, Get, Header, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import type { HttpReply, HttpRequest } from '../graphql/http-messages.js';
import { ErrorMapper } from '../http/error-mapper.js';
import { ApiKeys } from '../keys/api-keys.js';
import { HtmlPage, PAGE_POLICY } from '../pages/static-files.js';
import { Described } from '../openapi/described.js';
import { readQuestion, type NodeQuestion, type GivenQuery } from './node-question.js';
import { DaAnswers } from './da-answers.js';
import { NodeInterface } from './node-interface.js';

/**
 * The page at `/nodes/{id}/da`. It is the same for all nodes and contains nothing secret; it loads its data with the key that the
 * user enters.
 */
@Controller()
export class NodePageController {
  private readonly page = new HtmlPage('dashboard/node-page/da.html');

  constructor(
    private readonly keys: ApiKeys,
    private readonly nodes: NodeInterface,
    private readonly da: DaAnswers,
    private readonly teller: ErrorMapper,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock' | 'version'>,
  ) {}

  /** @throws ApiError BAD_USER_INPUT */
  @Get('nodes/:id/da')
  @Header('content-security-policy', PAGE_POLICY)
  @Described({
    tag: 'Pages',
    summary: "A node's submissions, statistics and health, every 30 s",
    type: 'text/html',
    answer: 'The page. With `at` it shows that moment, and stays there.',
    parts: { id: 'Id of the node.' },
    query: {
      at: 'the moment to show, ISO 8601 with a zone',
      shape: 'whose status code the page has while DA monitoring is off',
    },
    refusals: {
      400: 'One of our own parameters is wrong.',
      404: 'The page, which says that no node of this id was ever monitored, or, in the shape of the specification, that DA monitoring is off.',
      503: 'The page, which says that DA monitoring is off, or that the record cannot be read at the moment.',
    },
  })
  async getNodePage(
    @Param('id') id: string,
    @Query() query: GivenQuery,
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) reply: HttpReply,
  ): Promise<string> {
    const question = readQuestion(id, query);
    // Without a key the status reveals nothing: the page asks for a key.
    if (this.mayAsk(request)) reply.code(await this.findStatus(question, reply));
    reply.header('content-type', 'text/html; charset=utf-8');
    return this.page.readFor(this.options);
  }

  private mayAsk(request: HttpRequest): boolean {
    try {
      this.keys.require(request);
      return true;
    } catch {
      return false;
    }
  }

  /** The status that the node would answer with; the page is the same for all, and shows the reason. */
  private async findStatus(question: NodeQuestion, reply: HttpReply): Promise<number> {
    try {
      const refused = await this.nodes.ask(question.node, reply, () => this.da.refusePage(question));
      return refused?.status ?? 200;
    } catch (thrown) {
      return this.teller.tell(thrown).status;
    }
  }
}
