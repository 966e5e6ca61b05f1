import { Runtime } from '@temporalio/worker';
import { COUNTED, type Meter, TIMED } from '../domain/telemetry/meter.ts';

/** Creates the meter that adds what a worker does to the metrics that Temporal's SDK serves. */
export function createSdkMeter(): Meter {
  const { metricMeter } = Runtime.instance();
  const counters = createdOf(COUNTED, (name, help) => metricMeter.createCounter(name, '', help));
  const histograms = createdOf(TIMED, (name, help) => metricMeter.createHistogram(name, 'float', '', help));
  return {
    count: (series, labels = {}, by = 1) => counters[series].add(by, labels),
    time: (series, seconds, labels = {}) => histograms[series].record(seconds, labels),
  };
}

function createdOf<Name extends string, T>(
  helps: Readonly<Record<Name, string>>,
  create: (name: string, help: string) => T,
): Readonly<Record<Name, T>> {
  const created = Object.entries<string>(helps).map(([name, help]) => [name, create(name, help)] as const);
  return Object.fromEntries(created) as Record<Name, T>;
}
