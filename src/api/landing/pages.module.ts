import { Module } from '@nestjs/common';
import { IdeController } from '../ide/ide.controller.js';
import { ApiDocument, OpenApiController } from '../openapi/openapi.controller.js';
import { LandingController } from './landing.controller.js';

/** Pages for people, and the document of all routes. */
@Module({
  controllers: [LandingController, IdeController, OpenApiController],
  providers: [ApiDocument],
})
export class PagesModule {}
