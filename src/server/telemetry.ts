import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from '../version.ts';

/** Upper bounds of the time of a request, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * What a service reports to its operators: metrics for Prometheus, and spans for whichever OpenTelemetry SDK the process was started
 * with (`node --import`); without one, spans cost nothing.
 */
export class Telemetry {
  readonly registry = new Registry();
  readonly #requests = new Histogram({
    name: 'playbyplay_http_request_seconds',
    help: 'Time of requests by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [this.registry],
  });
  readonly uploadedBytes = new Counter({
    name: 'playbyplay_uploaded_bytes_total',
    help: 'Bytes of complete uploads',
    registers: [this.registry],
  });
  readonly recordings = new Counter({
    name: 'playbyplay_recordings_total',
    help: 'Recordings by what came of them',
    labelNames: ['state'],
    registers: [this.registry],
  });
  readonly recordedSeconds = new Counter({
    name: 'playbyplay_recorded_seconds_total',
    help: 'Seconds of video of finished recordings',
    registers: [this.registry],
  });
  readonly cpuSeconds = new Counter({
    name: 'playbyplay_reading_cpu_seconds_total',
    help: 'Processor time of finished recordings',
    registers: [this.registry],
  });
  readonly webhooks = new Counter({
    name: 'playbyplay_webhook_calls_total',
    help: 'Calls of webhooks by what came of them',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly busyWorkers = new Gauge({
    name: 'playbyplay_workers_busy',
    help: 'Workers of this process that read a recording',
    registers: [this.registry],
  });
  readonly #tracer = trace.getTracer('playbyplay', VERSION);
  readonly #spans = new WeakMap<FastifyRequest, Span>();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Measures every request of a server. */
  observe(app: FastifyInstance): void {
    app.addHook('onRequest', async (request) => {
      const parent = propagation.extract(context.active(), request.headers);
      const attributes = { 'http.request.method': request.method, 'url.path': request.url.split('?')[0]! };
      const span = this.#tracer.startSpan(
        `${request.method} ${routeOf(request)}`,
        { kind: SpanKind.SERVER, attributes },
        parent,
      );
      this.#spans.set(request, span);
    });
    app.addHook('onResponse', async (request, reply) => {
      const { statusCode } = reply;
      const labels = { method: request.method, route: routeOf(request), status: String(statusCode) };
      this.#requests.observe(labels, reply.elapsedTime / 1000);
      const span = this.#spans.get(request);
      span?.setAttribute('http.response.status_code', statusCode);
      if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
      span?.end();
    });
  }

  /** Starts the span of a job. */
  startJob(name: string, attempt: number): Span {
    return this.#tracer.startSpan('read recording', {
      attributes: { 'playbyplay.job': name, 'playbyplay.attempt': attempt },
    });
  }
}

/** The route with its parameters unfilled: ids would be as many labels as there are recordings. */
function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'unknown';
}
