import { expect, test } from '@jest/globals';
import pg from 'pg';
import { UnreadableSecret } from '../../db/core/secret-box.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { HandOver, NoFreeSlot } from './failure-interceptor.ts';
import { isPassing } from './passing-error.ts';

const withCode = (code: string) => Object.assign(new Error('x'), { code });
const ofStatement = (code: string) => Object.assign(new pg.DatabaseError('x', 1, 'error'), { code });
const named = (name: string) => Object.assign(new Error('x'), { name });

test.each([
  ['a database that is not reached', withCode('ECONNREFUSED')],
  ['a host that is away', new Error('x', { cause: withCode('EHOSTUNREACH') })],
  ['a broken connection', new Error('Connection terminated unexpectedly')],
  ['a server that starts', ofStatement('57P03')],
  ['a connection that PostgreSQL has lost', ofStatement('08006')],
  ['a database without room', ofStatement('53100')],
  ['a deadlock', ofStatement('40P01')],
  ['a statement that took too long', ofStatement('57014')],
  ['a database that is not migrated yet', ofStatement('42703')],
  ['a standby', ofStatement('25006')],
  ['a full disk', withCode('ENOSPC')],
  ['a disk that has become read-only', withCode('EROFS')],
  ['a machine without processes left', withCode('EAGAIN')],
  ['an engine that is away', named('ServiceError')],
  ['an aborted signal', named('AbortError')],
  ['a store that is away', new AppError('unavailable', 'x')],
  ['a worker that hands over', new HandOver()],
  ['a place that is not free', new NoFreeSlot()],
])('passes by itself: %s', (_what, error) => {
  expect(isPassing(error)).toBe(true);
});

test.each([
  ['a bug', new TypeError("Cannot read properties of undefined (reading 'x')")],
  ['a stored text that is not JSON', new SyntaxError('Unexpected token')],
  ['a secret that cannot be decrypted', new UnreadableSecret('x')],
  ['a value that is too long', ofStatement('22001')],
  ['a violated constraint', ofStatement('23514')],
  ['a record that is gone', new AppError('not_found', 'x')],
  ['a file that is missing', withCode('ENOENT')],
  ['what is no error', 'x'],
])('comes again with each attempt: %s', (_what, error) => {
  expect(isPassing(error)).toBe(false);
});
