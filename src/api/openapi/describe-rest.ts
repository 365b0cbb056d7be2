import type { INestApplication } from '@nestjs/common';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { buildDocument } from './api-document.js';
import { ApiDocument } from './openapi.controller.js';

/** Creates the OpenAPI document of an application from its controllers. To be called before `listen`. */
export function describeRest(app: INestApplication): void {
  const { version, defaultNode } = app.get<ApiOptions>(API_OPTIONS, { strict: false });
  app.get(ApiDocument, { strict: false }).document = buildDocument(app, version, defaultNode);
}
