import { expect, test } from '@jest/globals';
import {
  APPROVAL_MODES,
  type ApprovalModes,
  loosensApproval,
  needsApproval,
  STRICTEST_APPROVAL,
  type ToolApproval,
} from './approvals.ts';

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

const says = (approval: ToolApproval['approval'], effect: ToolApproval['effect']) => ({ approval, effect });
const ALL = APPROVAL_MODES.flatMap((mode) => [says(mode, 'read'), says(mode, 'keyed'), says(mode, 'once')]);

test.each([
  ['always', 'once', 'writes', 'once', true],
  ['always', 'read', 'writes', 'read', true],
  ['always', 'once', 'never', 'once', true],
  ['writes', 'once', 'never', 'once', true],
  ['writes', 'read', 'never', 'once', true],
  ['writes', 'once', 'writes', 'read', true],
  ['never', 'once', 'never', 'read', true],
  ['never', 'keyed', 'always', 'read', true],
  ['never', 'read', 'never', 'once', false],
  ['never', 'once', 'never', 'keyed', false],
  ['never', 'once', 'always', 'once', false],
] as const)('from %s and %s to %s and %s', (mode, effect, otherMode, otherEffect, isLooser) => {
  expect(loosensApproval(says(mode, effect), says(otherMode, otherEffect))).toBe(isLooser);
});

test('what loosens nothing has calls wait wherever they did, whatever an agent says', () => {
  const said = [undefined, ...APPROVAL_MODES];
  const agents = said.flatMap((ofTool) =>
    said.map((ofAll): ApprovalModes => ({ ...(ofTool && { tool: ofTool }), ...(ofAll && { '*': ofAll }) })),
  );
  const waits = (modes: ApprovalModes, { approval, effect }: ToolApproval) =>
    needsApproval(modes, { key: 'tool', approval }, effect);
  for (const former of [...ALL, STRICTEST_APPROVAL]) {
    for (const wanted of ALL.filter((each) => !loosensApproval(former, each)))
      expect(agents.filter((modes) => waits(modes, former) && !waits(modes, wanted))).toEqual([]);
  }
});

test.each(ALL)('the strictest is at least as strict as %j', (each) => {
  expect(loosensApproval(each, STRICTEST_APPROVAL)).toBe(false);
});
