import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { AppError } from '../../domain/core/app-error.ts';
import { ConnectionRegistry, type LastingConnection } from './connection-registry.ts';

let registry: ConnectionRegistry;
beforeEach(() => {
  jest.useFakeTimers();
  registry = new ConnectionRegistry(pino({ level: 'silent' }));
});
afterEach(() => {
  registry.close();
  jest.useRealTimers();
});

function connect(check: () => Promise<void>) {
  const connection = {
    userId: 'ada',
    recordIds: ['acme'],
    expiresAt: undefined,
    check: jest.fn(check),
    end: jest.fn(),
  };
  const remove = registry.register(connection satisfies LastingConnection);
  return { ...connection, remove };
}

test('a connection whose right is gone is ended by the next check', async () => {
  const { end } = connect(async () => {
    throw new AppError('forbidden', 'gone');
  });
  await jest.advanceTimersByTimeAsync(60_000);
  expect(end).toHaveBeenCalledTimes(1);
});

test('a round of checks that is slow is not followed by another before it ends', async () => {
  const slow = Promise.withResolvers<void>();
  const { check } = connect(async () => slow.promise);
  await jest.advanceTimersByTimeAsync(180_000);
  expect(check).toHaveBeenCalledTimes(1);
  slow.resolve();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(check).toHaveBeenCalledTimes(2);
});

test('an announced change is checked while a slow round lasts', async () => {
  const { check } = connect(async () => new Promise<void>(() => undefined));
  await jest.advanceTimersByTimeAsync(60_000);
  void registry.recheck('ada');
  expect(check).toHaveBeenCalledTimes(2);
});

test('a connection that comes or goes while a round lasts is not part of it', async () => {
  const first = Promise.withResolvers<void>();
  connect(async () => first.promise);
  const gone = connect(async () => undefined);
  const round = registry.recheck();
  gone.remove();
  const late = connect(async () => undefined);
  first.resolve();
  await round;
  expect(gone.check).not.toHaveBeenCalled();
  expect(late.check).not.toHaveBeenCalled();
});

test('a change of a chat or an organization is checked on the connections to it, and on no others', async () => {
  const { check } = connect(async () => undefined);
  await registry.recheck('elsewhere');
  expect(check).not.toHaveBeenCalled();
  await registry.recheck('acme');
  expect(check).toHaveBeenCalledTimes(1);
});
