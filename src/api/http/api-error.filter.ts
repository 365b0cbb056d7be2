import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { GqlContextType } from '@nestjs/graphql';
import type { HttpReply } from '../graphql/http-messages.js';
import { refuse } from './answers.js';
import { ErrorMapper } from './error-mapper.js';

/**
 * Catches all errors: of resolvers, of controllers, and of the web server itself. Without it Nest would log each database error
 * with its stack, statement and parameters, as often as a client likes.
 */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  constructor(private readonly teller: ErrorMapper) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const error = this.teller.tell(thrown);
    if (host.getType<GqlContextType>() === 'graphql') throw error;
    const reply = host.switchToHttp().getResponse<HttpReply>();
    if (!reply.sent) refuse(reply, error);
  }
}
