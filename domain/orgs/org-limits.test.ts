import { describe, expect, test } from '@jest/globals';
import { parseOrgLimits } from './org-limits.ts';

describe('parseOrgLimits', () => {
  test('keeps the default of what is not named', () => {
    const defaults = parseOrgLimits('');
    expect(defaults).toMatchObject({ agents: 1_000, chats: 20_000, apiKeys: 50, messageBytes: 5_368_709_120 });
    expect(parseOrgLimits(' agents=5 , message_bytes=2GB,api_keys=0')).toEqual({
      ...defaults,
      agents: 5,
      messageBytes: 2_147_483_648,
      apiKeys: Number.MAX_SAFE_INTEGER,
    });
  });

  test.each(['agents', 'agents=', 'agents=-1', 'agents=1.5', 'agent=1', 'apiKeys=1', 'agents=5TB', 'agents=1;chats=2'])(
    'refuses %j',
    (text) => {
      expect(() => parseOrgLimits(text)).toThrow('must be a list like agents=50');
    },
  );
});
