import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { installTracing, type Span, tracing } from '../domain/telemetry/tracing.ts';
import { OtlpReceiver } from '../test/support/otlp-receiver.ts';
import { waitUntil } from '../test/support/wait-until.ts';
import { createLog } from './log.ts';
import { startTracing } from './start-tracing.ts';

const SETTINGS = {
  OTEL_EXPORTER_OTLP_HEADERS: { authorization: 'Bearer of-the-collector' },
  OTEL_TRACES_SAMPLER_ARG: 1,
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: false,
};
const CALLER = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };

let collector: OtlpReceiver;
beforeEach(async () => {
  collector = await OtlpReceiver.start();
});
afterEach(() => {
  installTracing(undefined);
  collector.close();
});

/** Traces while `work` runs, and returns the spans that the collector has then: so many. */
async function traced(work: () => Promise<void>, count = 1, settings: Partial<typeof SETTINGS> = {}) {
  const given = { ...SETTINGS, ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` };
  const stop = await startTracing('everturn-test', given);
  await work();
  await stop();
  // A process that stops waits for the collector for some seconds only.
  await waitUntil('the spans', () => collector.spans.length >= count || undefined);
  return collector.spans;
}

const parentOf = (flags: string) => `00-${CALLER.traceId}-${CALLER.spanId}-${flags}`;

test('a span continues the trace of its caller, and is sent with the headers of the operator', async () => {
  const start = { name: 'request', kind: 'server', parent: parentOf('01') } as const;
  const [span] = await traced(async () => tracing.within(start, async () => undefined));
  expect(span).toMatchObject({ traceId: CALLER.traceId, parentSpanId: CALLER.spanId, service: 'everturn-test' });
  expect(collector.headers.authorization).toBe('Bearer of-the-collector');
});

test.each([
  ['that its caller does not keep', parentOf('00'), 1],
  ['beyond the share that is kept', undefined, 0],
])('a trace %s is not sent', async (_which, parent, share) => {
  const work = async () => tracing.within({ name: 'request', parent }, async () => undefined);
  expect(await traced(work, 0, { OTEL_TRACES_SAMPLER_ARG: share })).toEqual([]);
});

test.each(['no header at all', '00-short', `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`])(
  'a caller that sends "%s" as its context begins a trace of its own',
  async (parent) => {
    const [span] = await traced(async () => tracing.within({ name: 'request', parent }, async () => undefined));
    expect(span?.parentSpanId).toBeUndefined();
    expect(span?.traceId).not.toMatch(/^0+$/);
  },
);

test('the spans of a process for a turn are children of the span that another one exports at its end', async () => {
  const turn = { id: randomUUID(), traceparent: parentOf('01') };
  const alone = { id: randomUUID(), traceparent: null };
  const end = { name: 'turn', startedAt: Date.now(), attributes: {}, failure: undefined };
  await traced(async () => {
    for (const each of [turn, alone])
      await tracing.within({ name: 'step', parent: tracing.contextOf(each) }, async () => undefined);
  }, 2);
  await traced(async () => {
    tracing.endTurn(turn, end);
    tracing.endTurn(alone, { ...end, failure: 'turn_failed' });
  }, 4);
  expect(collector.treeOf(CALLER.traceId, CALLER.spanId)).toEqual([['turn', [['step', []]]]]);
  expect(collector.treeOf(alone.id.replaceAll('-', ''))).toEqual([['turn', [['step', []]]]]);
});

test('work that throws fails its span by the name of the error, without its words', async () => {
  const work = async () => {
    throw new RangeError('with a secret in it');
  };
  const [span] = await traced(async () => expect(tracing.within({ name: 'work' }, work)).rejects.toThrow('a secret'));
  expect(span).toMatchObject({ attributes: { 'error.type': 'RangeError' }, status: { code: 2 } });
  expect(collector.received).not.toContain('secret');
});

test('work that has said how it failed keeps that kind when it throws', async () => {
  const work = async (span: Span) => {
    span.fail('outage');
    throw new Error('anything');
  };
  const [span] = await traced(async () => expect(tracing.within({ name: 'work' }, work)).rejects.toThrow('anything'));
  expect(span).toMatchObject({ attributes: { 'error.type': 'outage' }, status: { code: 2 } });
});

test('lines of the log name the span that they were written in', async () => {
  const lines: unknown[] = [];
  const log = createLog({ name: 'test', level: 'info', to: { write: (line) => void lines.push(JSON.parse(line)) } });
  const [span] = await traced(async () => tracing.within({ name: 'work' }, async () => log.info('inside')));
  log.info('outside');
  expect(lines).toEqual([
    expect.objectContaining({ msg: 'inside', trace_id: span?.traceId, span_id: span?.spanId }),
    expect.not.objectContaining({ trace_id: expect.anything() }),
  ]);
});
