import { expect, test } from '@jest/globals';
import { isTemporalAway } from './client.ts';

const withCode = (code: number, message = 'failed') => Object.assign(new Error(message), { code });

test.each([
  ['is not reachable', withCode(14)],
  ['did not respond in time', withCode(4)],
  ['did not respond in time, as the connection of a worker says it', withCode(1, '1 CANCELLED: Timeout expired')],
  [
    'is not reachable, as the connection of a worker says it',
    new Error('tonic::transport::Error(Transport, ConnectError)'),
  ],
  ['is one of several causes', new AggregateError([new Error('other'), withCode(14)])],
])('isTemporalAway finds an error that says that it %s, below others', (_what, error) => {
  expect(isTemporalAway(new Error('not started', { cause: error }))).toBe(true);
});

test.each([
  ['a workflow that is not there', withCode(5)],
  ['a call that was cancelled', withCode(1)],
  ['no error', undefined],
])('isTemporalAway leaves %s alone', (_what, error) => {
  expect(isTemporalAway(error)).toBe(false);
});
