import { type Attributes, SpanStatusCode, trace } from '@opentelemetry/api';

/** Does nothing until an SDK of OpenTelemetry is loaded before the program. */
export const tracer = trace.getTracer('hindsight');

/** Runs work in a span, which becomes the parent of the spans inside the work. If the work fails, so does the span. */
export function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      // Messages of errors may hold addresses, so only the kind is exported.
      span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
