import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import packageJson from '../package.json' with { type: 'json' };
import type { Attributes, Span, SpanStart, TracedTurn, Tracing, TurnSpan } from '../domain/telemetry/tracing.ts';

interface OtlpOptions {
  /** The name of the kind of process. */
  readonly service: string;
  /** The address that spans are posted to. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The share of traces that is kept, from 0 to 1, of those that do not come with a decision of their caller. */
  readonly share: number;
  readonly hasContents: boolean;
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
/** Longer texts of attributes are cut. */
const MAX_ATTRIBUTE_CHARACTERS = 32_000;
/** The most spans that wait to be sent; more are dropped, as they are while the collector is away. */
const MAX_WAITING = 4_096;
/** How long a process that stops waits for the collector. */
const CLOSE_MS = 3_000;

/** Makes ids at random, but for spans whose ids follow from a turn's. */
class SpanIds extends RandomIdGenerator {
  #next: { readonly traceId: string; readonly spanId: string } | undefined;

  /** Has the span that `start` creates get these ids. */
  given<T>(ids: { readonly traceId: string; readonly spanId: string }, start: () => T): T {
    this.#next = ids;
    try {
      return start();
    } finally {
      this.#next = undefined;
    }
  }

  override generateTraceId(): string {
    return this.#next?.traceId ?? super.generateTraceId();
  }

  override generateSpanId(): string {
    return this.#next?.spanId ?? super.generateSpanId();
  }
}

/**
 * Sends spans by OTLP over HTTP, as JSON. The context of a turn follows from its row, so that all processes know it and
 * a crash does not break the trace: the trace is that of the request, or the turn's id, and the turn's span has the
 * second half of that id.
 */
export class OtlpTracing implements Tracing {
  readonly hasContents: boolean;
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #sampler: TraceIdRatioBasedSampler;
  readonly #ids = new SpanIds();
  readonly #underWay = new AsyncLocalStorage<OtelSpan>();

  constructor({ service, url, headers, share, hasContents }: OtlpOptions) {
    this.hasContents = hasContents;
    this.#sampler = new TraceIdRatioBasedSampler(share);
    const exporter = new OTLPTraceExporter({ url, headers: { ...headers } });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': service, 'service.version': packageJson.version }),
      sampler: new ParentBasedSampler({ root: this.#sampler }),
      idGenerator: this.#ids,
      spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_CHARACTERS },
      spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING, scheduledDelayMillis: 1_000 })],
    });
    this.#tracer = this.#provider.getTracer('everturn', packageJson.version);
  }

  async within<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    const { name, kind = 'internal', parent, attributes = {} } = start;
    const options: SpanOptions = { kind: KINDS[kind], attributes: given(attributes) };
    const span = this.#tracer.startSpan(name, options, this.#contextAbove(parent));
    const recorded = new RecordedSpan(span);
    try {
      return await this.#underWay.run(span, async () => work(recorded));
    } catch (error) {
      if (!recorded.hasFailed) markFailed(span, error instanceof Error ? error.name : 'Error');
      throw error;
    } finally {
      span.end();
    }
  }

  current(): string | undefined {
    const span = this.#underWay.getStore();
    return span && traceparentOf(span.spanContext());
  }

  contextOf(turn: TracedTurn): string {
    return traceparentOf(this.#spanContextOf(turn));
  }

  endTurn(turn: TracedTurn, { name, startedAt, attributes, failure }: TurnSpan): void {
    const ids = this.#spanContextOf(turn);
    const above = turn.traceparent === null ? undefined : parsed(turn.traceparent);
    const context = above === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, above);
    const options = { startTime: startedAt, attributes: given(attributes) };
    const span = this.#ids.given(ids, () => this.#tracer.startSpan(name, options, context));
    if (failure !== undefined) markFailed(span, failure);
    span.end();
  }

  /** Sends what waits, unless the collector takes too long. */
  async close(): Promise<void> {
    const limit = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
    await Promise.race([this.#provider.shutdown().catch(() => undefined), limit]);
  }

  #contextAbove(parent: string | undefined): Context {
    const named = parent === undefined ? undefined : parsed(parent);
    if (named !== undefined) return trace.setSpanContext(ROOT_CONTEXT, named);
    const span = this.#underWay.getStore();
    return span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span);
  }

  #spanContextOf({ id, traceparent }: TracedTurn): SpanContext {
    const digits = id.replaceAll('-', '');
    const spanId = digits.slice(16);
    const above = traceparent === null ? undefined : parsed(traceparent);
    if (above !== undefined) return { traceId: above.traceId, spanId, traceFlags: above.traceFlags, isRemote: true };
    const { decision } = this.#sampler.shouldSample(ROOT_CONTEXT, digits);
    const isSampled = decision === SamplingDecision.RECORD_AND_SAMPLED;
    return { traceId: digits, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
  }
}

/** Returns the context that a `traceparent` names (W3C Trace Context), if it is one. */
function parsed(traceparent: string): SpanContext | undefined {
  const pattern = /^00-(?<traceId>[\da-f]{32})-(?<spanId>[\da-f]{16})-(?<flags>[\da-f]{2})$/;
  const { traceId = '', spanId = '', flags = '' } = pattern.exec(traceparent)?.groups ?? {};
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const context = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

class RecordedSpan implements Span {
  readonly #span: OtelSpan;
  hasFailed = false;

  constructor(span: OtelSpan) {
    this.#span = span;
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(given(attributes));
  }

  fail(kind: string): void {
    this.hasFailed = true;
    markFailed(this.#span, kind);
  }
}

function markFailed(span: OtelSpan, kind: string): void {
  span.setAttribute('error.type', kind);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function given(attributes: Attributes): Record<string, string | number | boolean | string[]> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => {
      if (value === undefined || value === null) return [];
      return [[name, typeof value === 'object' ? [...value] : value]];
    }),
  );
}
