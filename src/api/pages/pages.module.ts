import { Module } from '@nestjs/common';
import { IdeController } from '../ide/ide.controller.js';
import { ApiDocument, OpenApiController } from '../openapi/openapi.controller.js';
import { PagesController } from './pages.controller.js';

/** Pages for people, and the document of all routes. */
@Module({
  controllers: [PagesController, IdeController, OpenApiController],
  providers: [ApiDocument],
})
export class PagesModule {}
