import { describe, expect, test } from '@jest/globals';
import { toItsEnd } from '../../test/support/to-its-end.ts';
import { describeSoul, joinSouls, MAX_SOUL_CHARACTERS } from './soul.ts';

describe('describeSoul', () => {
  test('writes entries in words, in their order', () => {
    const soul = { tone: 'dry', speaking_style: { humour: false, sentenceLength: 12 }, values: ['truth', 'kindness'] };
    expect(describeSoul(soul)).toBe(
      '# Character\n\n- Tone: dry\n- Speaking style\n  - Humour: no\n  - Sentence length: 12\n- Values: truth; kindness',
    );
  });

  test('lists objects in lists one by one', () => {
    expect(describeSoul({ examples: [{ says: 'Aye.' }, 'plain'] })).toBe(
      '# Character\n\n- Examples\n  - Entry\n    - Says: Aye.\n  - plain',
    );
  });

  test.each([{}, { tone: null }, { tone: '  ' }, { values: [] }, { more: {} }])(
    'is empty when it says nothing: %j',
    (soul) => {
      expect(describeSoul(soul)).toBe('');
    },
  );

  test('keeps a value in its line, cut when it is long', () => {
    expect(describeSoul({ tone: 'dry\n\n# Not a heading' })).toContain('- Tone: dry # Not a heading');
    expect(describeSoul({ tone: 'x'.repeat(600) })).toMatch(/x{500} …$/);
  });

  test('defuses calls', () => {
    expect(describeSoul({ tone: '``` tool_call' })).toContain('``` quoted_tool_call');
  });

  test('leaves out what lies too deep', () => {
    const words = describeSoul({ a: { b: { c: { d: 'in', e: { f: 'out' } } } } });
    expect(words).toContain('- D: in');
    expect(words).not.toContain('out');
  });

  test('is bounded however much there is, and says so', async () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`entry ${index}`, 'words']));
    const words = await toItsEnd(() => describeSoul(many));
    expect(words.length).toBeLessThan(MAX_SOUL_CHARACTERS + 50);
    expect(words).toContain('- Entry 0: words');
    expect(words).toMatch(/left out\.\)$/);
  });
});

test('the entries of an agent count before those of its persona', () => {
  expect(joinSouls({ tone: 'dry', humour: 'some' }, { tone: 'warm' })).toEqual({ tone: 'warm', humour: 'some' });
});
