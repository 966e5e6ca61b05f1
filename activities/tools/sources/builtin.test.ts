import { beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { policyOf } from '../../../domain/permissions/policy.ts';
import type { Lacking } from '../../../domain/tools/needs.ts';
import { registerUser, type TestUser } from '../../../test/support/factories.ts';
import { serveTestApi } from '../../../test/support/serve-test-api.ts';
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
const tools = [
  defineTool({ ...plain, key: 'plain' }),
  defineTool({ ...plain, key: 'confined', needs: 'sandbox' }),
  defineTool({ ...plain, key: 'searching', needsIntegration: ['brave', 'exa'] }),
];
const served = serveTestApi();
let user: TestUser;
beforeAll(async () => {
  user = await registerUser(served.url);
});

async function toolsetWhere(lacks: Lacking, { orgId }: TestUser = user) {
  const { database } = served.api;
  const toolsetFor = composeToolsets([builtinTools({ database, lacking: () => lacks }, tools)]);
  const agent = { id: 'a', tools: ['plain', 'confined', 'searching'], skills: [] };
  return toolsetFor({ orgId, policy: policyOf('member', []), agent });
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

test('a tool that needs an integration is offered once its organization has one of a fitting kind', async () => {
  const owner = await registerUser(served.url);
  const add = async (kind: string) =>
    owner.client.post('/api/integrations', {
      kind,
      name: kind,
      credentials: kind === 'github' ? { token: 'token-1' } : { api_key: 'key-1' },
    });
  const offered = async (member: TestUser) => {
    const toolset = await toolsetWhere({}, member);
    return toolset.offered().map(({ name }) => name);
  };
  await add('github');
  expect(await offered(owner)).not.toContain('searching');
  expect(await (await toolsetWhere({}, owner)).find('searching')?.plan([{}])).toEqual([
    {
      error: {
        kind: 'denied',
        message: expect.stringMatching(
          /^The tool searching cannot be used: .* an integration with Brave Search or Exa, /,
        ),
      },
    },
  ]);
  await add('exa');
  expect(await offered(owner)).toContain('searching');
  expect(await offered(user)).not.toContain('searching');
});
