import { describe, expect, jest, test } from '@jest/globals';
import type { Response } from 'express';
import type { Logger } from 'pino';
import pg from 'pg';
import { AppError } from '../../domain/core/app-error.ts';
import { problemOf, sendFailure } from './problem.ts';

/** Returns the response to a failure, and the log entry. */
function fail(error: unknown) {
  const logged = jest.fn<(fields: { requestId: string }, words: string) => void>();
  const sent: { status?: number; body?: { detail: string } } = {};
  const headers: Record<string, string> = {};
  const response = {
    req: { method: 'GET', path: '/api/x' },
    getHeader: () => undefined,
    setHeader: (name: string, value: string) => (headers[name] = value),
    status: (status: number) => {
      sent.status = status;
      return { json: (body: { detail: string }) => (sent.body = body) };
    },
  };
  sendFailure(error, response as unknown as Response, { error: logged } as unknown as Logger);
  return { ...sent, headers, logged: logged.mock.calls.map(([fields]) => fields) };
}

describe('a fault of ours', () => {
  test('is answered with nothing but an id, by which the log knows it', () => {
    const error = new Error('the password is secret');
    const [first, second] = [fail(error), fail(error)];
    const [entry] = first.logged;
    expect(first.status).toBe(500);
    expect(first.body).toEqual({ detail: `Internal error; ask the operator for the request ${entry?.requestId}` });
    expect(first.headers).toEqual({ 'x-request-id': entry?.requestId });
    expect(entry).toMatchObject({ err: error, method: 'GET', path: '/api/x', requestId: expect.stringMatching(/-7/) });
    expect(second.logged[0]?.requestId).not.toBe(entry?.requestId);
  });
});

test('a request that is invalid as a whole is answered with a list of issues, as one with invalid fields is', () => {
  const issue = { type: 'custom', loc: ['body'], msg: 'The prompt is empty' };
  expect(fail(new AppError('unprocessable', issue.msg))).toMatchObject({ status: 422, body: { detail: [issue] } });
});

describe('a conflict with other transactions that lasts', () => {
  test.each(['40P01', '40001'])('is answered with 503 and when to try again: %s', (code) => {
    const error = Object.assign(new pg.DatabaseError('aborted', 0, 'error'), { code });
    expect(problemOf(error)).toMatchObject({ status: 503, retryAfterSeconds: 2 });
  });
});
