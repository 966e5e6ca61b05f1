import { expect, test } from '@jest/globals';
import { CliReply } from './cli-reply.ts';
import { claudeCode } from './programs/claude-code.ts';
import type { CliProgram } from './programs/cli-program.ts';
import { codex } from './programs/codex.ts';

function usageOf(program: CliProgram, lines: readonly object[]) {
  const reply = new CliReply(program, {});
  const events = lines.flatMap((line) => [...reply.read(JSON.stringify(line))]);
  return [...events, ...reply.end('')].find(({ type }) => type === 'usage');
}

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
