import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Controller, Get, Header, Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { PAGE_POLICY, readStatic } from '../landing/static-files.js';
import { Described } from './described.js';

const require = createRequire(import.meta.url);

/** Files of another project, the same until the next release. */
const FOR_A_WHILE = 'public, max-age=3600';

/** The document, once the application that it describes is there. */
@Injectable()
export class ApiDocument {
  document: OpenAPIObject | undefined;
}

/** The OpenAPI document of all routes, and a page that shows it. Both are of no secret and need no key. */
@Controller()
export class OpenApiController {
  private readonly page = readStatic('docs.html');
  private readonly script = readStatic('docs.js');

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
    return this.page;
  }

  @Get('docs/docs.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Described({ tag: 'Pages', summary: 'A script of that page', type: 'text/javascript', answer: 'It.' })
  getDocsScript(): string {
    return this.script;
  }

  @Get('docs/swagger-ui-bundle.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Header('cache-control', FOR_A_WHILE)
  @Described({ tag: 'Pages', summary: 'Swagger UI', type: 'text/javascript', answer: 'It.' })
  getSwaggerScript(): Promise<Buffer> {
    return readFile(require.resolve('swagger-ui-dist/swagger-ui-bundle.js'));
  }

  @Get('docs/swagger-ui.css')
  @Header('content-type', 'text/css; charset=utf-8')
  @Header('cache-control', FOR_A_WHILE)
  @Described({ tag: 'Pages', summary: 'Style of Swagger UI', type: 'text/css', answer: 'It.' })
  getSwaggerStyle(): Promise<Buffer> {
    return readFile(require.resolve('swagger-ui-dist/swagger-ui.css'));
  }
}
