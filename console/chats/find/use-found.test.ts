import { expect, test } from '@jest/globals';
import { turnsOf } from '../connection/merge-messages.ts';
import { messageAt } from '../../../test/support/console/sample-message.ts';
import { matchesIn } from './use-found.ts';

const turns = turnsOf([
  messageAt(0, { content: 'Compare the Reports' }),
  messageAt(1, { content: 'They differ.' }),
  messageAt(2, { content: 'Why?' }),
  messageAt(3, { content: 'The reports count by month.' }),
  messageAt(4, { content: 'no answer yet' }),
]);

test('questions and answers are found in whatever case', () => {
  expect(matchesIn(turns, ' reports ')).toEqual(['turn 0', 'turn 1']);
  expect(matchesIn(turns, 'answer')).toEqual(['turn 2']);
});

test('a single character finds nothing', () => {
  expect([matchesIn(turns, 't'), matchesIn(turns, '')]).toEqual([[], []]);
});
