import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { Random } from '../../test/support/random.ts';
import { formatEventId, parseEventId, type StreamingText, ViewerCursor } from './viewer-cursor.ts';

const ROUNDS = 400;

/** Returns the growing answer of some attempts: each says the same, or something else from a random position on. */
function grow(random: Random, turnId: string, mayDiverge: boolean): { states: StreamingText[]; texts: string[] } {
  const whole = Array.from(random.text(40));
  const states: StreamingText[] = [];
  const texts: string[] = [];
  for (let attempt = 1; attempt <= 1 + random.below(3); attempt += 1) {
    const own = mayDiverge
      ? [...whole.slice(0, random.below(whole.length + 1)), ...Array.from(random.text(20))]
      : whole;
    texts.push(own.join(''));
    for (let length = 0; length <= own.length; length += 1 + random.below(10)) {
      states.push({ turnId, attempt, text: own.slice(0, length).join('') });
    }
  }
  return { states, texts };
}

describe('a viewer', () => {
  test('is shown the whole text and no character twice, when attempts repeat each other and connections break', () => {
    for (let seed = 0; seed < ROUNDS; seed += 1) {
      const random = new Random(seed);
      const turnId = randomUUID();
      const { states, texts } = grow(random, turnId, false);
      const [text = ''] = texts;
      let cursor = new ViewerCursor();
      let shown = '';
      for (const state of [...states, { turnId, attempt: Number.POSITIVE_INFINITY, text }]) {
        if (random.chance(0.2)) cursor = reconnect(cursor);
        shown += cursor.advance(state);
        expect([seed, text.startsWith(shown)]).toEqual([seed, true]);
      }
      expect([seed, shown]).toEqual([seed, text]);
    }
  });

  test('is shown the beginning of one attempt and never a mixture, when attempts differ', () => {
    for (let seed = 0; seed < ROUNDS; seed += 1) {
      const random = new Random(seed);
      const turnId = randomUUID();
      const { states, texts } = grow(random, turnId, true);
      const stored = texts.at(-1) ?? '';
      let cursor = new ViewerCursor();
      let shown = '';
      for (const state of [...states, { turnId, attempt: Number.POSITIVE_INFINITY, text: stored }]) {
        if (random.chance(0.2)) cursor = reconnect(cursor);
        shown += cursor.advance(state);
        expect([seed, texts.some((text) => text.startsWith(shown))]).toEqual([seed, true]);
      }
      if (stored.startsWith(shown)) continue;
      expect([seed, cursor.advance({ turnId, attempt: Number.POSITIVE_INFINITY, text: stored })]).toEqual([seed, '']);
    }
  });

  test('continues without the whole text, when it has been shown exactly what comes before', () => {
    const cursor = new ViewerCursor();
    const said = { turnId: 'a', attempt: 1 };
    expect(cursor.follow(said, 0, 'one')).toBeUndefined();
    cursor.advance({ ...said, text: 'one' });
    expect(cursor.follow(said, 3, ' two')).toEqual({ turnId: 'a', length: 7, crc: crc32('one two') });
    expect(cursor.follow(said, 3, ' two')).toBeUndefined();
    expect(cursor.follow({ ...said, attempt: 2 }, 7, ' three')).toBeUndefined();
    expect(cursor.follow({ ...said, turnId: 'b' }, 7, ' three')).toBeUndefined();
    expect(cursor.advance({ ...said, text: 'one two three' })).toBe(' three');
  });

  test('is shown no more by what follows, when it has seen something else', () => {
    const cursor = new ViewerCursor();
    cursor.advance({ turnId: 'a', attempt: 1, text: 'one' });
    cursor.advance({ turnId: 'a', attempt: 2, text: 'two!' });
    expect(cursor.follow({ turnId: 'a', attempt: 2 }, 3, '!')).toBeUndefined();
    expect(cursor.follow({ turnId: 'a', attempt: 1 }, 3, '!')).toBeUndefined();
  });

  test('is shown each turn from its start, when one follows the other', () => {
    const cursor = new ViewerCursor();
    expect(cursor.advance({ turnId: 'a', attempt: 1, text: 'one' })).toBe('one');
    expect(cursor.advance({ turnId: 'b', attempt: 1, text: 'one' })).toBe('one');
  });

  test('continues where it was, when another turn is shown before the one that it resumes', () => {
    const turnId = randomUUID();
    const before = new ViewerCursor();
    before.advance({ turnId, attempt: 1, text: 'one' });
    const after = reconnect(before);
    after.advance({ turnId: randomUUID(), attempt: 1, text: 'earlier' });
    expect(after.advance({ turnId, attempt: 1, text: 'one two' })).toBe(' two');
  });

  test('is shown nothing, when it claims to have seen what the turn never said', () => {
    const turnId = randomUUID();
    const cursor = new ViewerCursor({ turnId, length: 2, crc: 1 });
    expect(cursor.advance({ turnId, attempt: 1, text: 'one two' })).toBe('');
  });
});

function reconnect(cursor: ViewerCursor): ViewerCursor {
  return new ViewerCursor(cursor.position && parseEventId(formatEventId(cursor.position)));
}

describe('parseEventId', () => {
  const id = randomUUID();
  test.each([undefined, '', 'x', id, `${id}:1`, `${id}:1:`, `${id}:-1:1`, `${id}:1:1:1`, `${id}:1e3:1`, ` ${id}:1:1`])(
    'knows nothing of %p',
    (value) => expect(parseEventId(value)).toBeUndefined(),
  );

  test('reads what formatEventId wrote', () => {
    const position = { turnId: id, length: 12, crc: 4_294_967_295 };
    expect(parseEventId(formatEventId(position))).toEqual(position);
  });
});
