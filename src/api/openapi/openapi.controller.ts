import { Controller, Get, Header, Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { HtmlPage, PAGE_POLICY } from '../pages/static-files.js';
import { Described } from './described.js';

/** Set once the application that it describes is complete. */
@Injectable()
export class ApiDocument {
  document: OpenAPIObject | undefined;
}

/** Serves the OpenAPI document of all routes, and a page that shows it. Both contain nothing secret and need no key. */
@Controller()
export class OpenApiController {
  private readonly page = new HtmlPage('api/pages/static/docs.html');

  constructor(private readonly api: ApiDocument) {}

  @Get('openapi.json')
  @Described({
    tag: 'Pages',
    summary: 'This document',
    type: 'application/json',
    answer: 'OpenAPI 3.1.',
    schema: { type: 'object' },
  })
  getDocument(): OpenAPIObject | undefined {
    return this.api.document;
  }

  @Get('docs')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  @Described({ tag: 'Pages', summary: 'This document as a page', type: 'text/html', answer: 'The page.' })
  getDocs(): string {
    return this.page.read();
  }
}
