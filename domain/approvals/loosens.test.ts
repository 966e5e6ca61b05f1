import { expect, test } from '@jest/globals';
import { loosensApproval, STRICTEST_APPROVAL, type ToolApproval } from './loosens.ts';
import { APPROVAL_MODES, type ApprovalModes, needsApproval } from './mode.ts';

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
