import { expect } from '@jest/globals';
import type { Attack, AttackFamily } from '../attack.ts';
import type { Attacker } from '../attacker.ts';
import { say } from '../hostile-replies.ts';
import { tally } from '../tally.ts';

const LONGEST = 200_000;
const ALL_TOOLS = ['agent_spawn', 'file_write', 'file_read', 'math_evaluate', 'memory_manage', 'time_now'];

const PHRASES = [
  `calculate ${'.'.repeat(190_000)}!?`,
  'x\n'.repeat(99_000),
  `what do you remember about ${'? '.repeat(90_000)}x`,
  `read file ${'a/.'.repeat(60_000)} `,
  `use time_now ${'{'.repeat(190_000)}`,
  `write file ${'a '.repeat(90_000)}:`,
];

/** Messages that are long, many, or made for the patterns of the demo model. */
export const messages: AttackFamily = {
  name: 'messages',
  attacks: [
    asks('sends the demo model 80,000 blanks in a line', `delegate to ${' '.repeat(80_000)}x`),
    {
      name: 'sends the demo model lines made for each of its patterns',
      run: async (attacker) => {
        const chats = await attacker.chats(PHRASES.length, ALL_TOOLS);
        const endings = await Promise.all(
          chats.map(async (chatId, at) => attacker.ask(chatId, PHRASES[at]?.slice(0, LONGEST))),
        );
        for (const { kind } of endings) expect(['answered', 'stopped']).toContain(kind);
        return tally(endings.map(({ kind }) => kind));
      },
    },
    asks('sends 200,000 characters of four bytes', '🌍'.repeat(LONGEST / 2)),
    {
      name: 'sends 20 messages of 200,000 characters at once',
      run: async (attacker) => {
        await attacker.model(say('short'));
        const chats = await attacker.chats(20);
        const endings = await Promise.all(chats.map(async (chatId) => attacker.ask(chatId, 'x'.repeat(LONGEST))));
        for (const { kind } of endings) expect(['answered', 'stopped']).toContain(kind);
        return tally(endings.map(({ kind }) => kind));
      },
    },
    {
      name: 'fills a chat with 120 messages that wait',
      run: async (attacker) => {
        await attacker.model(() => undefined);
        const chatId = await attacker.chat();
        const statuses = await sendAll(
          attacker,
          Array.from({ length: 120 }, () => chatId),
        );
        expect(statuses).toContain(429);
        return tally(statuses);
      },
    },
    {
      name: 'sends messages to 200 chats whose model never answers',
      run: async (attacker) => {
        await attacker.model(() => undefined);
        const statuses = await sendAll(attacker, await attacker.chats(200));
        await attacker.waitUntilOver();
        expect(statuses).toContain(200);
        expect(statuses).toContain(429);
        return tally(statuses);
      },
    },
    {
      name: 'makes 1,000 chats',
      run: async (attacker) => {
        const chats = await attacker.chats(1_000);
        expect(chats).toHaveLength(1_000);
        return '1,000 made';
      },
    },
    {
      name: 'asks one chat after another, as fast as it can',
      run: async (attacker) => {
        await attacker.model(say('quick'));
        const chats = await attacker.chats(20);
        const endings = await attacker.repeat(20, async (index) => attacker.ask(chats[index % 20] ?? '', 'quick'));
        expect(endings.length).toBeGreaterThan(0);
        return tally(endings.map(({ kind }) => kind));
      },
    },
  ],
};

/** Opens a stream for each message, 20 at a time, and leaves them open; answers the statuses. */
async function sendAll(attacker: Attacker, chats: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  let begun = 0;
  const work = async () => {
    while (begun < chats.length) {
      begun += 1;
      const stream = await attacker.stream(chats[begun - 1] ?? '', { content: 'Wait.' });
      statuses.push(stream.status);
    }
  };
  await Promise.all(Array.from({ length: 20 }, work));
  return statuses;
}

function asks(name: string, content: string): Attack {
  return {
    name,
    run: async (attacker) => {
      const { kind, text } = await attacker.ask(await attacker.chat(ALL_TOOLS), content.slice(0, LONGEST));
      expect(['answered', 'stopped']).toContain(kind);
      return `${kind}: ${text.slice(0, 100)}`;
    },
  };
}
