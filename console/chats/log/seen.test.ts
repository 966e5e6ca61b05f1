import { beforeEach, expect, test } from '@jest/globals';
import { turnsOf } from '../connection/merge-messages.ts';
import { messageAt } from '../../../test/support/console/sample-message.ts';
import { firstUnread, keepSeen, seenUntil } from './seen.ts';

let kept: string;
beforeEach(() => {
  kept = '';
});
const keeper = { read: () => kept, write: (_key: string, text: string) => void (kept = text) };
const timeOf = (index: number) => messageAt(index).created_at;

test('a chat is seen up to the latest time that was kept', () => {
  expect(seenUntil(keeper, 'a')).toBe(undefined);
  keepSeen(keeper, 'a', timeOf(3));
  keepSeen(keeper, 'a', timeOf(1));
  expect([seenUntil(keeper, 'a'), seenUntil(keeper, 'b')]).toEqual([timeOf(3), undefined]);
});

test('of 400 chats the 300 looked at last are kept', () => {
  for (let chat = 0; chat < 400; chat += 1) keepSeen(keeper, `chat ${chat}`, timeOf(0));
  keepSeen(keeper, 'chat 100', timeOf(1));
  keepSeen(keeper, 'another', timeOf(0));
  expect(Object.keys(JSON.parse(kept) as object)).toHaveLength(300);
  expect([seenUntil(keeper, 'chat 99'), seenUntil(keeper, 'chat 101'), seenUntil(keeper, 'chat 100')]).toEqual([
    undefined,
    undefined,
    timeOf(1),
  ]);
});

test('what was kept and cannot be read is nothing', () => {
  kept = '{';
  expect(seenUntil(keeper, 'a')).toBe(undefined);
  kept = 'null';
  expect(seenUntil(keeper, 'a')).toBe(undefined);
});

test('the first unread turn is the first whose answer came later', () => {
  const turns = turnsOf([0, 1, 2, 3, 4, 5, 6].map((index) => messageAt(index)));
  expect(firstUnread(turns, timeOf(1))).toBe('turn 1');
  expect([firstUnread(turns, timeOf(5)), firstUnread(turns, undefined)]).toEqual([undefined, undefined]);
});
