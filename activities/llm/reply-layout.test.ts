import { describe, expect, test } from '@jest/globals';
import { type AssistantMessage, fill, type LayoutPart } from './reply-layout.ts';

const call = (id: string) => ({ id, name: 'f', arguments: {} });
const reply = (content: string, ...ids: string[]): AssistantMessage => ({
  role: 'assistant',
  content,
  toolCalls: ids.map(call),
});
const brief = (message: AssistantMessage, layout: readonly LayoutPart[]) =>
  fill(message, layout).map((chunk) => {
    if (chunk.type === 'text') return chunk.text;
    return chunk.type === 'call' ? `#${chunk.call.id}` : `<${String(chunk.block['type'])}>`;
  });

describe('fill', () => {
  const block: LayoutPart = { type: 'block', block: { type: 't' } };
  const text = (characters: number): LayoutPart => ({ type: 'text', characters });

  test('puts text before calls when nothing is known', () => {
    expect(brief(reply('ab', '1', '2'), [])).toEqual(['ab', '#1', '#2']);
  });

  test('follows the layout', () => {
    expect(brief(reply('abc', '1', '2'), [block, text(1), { type: 'call' }, block, text(2), { type: 'call' }])).toEqual(
      ['<t>', 'a', '#1', '<t>', 'bc', '#2'],
    );
  });

  test('puts a text of another length where the first one was', () => {
    expect(brief(reply('abcd', '1'), [block, text(1), { type: 'call' }, text(1)])).toEqual(['<t>', 'abcd', '#1', '']);
  });

  test('leaves nothing out, and invents nothing, when the numbers differ', () => {
    expect(brief(reply('ab', '1', '2'), [block, { type: 'call' }])).toEqual(['<t>', 'ab', '#1', '#2']);
    expect(brief(reply('', '1'), [{ type: 'call' }, { type: 'call' }])).toEqual(['#1']);
  });
});
