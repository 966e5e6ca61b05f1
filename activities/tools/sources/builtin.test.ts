import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { policyOf } from '../../../domain/permissions/index.ts';
import type { Lacking } from '../../../domain/tools/index.ts';
import { defineTool } from '../define-tool.ts';
import { composeToolsets } from '../toolset.ts';
import { builtinTools } from './builtin.ts';

const plain = {
  name: 'A tool',
  description: 'Does something that is of no importance here.',
  category: 'utility',
  parameters: z.strictObject({}),
  effect: 'read',
  timeoutSeconds: 1,
  run: async () => ({ value: 1 }),
} as const;
const tools = [defineTool({ ...plain, key: 'plain' }), defineTool({ ...plain, key: 'confined', needs: 'sandbox' })];

async function toolsetWhere(lacks: Lacking) {
  const toolsetFor = composeToolsets([builtinTools({ lacking: () => lacks }, tools)]);
  const agent = { id: 'a', tools: ['plain', 'confined'], skills: [] };
  return toolsetFor({ orgId: 'o', policy: policyOf('member', []), agent });
}

test('a tool is offered where what it needs is there', async () => {
  const toolset = await toolsetWhere({});
  expect(toolset.offered().map(({ name }) => name)).toEqual(['plain', 'confined']);
});

test('a tool that needs what is not there is not offered, and a call of it is denied in words', async () => {
  const toolset = await toolsetWhere({ sandbox: 'bubblewrap is missing' });
  expect(toolset.offered().map(({ name }) => name)).toEqual(['plain']);
  expect(await toolset.find('confined')?.plan([{}])).toEqual([
    { error: { kind: 'denied', message: 'The tool confined cannot be used: bubblewrap is missing' } },
  ]);
});
