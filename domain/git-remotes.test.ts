import { describe, expect, test } from '@jest/globals';
import { toItsEnd } from '../test/support/to-its-end.ts';
import { readRemoteAddress } from './git-remotes.ts';

describe('the address of a repository', () => {
  test.each([
    ['https://github.com/owner/name.git', 'https://github.com/owner/name.git', 'name'],
    ['https://github.com/owner/name/', 'https://github.com/owner/name', 'name'],
    ['HTTPS://GitHub.com:443/owner/name', 'https://github.com/owner/name', 'name'],
    ['https://git.example.com:8443/a/b/c.git', 'https://git.example.com:8443/a/b/c.git', 'c'],
    ['http://127.0.0.1:3000/x.git', 'http://127.0.0.1:3000/x.git', 'x'],
    ['git@github.com:owner/name.git', 'https://github.com/owner/name.git', 'name'],
    ['git@github.com:/owner/name', 'https://github.com/owner/name', 'name'],
    ['https://example.com/a/../b/c', 'https://example.com/b/c', 'c'],
  ])('%s is %s', (text, url, name) => {
    expect(readRemoteAddress(text)).toEqual({ url, name });
  });

  test.each([
    ['ssh://git@github.com/owner/name.git', 'not by ssh'],
    ['git://github.com/owner/name.git', 'not by git'],
    ['file:///etc', 'not by file'],
    ['ext::sh -c x', 'spaces'],
    ['ext::sh', 'not by ext'],
    ['EXT::sh', 'not by ext'],
    ['/srv/x.git', 'no address'],
    ['../x.git', 'no address'],
    ['--upload-pack=x', 'no address'],
    ['https://user:token@github.com/owner/name', 'an integration'],
    ['https://token@github.com/owner/name', 'an integration'],
    ['https://github.com/', 'must name a repository'],
    ['https://github.com/.git', 'must name a repository'],
    ['https://github.com/a//b', 'must name a repository'],
    ['https://github.com/a/b%2fc', 'must name a repository'],
    ['https://github.com/a/%zz', 'must name a repository'],
    ['https://github.com/a?x', 'query'],
    ['https://github.com/a#x', 'fragment'],
    ['https://github.com/a\\b', 'backslashes'],
    ['https://[/a', 'not a valid URL'],
  ])('%s cannot be used', (text, words) => {
    expect(readRemoteAddress(text)).toEqual({ issue: expect.stringContaining(words) });
  });

  test('is read in time in proportion to its length', async () => {
    await toItsEnd(() => {
      for (const text of ['a@'.repeat(200_000), 'a'.repeat(400_000), `git@${'a.'.repeat(200_000)}:`])
        expect(readRemoteAddress(text)).toHaveProperty('issue');
    });
  });
});
