import { expect, test } from '@jest/globals';
import { claimTurn } from '../../../db/turns/claim/claim-turn.ts';
import { serveSlackChannel } from '../../../test/support/slack-channel.ts';
import { composeToolsets } from '../../tools/toolset.ts';
import { Prompt } from './prompt.ts';

const served = serveSlackChannel();

test('a model without tools of ours is told how files of its answer come into the thread, too', async () => {
  await served.write('<@UBOT> Hello', { ts: '17.01' });
  const { orgId } = served.user;
  const [chat] = await served.chatsOf();
  const turn = await claimTurn(served.api.database, { orgId, chatId: chat?.id ?? '' });
  if (turn === undefined) throw new Error('no turn is open');
  const toolset = await composeToolsets([])({ orgId, policy: null, agent: turn.agent, turn });
  const prompt = new Prompt(turn, { personaPrompt: '', soul: {}, agentPrompt: 'Be brief.', skills: [] }, toolset, [
    'Call tools.',
  ]);
  for (const offersTools of [true, false]) {
    prompt.aimAt({ windowTokens: 10_000, takesTools: offersTools, takesImages: false, offersTools });
    const [system] = prompt.render(turn.history, new Map()).messages;
    expect(JSON.stringify(system)).toContain('is sent with it.');
    expect(JSON.stringify(system).includes('Call tools.')).toBe(offersTools);
  }
});
