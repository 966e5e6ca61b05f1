import { expect, test } from '@jest/globals';
import { ChatFixture } from '../test/support/chat-fixture.ts';
import { serveTestDatabase } from '../test/support/serve-test-database.ts';
import { claimTurn } from './turns/claim/claim-turn.ts';
import { addMemory, listPromptMemories, type NewMemory } from './memories.ts';

const database = serveTestDatabase({ poolSize: 4 });

/** Creates a chat whose agent remembers something, oldest first. */
async function remembering(memories: readonly Partial<NewMemory>[]) {
  const chat = await ChatFixture.create(database);
  const owner = { orgId: chat.ref.orgId, agentId: chat.agentId };
  for (const memory of memories) {
    await addMemory(database, owner, { content: '', type: 'fact', tags: [], priority: 3, ...memory });
  }
  return {
    chat,
    owner,
    contents: async () => (await listPromptMemories(database, owner)).map(({ content }) => content),
  };
}

test('instructions come first, then the other kinds, each by priority and the newest first', async () => {
  const { contents } = await remembering([
    { content: 'example', type: 'example', priority: 5 },
    { content: 'old fact' },
    { content: 'new fact' },
    { content: 'great fact', priority: 5 },
    { content: 'context', type: 'context', priority: 5 },
    { content: 'instruction', type: 'instruction', priority: 1 },
  ]);
  expect(await contents()).toEqual(['instruction', 'great fact', 'new fact', 'old fact', 'context', 'example']);
});

test('what may repeat text from outside, and what is longer than all that is shown, is left out', async () => {
  const { contents } = await remembering([
    { content: 'kept' },
    { content: 'from a page', isForeign: true },
    { content: 'x'.repeat(4_001), priority: 5 },
  ]);
  expect(await contents()).toEqual(['kept']);
});

test('no more is read than is shown', async () => {
  const { contents } = await remembering(
    Array.from({ length: 9 }, (_, index) => ({ content: `${index}`.repeat(1_000) })),
  );
  expect((await contents()).map((content) => content[0])).toEqual(['8', '7', '6', '5']);
});

test('a turn gets those of its agent, unless its user may not see memories', async () => {
  const { chat, owner } = await remembering([{ content: 'Likes tea.' }]);
  await remembering([{ content: 'Of another agent.' }]);
  await chat.accept();
  expect(await claimTurn(database, chat.ref)).toMatchObject({ policy: null, memories: [] });
  const member = [owner.orgId, chat.userId, 'member'];
  await database.system.query('insert into memberships (org_id, user_id, role) values ($1, $2, $3)', member);
  expect(await claimTurn(database, chat.ref)).toMatchObject({ memories: [{ type: 'fact', content: 'Likes tea.' }] });
});
