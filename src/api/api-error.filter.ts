import { Catch, type ExceptionFilter } from '@nestjs/common';
import { ReadRefused } from '../platform/reads/read-refused.js';
import { ApiError } from './errors.js';

/** What a caller is told is no failure of ours: Nest would log each with its stack, as often as a client likes. */
@Catch(ApiError, ReadRefused)
export class ApiErrorFilter implements ExceptionFilter<ApiError | ReadRefused> {
  catch(error: ApiError | ReadRefused): never {
    throw error;
  }
}
