import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { RecordNews } from '../../db/core/after-commit.ts';
import { type ChatNews, RecentNews } from './recent-news.ts';

let recent: RecentNews;
beforeEach(() => {
  jest.useFakeTimers();
  recent = new RecentNews({ forMs: 1_000, ofOrg: 3, inAll: 6 });
  jest.advanceTimersByTime(1_000);
});
afterEach(() => {
  jest.useRealTimers();
});

function keep(orgId: string, ...ids: readonly string[]): void {
  for (const id of ids) recent.keep(newsOf(orgId, id));
}

function newsOf(orgId: string, id: string, action: RecordNews['action'] = 'changed'): RecordNews {
  return { orgId, resource: 'agents', id, action };
}

function ofChat(chatId: string): ChatNews {
  return { resource: 'chats', id: chatId, action: 'changed', chatId };
}

function idsOf(orgId: string, ms = 1_000): readonly (string | null)[] | 'lost' {
  const news = recent.ofLast(ms, orgId);
  return news === 'lost' ? news : news.map(({ id }) => id);
}

describe('recent news', () => {
  test('are those of an organization, each record once, with what was done last, and of chats of whichever', () => {
    keep('a', '1', '2');
    recent.keep(newsOf('a', '1', 'deleted'));
    recent.keep(ofChat('chat'));
    keep('b', '3');
    expect(recent.ofLast(1_000, 'a')).toEqual([newsOf('a', '2'), newsOf('a', '1', 'deleted'), ofChat('chat')]);
    expect(recent.ofLast(1_000, 'c')).toEqual([ofChat('chat')]);
  });

  test('are those since the time that is asked for, of which nothing may be missing', () => {
    keep('a', '1');
    jest.advanceTimersByTime(600);
    keep('a', '2');
    jest.advanceTimersByTime(300);
    expect([idsOf('a', 900), idsOf('a', 899), idsOf('a', 0)]).toEqual([['1', '2'], ['2'], []]);
    expect([idsOf('a', 1_000), idsOf('a', 1_001)]).toEqual([['1', '2'], 'lost']);
  });

  test('are not known of the time before the first, nor before they were cleared', () => {
    expect(new RecentNews({ forMs: 1_000, ofOrg: 3, inAll: 6 }).ofLast(1, 'a')).toBe('lost');
    keep('a', '1');
    recent.clear();
    jest.advanceTimersByTime(10);
    expect([idsOf('a', 11), idsOf('b', 11), idsOf('a', 10)]).toEqual(['lost', 'lost', []]);
  });

  test('of an organization with too many are lost, and those of others are not', () => {
    keep('quiet', '1');
    keep('busy', '1', '2', '3', '4');
    jest.advanceTimersByTime(10);
    keep('busy', '5');
    expect([idsOf('busy'), idsOf('quiet')]).toEqual(['lost', ['1']]);
    expect(idsOf('busy', 10)).toEqual(['5']);
  });

  test('of chats of whichever are lost to all when there are too many', () => {
    for (const chatId of ['1', '2', '3', '4']) recent.keep(ofChat(chatId));
    keep('a', '1');
    expect([idsOf('a'), idsOf('b')]).toEqual(['lost', 'lost']);
    jest.advanceTimersByTime(10);
    expect(idsOf('a', 9)).toEqual([]);
  });

  test('of the organizations with the most are lost when there are too many of all', () => {
    keep('small', '1');
    keep('large', '1', '2', '3');
    keep('middle', '1', '2', '3');
    expect([idsOf('small'), idsOf('large'), idsOf('middle')]).toEqual([['1'], 'lost', 'lost']);
  });

  test('that are too old make room, and those of nobody are lost for it', () => {
    keep('old', '1', '2', '3');
    keep('older', '1', '2', '3');
    jest.advanceTimersByTime(1_001);
    keep('new', '1');
    expect([idsOf('old'), idsOf('older'), idsOf('new')]).toEqual([[], [], ['1']]);
  });

  test('of very many organizations are lost together', () => {
    for (const orgId of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) keep(orgId, '1');
    expect([idsOf('a'), idsOf('g'), idsOf('h')]).toEqual(['lost', 'lost', 'lost']);
  });
});
