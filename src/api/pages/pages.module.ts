import { Module } from '@nestjs/common';
import { GraphqlOptionsModule } from '../graphql/graphql-options.module.js';
import { HttpModule } from '../http/http.module.js';
import { IdeController } from '../ide/ide.controller.js';
import { KeysModule } from '../keys/keys.module.js';
import { ApiDocument, OpenApiController } from '../openapi/openapi.controller.js';
import { FirstAnswers } from './first-answers.js';
import { PagesController } from './pages.controller.js';
import { RunbooksController } from './runbooks.controller.js';

@Module({
  imports: [GraphqlOptionsModule, HttpModule, KeysModule],
  controllers: [PagesController, RunbooksController, IdeController, OpenApiController],
  providers: [ApiDocument, FirstAnswers],
})
export class PagesModule {}
