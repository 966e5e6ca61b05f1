import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';

const parameters = z.strictObject({
  title: z.string().min(1).max(200).describe('One line that says what you want to do.'),
  details: z
    .string()
    .min(1)
    .max(10_000)
    .describe('What exactly would happen, to what, and what speaks against it. The person sees this and the title.'),
  action: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The values that matter, such as an amount, an address or a version. The person may change them.'),
});

/** Asks a person to allow an action. The call itself is what waits, so it only returns that it was approved. */
export const approvalRequest = defineTool({
  key: 'approval_request',
  name: 'Ask for approval',
  description:
    'Asks a person to allow what you are about to do, and waits for their decision. ' +
    'Use it before a step that cannot be undone or that costs something, unless the tool that takes the step asks for approval itself.',
  category: 'platform',
  onlyInChats: true,
  parameters,
  effect: 'read',
  approval: 'always',
  timeoutSeconds: 10,
  inline: true,
  label: ({ title }) => `Approval: ${title.slice(0, 80)}`,
  run: async ({ title, action }, { isApproved }) => {
    if (!isApproved)
      throw new ToolFailure(
        'denied',
        'Nobody was asked: the settings of this agent say that calls of this tool do not wait. Ask in your answer instead',
      );
    return { value: { approved: true, title, ...(action !== undefined && { action }) } };
  },
});
