import fc from 'fast-check';
import { expect } from '@jest/globals';
import { namesIn, renderTemplate } from '../../../domain/agent-workflows.ts';
import { renderReport, REPORT_KEYS } from '../../../domain/destinations.ts';
import { readCron } from '../../../domain/schedules/cron.ts';
import { nextSlots, timingIssue } from '../../../domain/schedules/timing.ts';
import { inspectTool } from '../../../domain/tools/inspect-tool.ts';
import { renderRequest } from '../../../domain/tools/render-request.ts';
import { nearly, nearlyJson } from '../inputs.ts';
import { type FuzzTarget, target } from '../target.ts';

const LINES = [
  '*/5 9-17 * jan,mar mon-fri',
  '0 0 31 2 *',
  '59 23 29 2 sun',
  '@daily',
  '15 2 * * *',
  '0 0 1-31/7 */2 0',
];
const ZONES = ['Europe/Berlin', 'UTC', 'America/New_York', 'Pacific/Apia', 'Asia/Kathmandu', 'Etc/GMT+12'];
const instant = fc.date({ min: new Date('1970-01-01'), max: new Date('9998-01-01'), noInvalidDate: true });

/** A line is refused in words, or has times that go forward. */
const schedules = ([line, timezone, after]: readonly [string, string, Date]) => {
  const timing = { cronExpr: line, intervalMinutes: null, timezone, createdAt: after, startAt: null, endAt: null };
  const issue = timingIssue(timing);
  const slots = nextSlots(timing, after, 3).map(Number);
  if (issue !== undefined) return expect(slots).toEqual([]);
  expect(typeof readCron(line)).toBe('object');
  expect([Number(after), ...slots]).toEqual([...new Set([Number(after), ...slots])].toSorted((a, b) => a - b));
};

const TEMPLATE = 'Hello {{ name }}, {{body.items.0.title}} {{steps.First.output}} {{constructor}} {{__proto__}}';
const VALUES = { name: 'x', body: { items: [{ title: 'T' }] }, 'steps.First.output': 'done' };
const MAX = 2_000;

/** A template is rendered within its bound, and what is put in is not read again. */
const renders = ([template, values]: readonly [string, unknown]) => {
  const given = typeof values === 'object' && values !== null ? (values as Record<string, unknown>) : {};
  const rendered = renderTemplate(template, given, MAX);
  expect(rendered?.text.length ?? 0).toBeLessThanOrEqual(MAX);
  const names = new Set(namesIn(template));
  expect((rendered?.missing ?? []).filter((name) => !names.has(name))).toEqual([]);
};

const NO_REPORT = { userId: null, files: [], undelivered: null, missed: null };
const REPORT = 'Run {{name}} has {{status}}: {{ output }}\n\n{{error}} {{link}} {{constructor}}';

/** A report has one line and a body within its bound, whatever its templates and the output of the run hold. */
const reports = ([template, output]: readonly [string, string]) => {
  const values = Object.fromEntries(REPORT_KEYS.map((key) => [key, key === 'output' ? output : key]));
  const run = values as Parameters<typeof renderReport>[1];
  const { subject, body } = renderReport({ ...NO_REPORT, subject: template, body: template }, run);
  expect(subject).not.toMatch(/[\r\n]/);
  expect(body.length).toBeLessThanOrEqual(110_000);
};

const TOOL = { parameters: { type: 'object', properties: { a: {} } }, effect: 'read', runtime: 'http' };
const REQUEST = {
  method: 'POST',
  url: 'https://api.example.com/v1/{{ a }}?q={{ a }}',
  headers: { 'X-A': '{{ a }}', 'Content-Type': 'application/json' },
  query: { list: '{{ a }}' },
  body: { text: 'a {{ a }} b', whole: '{{ a }}' },
};

/** A tool's request is refused in words, or is one to the address of its definition. */
const requests = ([request, a]: readonly [unknown, unknown]) => {
  const files = new Map([
    ['tool.json', JSON.stringify(TOOL)],
    ['http.json', JSON.stringify(request) ?? ''],
  ]);
  const inspected = inspectTool({ key: 'mine', name: 'Mine', description: 'Does it.' }, files);
  if ('problem' in inspected) return expect(inspected.problem.length).toBeLessThan(5_000);
  const { runtime } = inspected.tool;
  if (runtime.kind !== 'http') return;
  const rendered = renderRequest(runtime.request, { args: { a }, secrets: {} });
  if ('value' in rendered) expect(new URL(rendered.value.url).origin).toBe(new URL(runtime.request.origin).origin);
};

export const definitions: readonly FuzzTarget[] = [
  target('cron lines', 100, fc.tuple(nearly(...LINES).map(String), fc.constantFrom(...ZONES), instant), schedules),
  target('templates of prompts', 100, fc.tuple(nearly(TEMPLATE).map(String), nearlyJson(VALUES)), renders),
  target(
    'templates of reports',
    100,
    fc.tuple(nearly(REPORT).map(String), nearly('# Output\n\n{{name}}').map(String)),
    reports,
  ),
  target('requests of own tools', 100, fc.tuple(nearlyJson(REQUEST), fc.jsonValue({ maxDepth: 2 })), requests),
];
