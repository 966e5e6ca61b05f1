import { expect } from '@jest/globals';
import { createAgent, createChat } from '../../support/factories.ts';
import type { Attack, AttackFamily } from '../attack.ts';
import { callForever, callOnce, type HostileCall, resultsOf, say } from '../hostile-replies.ts';

const DELEGATING = { tools: ['agent_spawn'], max_subagents: 100, max_concurrency: 100 };

/** Agents that hand work on. */
export const delegation: AttackFamily = {
  name: 'delegation',
  attacks: [
    spawns('has two agents spawn each other for ever', (step) => [
      spawn('Helper', `ping ${step}`),
      spawn('Lead', `pong ${step}`),
    ]),
    spawns('has agents spawn 32 others at each step, three levels deep', (step) =>
      Array.from({ length: 32 }, (_, at) => spawn(at % 2 === 0 ? 'Lead' : 'Helper', `${step}.${at}`)),
    ),
    spawns('hands on tasks of 250,000 characters', (step) =>
      Array.from({ length: 32 }, (_, at) => spawn('Helper', `${step}.${at} ${'t'.repeat(250_000)}`)),
    ),
    spawns('hands work to agents that do not exist', (step) =>
      Array.from({ length: 32 }, (_, at) => spawn(`Nobody ${step}.${at} ${'n'.repeat(1_000)}`, 'work')),
    ),
    {
      name: 'has 31 sub-agents quote 900,000 characters each',
      run: async (attacker) => {
        const quote = say('q'.repeat(900_000));
        const script = callOnce(Array.from({ length: 31 }, (_, at) => spawn('Helper', `Quote no. ${at}`)));
        let quotes = 0;
        let results: string[] = [];
        await attacker.model((request, response) => {
          const { messages = [] } = (request.body ?? {}) as { messages?: readonly { content: string }[] };
          if (messages.at(-1)?.content.includes('Quote no.') !== true || resultsOf(request).length > 0) {
            results = resultsOf(request);
            return script(request, response);
          }
          quotes += 1;
          return quote(request, response);
        });
        const lead = await createAgent(attacker.client, { name: 'Lead', ...DELEGATING });
        await createAgent(attacker.client, { name: 'Helper' });
        const { kind } = await attacker.ask(await createChat(attacker.client, lead), undefined, 8_000);
        expect(['answered', 'stopped']).toContain(kind);
        expect(quotes).toBeGreaterThan(1);
        return `${quotes} quotes, ${results.length} results, ${kind}`;
      },
    },
  ],
};

function spawn(agent: string, task: string): HostileCall {
  return { name: 'agent_spawn', arguments: { agent, task } };
}

function spawns(name: string, callsOf: (step: number) => readonly HostileCall[]): Attack {
  return {
    name,
    run: async (attacker) => {
      let steps = 0;
      const script = callForever(callsOf);
      await attacker.model((request, response) => {
        steps += 1;
        return script(request, response);
      });
      const lead = await createAgent(attacker.client, { name: 'Lead', ...DELEGATING });
      await createAgent(attacker.client, { name: 'Helper', ...DELEGATING });
      const { kind } = await attacker.ask(await createChat(attacker.client, lead), undefined, 3_000);
      expect(['failed', 'stopped', 'stopping']).toContain(kind);
      expect(steps).toBeGreaterThan(1);
      return `${steps} model calls, ${kind}`;
    },
  };
}
