import { expect, test } from '@jest/globals';
import { needsApproval } from './mode.ts';

const tool = { key: 'file_write' };

test.each([
  ['nothing is said', {}, {}, 'once', false],
  ['the tool says writes, and the call writes', {}, { approval: 'writes' }, 'keyed', true],
  ['the tool says writes, and the call reads', {}, { approval: 'writes' }, 'read', false],
  ['the tool says writes, and the call hands work over', {}, { approval: 'writes' }, 'agent', true],
  ['the agent says always of all tools', { '*': 'always' }, {}, 'read', true],
  [
    'the agent says never of all tools, and the tool says always',
    { '*': 'never' },
    { approval: 'always' },
    'read',
    true,
  ],
  [
    'the agent says always of all tools, and the tool says writes',
    { '*': 'always' },
    { approval: 'writes' },
    'read',
    true,
  ],
  ['the agent says never of the tool', { '*': 'always', file_write: 'never' }, { approval: 'always' }, 'once', false],
  ['the agent says writes of the key by which it lists the tool', { mcp: 'writes' }, { listedAs: 'mcp' }, 'once', true],
  [
    'the agent names the tool and the key by which it lists it',
    { mcp: 'always', file_write: 'never' },
    { listedAs: 'mcp' },
    'once',
    false,
  ],
] as const)('a call waits as it should when %s', (_when, modes, more, effect, isAsked) => {
  expect(needsApproval(modes, { ...tool, ...more }, effect)).toBe(isAsked);
});

test('a tool that is called like a property of all objects is not taken for a named one', () => {
  expect(needsApproval({}, { key: 'constructor', approval: 'always' }, 'read')).toBe(true);
});
