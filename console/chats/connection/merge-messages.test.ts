import { describe, expect, test } from '@jest/globals';
import { messageAt } from '../../../test/support/console/sample-message.ts';
import { turnsOf, withMessage, withNewest, withOlder } from './merge-messages.ts';

const messages = Array.from({ length: 10 }, (_, index) => messageAt(index));
const from = (start: number, end?: number) => messages.slice(start, end);

describe('the newest page', () => {
  test('begins a chat, and replaces what it holds', () => {
    expect(withNewest([], from(5))).toEqual(from(5));
    const changed = { ...messageAt(9), excluded: true };
    expect(withNewest(from(5), [...from(7, 9), changed])).toEqual([...from(5, 9), changed]);
  });

  test('is joined where it overlaps, on both sides', () => {
    expect(withNewest(from(2, 8), from(6))).toEqual(from(2));
    expect(withNewest(from(6, 8), from(4))).toEqual(from(4));
  });

  test('does not take back a message that was told while the page was on its way', () => {
    expect(withNewest(from(2), from(5, 9))).toEqual(from(2));
    expect(withNewest(from(9), from(5, 9))).toEqual(from(5));
  });

  test('begins anew when it does not reach what is known', () => {
    expect(withNewest(from(0, 3), from(6))).toEqual(from(6));
  });

  test('that is empty changes nothing', () => {
    expect(withNewest(from(2), [])).toEqual(from(2));
  });
});

test('an older page stands before what is known, each message once', () => {
  expect(withOlder(from(5), from(2, 6))).toEqual(from(2));
});

test('a message is added or replaced', () => {
  expect(withMessage(from(0, 2), messageAt(2))).toEqual(from(0, 3));
  const changed = { ...messageAt(1), content: 'other' };
  expect(withMessage(from(0, 3), changed)).toEqual([messageAt(0), changed, messageAt(2)]);
});

test('turns that have not changed are the same values as before', () => {
  const before = turnsOf(from(4, 9));
  const after = turnsOf([...from(2, 9), messageAt(9)], before);
  expect(after.map((turn) => before.includes(turn))).toEqual([false, true, true, false]);
  expect(after).toEqual(turnsOf(from(2)));
});

test('turns are in the order of their questions, also when those were asked during an answer', () => {
  const of = (index: number, turn_id: string, role: 'user' | 'assistant') => ({ ...messageAt(index), turn_id, role });
  const stored = [of(0, 'one', 'user'), of(1, 'two', 'user'), of(2, 'one', 'assistant'), of(3, 'report', 'assistant')];
  expect(turnsOf(stored)).toEqual([
    { turnId: 'one', question: stored[0], answer: stored[2] },
    { turnId: 'two', question: stored[1], answer: undefined },
    { turnId: 'report', question: undefined, answer: stored[3] },
  ]);
});
