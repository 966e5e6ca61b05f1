import { expect, test } from '@jest/globals';
import { readSignInCode, stateOfAddress } from './index.ts';

test.each([
  [' a-code\n', { code: 'a-code', state: undefined }],
  ['a-code#a-state', { code: 'a-code', state: 'a-state' }],
  ['4/0Abc-_x', { code: '4/0Abc-_x', state: undefined }],
  ['http://localhost:1455/auth/callback?code=a%2Fcode&state=a-state', { code: 'a/code', state: 'a-state' }],
  ['https://platform.claude.com/callback?state=s&code=c#fragment', { code: 'c', state: 's' }],
])('reads %j', (copied, expected) => {
  expect(readSignInCode(copied)).toEqual(expected);
});

test.each([
  '',
  '#a-state',
  'a code',
  'one\ntwo',
  'https://claude.ai/callback?error=access_denied',
  'https://x.y/?code=%zz',
])('finds no code in %j', (copied) => {
  expect(readSignInCode(copied)).toBeUndefined();
});

test('finds the state that a page gives back in its address, where that shows one', () => {
  expect(stateOfAddress('https://claude.ai/oauth/authorize?code=true&state=a-state&x=1')).toBe('a-state');
  expect(stateOfAddress('https://claude.ai/oauth/authorize?opaque')).toBeUndefined();
  expect(stateOfAddress(null)).toBeUndefined();
});
