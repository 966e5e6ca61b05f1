import { expect } from '@jest/globals';
import type { AttackFamily } from '../attack.ts';
import type { Attacker } from '../attacker.ts';
import { expectBounded } from '../expect-ending.ts';
import { callForever, callOnce, resultsOf, say } from '../hostile-replies.ts';
import { tally } from '../tally.ts';

const WORDS = Array.from({ length: 20 }, (_, at) => `word${at}`).join(' ');

/** Memories: many, long, and searched by many words. */
export const memories: AttackFamily = {
  name: 'memories',
  attacks: [
    {
      name: 'stores memories over the api as fast as it can',
      run: async (attacker) => {
        const { json } = await attacker.client.post<{ id: string }>('/api/agents', { name: 'Archive' });
        const statuses = await attacker.repeat(20, async (index) => {
          const { status } = await attacker.client.post(`/api/agents/${json.id}/memories`, {
            content: `${index} ${'m'.repeat(9_900)}`,
          });
          return status;
        });
        expect(statuses).toContain(201);
        return tally(statuses);
      },
    },
    {
      name: 'searches 5,000 memories of 10,000 characters by 20 words, 32 times at once',
      run: async (attacker) => {
        const results: string[] = [];
        const script = callOnce(
          Array.from({ length: 32 }, (_, at) => ({
            name: 'memory_manage',
            arguments: { action: 'search', content: `${WORDS} no${at}` },
          })),
        );
        await attacker.model((request, response) => {
          results.push(...resultsOf(request));
          return script(request, response);
        });
        const agentId = await fill(attacker);
        const { json } = await attacker.client.post<{ id: string }>('/api/chats', { agent_id: agentId });
        const ending = await attacker.ask(json.id, 'Search.');
        return expectBounded({ ...ending, results });
      },
    },
    {
      name: 'asks an agent that remembers 50 million characters',
      run: async (attacker) => {
        await attacker.model(say('much'));
        const agentId = await fill(attacker);
        const { json } = await attacker.client.post<{ id: string }>('/api/chats', { agent_id: agentId });
        const { kind } = await attacker.askToTheEnd(json.id, 'What do you know?');
        expect(kind).toBe('answered');
        return kind;
      },
    },
    {
      name: 'remembers without an end',
      run: async (attacker) => {
        let steps = 0;
        const script = callForever((step) =>
          Array.from({ length: 32 }, (_, at) => ({
            name: 'memory_manage',
            arguments: { action: 'add', content: `${step} ${at} ${'m'.repeat(9_900)}` },
          })),
        );
        await attacker.model((request, response) => {
          steps += 1;
          return script(request, response);
        });
        const { kind } = await attacker.ask(await attacker.chat(['memory_manage']));
        expect(steps).toBeGreaterThan(1);
        return `${steps} steps of 32, ${kind}`;
      },
    },
  ],
};

async function fill(attacker: Attacker): Promise<string> {
  const fields = { name: 'Archive', tools: ['memory_manage'] };
  const { json } = await attacker.client.post<{ id: string }>('/api/agents', fields);
  await attacker.fill(
    `insert into agent_memories (id, org_id, agent_id, content, type, priority)
     select gen_random_uuid(), $1, $2, left(repeat(md5(n::text) || ' ', 304), 10000), 'fact', 3
     from generate_series(1, 5000) n`,
    [attacker.user.orgId, json.id],
  );
  return json.id;
}
