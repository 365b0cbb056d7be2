import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { tracer } from '../../platform/tracing.js';

/**
 * Makes a span of each request, as a child of the caller's span if its headers name one. Names and attributes follow the semantic
 * conventions of OpenTelemetry for HTTP servers.
 */
export function traceRequests(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  const spans = new WeakMap<object, Span>();
  server.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    const { url: route } = routeOptions;
    const parent = propagation.extract(context.active(), headers);
    const attributes = { 'http.request.method': method, ...(route && { 'http.route': route }) };
    const span = tracer.startSpan(
      route ? `${method} ${route}` : method,
      { kind: SpanKind.SERVER, attributes },
      parent,
    );
    spans.set(request, span);
    context.with(trace.setSpan(parent, span), done);
  });
  server.addHook('onResponse', (request, { statusCode }, done) => {
    const span = spans.get(request);
    span?.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}
