import { type DestinationStream, type Logger, pino } from 'pino';
import { tracing } from '../domain/telemetry/index.ts';

interface LogOptions {
  readonly name: string;
  readonly level: string;
  /** Standard output unless given. */
  readonly to?: DestinationStream;
}

/** Creates the log of a process: lines of JSON, with the trace that they belong to. */
export function createLog({ name, level, to }: LogOptions): Logger {
  const options = { name, level, mixin: () => traceFields(tracing.current()) };
  return to === undefined ? pino(options) : pino(options, to);
}

function traceFields(traceparent: string | undefined): object {
  const [, traceId, spanId] = traceparent?.split('-') ?? [];
  return traceId === undefined ? {} : { trace_id: traceId, span_id: spanId };
}
