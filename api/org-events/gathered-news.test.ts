import { beforeEach, describe, expect, test } from '@jest/globals';
import type { RecordNews } from '../../db/core/after-commit.ts';
import { GatheredNews } from './recent-news.ts';

let gathered: GatheredNews;
beforeEach(() => {
  gathered = new GatheredNews({ ofOrg: 3, inAll: 5 });
});

function add(orgId: string, ...ids: readonly string[]): void {
  for (const id of ids) gathered.add(newsOf(orgId, id));
}

function newsOf(orgId: string, id: string, action: RecordNews['action'] = 'changed'): RecordNews {
  return { orgId, resource: 'agents', id, action };
}

describe('gathered news', () => {
  test('contain each record once, with the last action, and are empty after they were taken', () => {
    add('a', '1', '2', '1');
    gathered.add(newsOf('a', '1', 'deleted'));
    expect([...gathered.take()]).toEqual([['a', [newsOf('a', '1', 'deleted'), newsOf('a', '2')]]]);
    expect(gathered.take().size).toBe(0);
  });

  test('of an organization with too many are lost, and those of others are not', () => {
    add('busy', '1', '2', '3', '4', '5');
    add('quiet', '1');
    expect(gathered.take()).toEqual(
      new Map<string, unknown>([
        ['busy', 'lost'],
        ['quiet', [newsOf('quiet', '1')]],
      ]),
    );
    add('busy', '1');
    expect(gathered.take().get('busy')).toEqual([newsOf('busy', '1')]);
  });

  test('of the organization with the most are lost when there are too many of all', () => {
    add('small', '1');
    add('large', '1', '2', '3');
    add('middle', '1', '2');
    expect([...gathered.take()].map(([orgId, news]) => [orgId, news === 'lost' || news.length])).toEqual([
      ['large', true],
      ['small', 1],
      ['middle', 2],
    ]);
  });

  test('that were lost take no room, so that others can come again', () => {
    add('a', '1', '2', '3', '4');
    add('b', '1', '2', '3');
    add('c', '1', '2');
    expect([...gathered.take()].flatMap(([orgId, news]) => (news === 'lost' ? [orgId] : []))).toEqual(['a']);
  });
});
