import { installTracing } from '../domain/telemetry/tracing.ts';

/** The settings of tracing (docs/settings.md). */
export interface TracingSettings {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS: Readonly<Record<string, string>>;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
  readonly OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: boolean;
}

/**
 * Has the process send traces where the settings name a collector; without one no code for it is even loaded. Returns
 * what sends the rest of the spans at the end of the process.
 */
export async function startTracing(service: string, settings: TracingSettings): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (endpoint === undefined) return async () => undefined;
  const { OtlpTracing } = await import('./otlp-tracing.ts');
  const tracing = new OtlpTracing({
    service,
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    share: settings.OTEL_TRACES_SAMPLER_ARG,
    hasContents: settings.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT,
  });
  installTracing(tracing);
  return async () => {
    installTracing(undefined);
    await tracing.close();
  };
}
