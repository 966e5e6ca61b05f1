import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { tracing } from '../domain/telemetry/tracing.ts';
import type { Outage } from './outage.ts';

interface LogOptions {
  readonly name: string;
  readonly level: string;
  /** Parts that may be away: an outage is logged once, and not with each failure that it causes. */
  readonly outages?: readonly Outage[];
  /** Standard output unless given. */
  readonly to?: DestinationStream;
}

/** Creates the log of a process: lines of JSON, with the trace that they belong to. */
export function createLog({ name, level, outages = [], to }: LogOptions): Logger {
  const options: LoggerOptions = {
    name,
    level,
    mixin: () => traceFields(tracing.current()),
    hooks: {
      logMethod(args, method, lineLevel) {
        const [fields, message] = args as unknown[];
        const isLeftOut =
          lineLevel === pino.levels.values['warn'] &&
          !isOutageLine(fields) &&
          outages.some((outage) => outage.covers(log, errorIn(fields), String(message)));
        if (!isLeftOut) method.apply(this, args);
      },
    },
  };
  const log = to === undefined ? pino(options) : pino(options, to);
  return log;
}

/** Has an error that nobody expects, above all one at the start, end the process with a line of the log. */
export function endOnError(log: Logger, outages: readonly Outage[]): void {
  process.once('uncaughtException', (error) => {
    const away = outages.find((outage) => outage.isCauseOf(error));
    const why = away === undefined ? error.message : `${away.name} cannot be reached: ${error.message}`;
    log.fatal({ err: error }, `the process ends: ${why}`);
    process.exit(1);
  });
}

function traceFields(traceparent: string | undefined): object {
  const [, traceId, spanId] = traceparent?.split('-') ?? [];
  return traceId === undefined ? {} : { trace_id: traceId, span_id: spanId };
}

function isOutageLine(fields: unknown): boolean {
  return typeof fields === 'object' && fields !== null && 'outage' in fields;
}

function errorIn(fields: unknown): unknown {
  return typeof fields === 'object' && fields !== null && 'err' in fields ? fields.err : fields;
}
