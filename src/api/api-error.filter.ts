import { Catch, type ExceptionFilter } from '@nestjs/common';
import { ApiError } from './errors.js';

/** What a caller is told is no failure of ours: Nest would log each with its stack, as often as a client likes. */
@Catch(ApiError)
export class ApiErrorFilter implements ExceptionFilter<ApiError> {
  catch(error: ApiError): never {
    throw error;
  }
}
