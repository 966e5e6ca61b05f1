import { expect, test } from '@jest/globals';
import { CliReply } from './cli-reply.ts';
import { claudeCode } from './programs/claude-code.ts';
import type { CliProgram } from './programs/cli-program.ts';
import { codex } from './programs/codex.ts';

function eventsOf(program: CliProgram, lines: readonly object[]) {
  const reply = new CliReply(program, {});
  const events = lines.flatMap((line) => [...reply.read(JSON.stringify(line))]);
  return [...events, ...reply.end('')];
}

const usageOf = (...[program, lines]: Parameters<typeof eventsOf>) =>
  eventsOf(program, lines).find(({ type }) => type === 'usage');

test.each([
  ['end_turn', 'done'],
  [null, 'done'],
  ['refusal', 'content_filter'],
  ['model_context_window_exceeded', 'length'],
  ['pause_turn', 'other'],
])('a reply of Claude Code that stops with %s ends as %s', (stop, reason) => {
  expect(eventsOf(claudeCode, [{ type: 'result', stop_reason: stop }]).at(-1)).toEqual({ type: 'end', reason });
});

test.each([
  ['{"error":{"message":"quota exceeded"}}', 'quota exceeded'],
  ['at least one account is needed', 'at least one account'],
  ['Error: no quota\n    at run (/opt/x.js:1:2)\n}', 'complete: Error: no quota'],
])('what a program says as it ends is told without its stack: %j', (lastWords, words) => {
  const reply = new CliReply(codex, {});
  reply.exitCode = 1;
  expect(() => [...reply.end(lastWords)]).toThrow(words);
});

test('zeros at the end of a program do not replace what it has counted, and zeros alone count nothing', () => {
  const begun = { type: 'message_start', message: { usage: { input_tokens: 12, output_tokens: 1 } } };
  const ended = { type: 'message_delta', delta: {}, usage: { output_tokens: 7 } };
  const result = { type: 'result', usage: { input_tokens: 0, output_tokens: 0 } };
  const lines = [{ type: 'stream_event', event: begun }, { type: 'stream_event', event: ended }, result];
  expect(usageOf(claudeCode, lines)).toMatchObject({ usage: { inputTokens: 12, outputTokens: 7 } });
  expect(usageOf(claudeCode, [result])).toBeUndefined();
  const completed = { type: 'turn.completed', usage: { input_tokens: 0, output_tokens: 0 } };
  expect(usageOf(codex, [completed])).toBeUndefined();
});
