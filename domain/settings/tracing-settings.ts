import { z } from 'zod';
import { givenOr, parsedSetting } from './setting-values.ts';

const HEADERS = 'must be name=value, several separated by commas';
const HEADER_NAME = /^[\w-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]+$/;
const SHARE = 'must be a number from 0 to 1';

/** The settings of traces, under the names that OpenTelemetry has for them (docs/monitoring.md). */
export const tracingSettings = {
  /** The address of a collector; nothing is traced unless given. */
  OTEL_EXPORTER_OTLP_ENDPOINT: givenOr(
    z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: parsedSetting(parseHeaders),
  /** The share of traces that is kept. */
  OTEL_TRACES_SAMPLER_ARG: givenOr(z.coerce.number(SHARE).min(0, SHARE).max(1, SHARE).default(1)),
  /** Whether questions, answers, arguments and results are told, too. */
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: givenOr(
    z
      .enum(['true', 'false'], 'must be true or false')
      .default('false')
      .transform((word) => word === 'true'),
  ),
};

/** Reads headers as `name=value,name=value`; values are percent-encoded where they hold a comma. */
function parseHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair) => (pair.trim() === '' ? [] : [pair.trim()]));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      const value = decoded(rest.join('=').trim());
      if (!HEADER_NAME.test(name.trim()) || !HEADER_VALUE.test(value)) throw new Error(HEADERS);
      return [name.trim(), value];
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
