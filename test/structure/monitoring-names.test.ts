import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { createMetrics } from '../../api/health/serve-metrics.ts';
import { COUNTED, TIMED } from '../../domain/telemetry/meter.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const dashboardSchema = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).default([]) })),
});
const alertsSchema = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});

const rules = alertsSchema.parse(parse(read('deploy/prometheus-alerts.yml'))).groups.flatMap((group) => group.rules);

/** Returns the series that the dashboard, the alert rules and their runbooks name. */
function namedSeries(): string[] {
  const { panels } = dashboardSchema.parse(JSON.parse(read('deploy/grafana-dashboard.json')));
  const expressions = [...panels.flatMap(({ targets }) => targets), ...rules].map(({ expr }) => expr);
  const names = [...expressions, read('docs/operations.md')].flatMap(
    (expr) => expr.match(/\b(?:everturn|temporal|process|nodejs)_\w+/g) ?? [],
  );
  return [...new Set(names)].map((name) => name.replace(/_(?:bucket|count|sum)$/, '')).toSorted();
}

/** Returns the series of the api; what is read for them does not matter. */
function seriesOfApi(): string[] {
  const unread = new Proxy({}, { get: () => () => [] }) as Parameters<typeof createMetrics>[0];
  return createMetrics(unread)
    .registry.getMetricsAsArray()
    .map(({ name }) => name);
}

/** Returns the series that a worker makes at its start, as its code names them. */
function seriesOfWorker(): string[] {
  const code = globSync('worker/*.ts', { cwd: root }).map(read).join('\n');
  return [
    ...Object.keys({ ...COUNTED, ...TIMED }),
    ...(code.match(/(?<=')(?:everturn|process|nodejs)_\w+(?=')/g) ?? []),
  ];
}

/** Returns whether Temporal's SDK has a series of this name, by the texts in its native part. */
function isOfTemporal(name: string): boolean {
  const [library] = globSync('node_modules/@temporalio/core-bridge/releases/*/index.node', { cwd: root });
  return (
    name.startsWith('temporal_') && readFileSync(join(root, library ?? '')).includes(name.replace('temporal_', ''))
  );
}

test('the dashboard, the alert rules and their runbooks name series that the api or the worker serves', () => {
  const known = new Set([...seriesOfApi(), ...seriesOfWorker()]);
  const named = namedSeries();
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !known.has(name) && !isOfTemporal(name))).toEqual([]);
});

test('the documentation has a row for each series', () => {
  const page = read('docs/monitoring.md');
  const own = [...seriesOfApi(), ...seriesOfWorker()].filter((name) => name.startsWith('everturn_'));
  expect(own.length).toBeGreaterThan(20);
  expect(own.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('each alert has a runbook that says what it means, how to see it and what to do', () => {
  const sections = read('docs/operations.md')
    .split(/^### (?=Everturn)/m)
    .slice(1);
  const runbooks = sections.map((section) => ({
    alert: /^\w+$/m.exec(section)?.[0],
    parts: [...section.matchAll(/^- \*\*(\w+)\*\*: \S/gm)].map(([, part]) => part),
  }));
  const expected = rules.map(({ alert }) => ({ alert, parts: ['Meaning', 'See', 'Do'] }));
  expect(runbooks).toEqual(expected);
});
