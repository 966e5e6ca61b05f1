import { describe, expect, test } from '@jest/globals';
import { toEnding } from './reply-ending.ts';

describe('a reply', () => {
  test.each([
    [
      'done',
      ['stop', 'tool_calls', 'function_call', 'tool_use', 'end_turn', 'stop_sequence', 'STOP', 'eos', 'COMPLETE'],
    ],
    ['done', ['tool-calls', 'function_calls', 'Tool Calls', 'end-turn', 'endTurn', 'toolUse']],
    [
      'length',
      ['length', 'max_tokens', 'MAX_TOKENS', 'model_length', 'model_context_window_exceeded', 'max_output_tokens'],
    ],
    ['length', ['max_completion_tokens', 'max_new_tokens', 'MAX-TOKENS', 'maxTokens']],
    [
      'content_filter',
      ['content_filter', 'content_filtered', 'guardrail_intervened', 'refusal', 'sensitive', 'SAFETY', 'RECITATION'],
    ],
  ])('ends as %s by all words for it', (reason, words) => {
    for (const word of words) expect([word, toEnding(word)]).toEqual([word, { reason }]);
  });

  test.each([
    ['insufficient_system_resource', 'of an internal error (insufficient_system_resource)'],
    ['network_error', 'of an internal error (network_error)'],
    ['engine_overloaded', 'of an internal error (engine_overloaded)'],
    ['abort', 'of an internal error (abort)'],
    ['CANCELLED', 'of an internal error (CANCELLED)'],
    ['upstream_timeout', 'of an internal error (upstream_timeout)'],
    ['malformed_model_output', 'of an internal error (malformed_model_output)'],
    ['error', 'of an internal error'],
    ['OTHER', 'of an internal error'],
    ['MALFORMED_FUNCTION_CALL', 'its tool call is malformed (MALFORMED_FUNCTION_CALL)'],
    ['malformed_tool_use', 'its tool call is malformed (malformed_tool_use)'],
    ['MISSING_THOUGHT_SIGNATURE', 'its tool call is malformed (MISSING_THOUGHT_SIGNATURE)'],
  ])('that its provider broke off (%s) is a failure like a lost connection', (word, why) => {
    const failure = { kind: 'outage', message: `broke off its reply because ${why}` };
    expect(() => toEnding(word)).toThrow(expect.objectContaining(failure));
  });

  test('that ends with another word keeps it, cut and storable', () => {
    expect(toEnding('tool_calls_deferred')).toEqual({ reason: 'other', word: 'tool_calls_deferred' });
    expect(toEnding('pause_turn')).toEqual({ reason: 'other', word: 'pause_turn' });
    expect(toEnding(`Weird\u0000${'x'.repeat(200)}`)).toEqual({
      reason: 'other',
      word: `Weird\uFFFD${'x'.repeat(94)}`,
    });
  });

  test.each([null, undefined, 7, '', ' ', 'null', 'None', 'FINISH_REASON_UNSPECIFIED'])(
    'has not ended by %j',
    (said) => {
      expect(toEnding(said)).toBeUndefined();
    },
  );
});
