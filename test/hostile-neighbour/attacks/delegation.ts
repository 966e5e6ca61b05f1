import { expect } from '@jest/globals';
import { createAgent, createChat } from '../../support/factories.ts';
import type { Attack, AttackFamily } from '../attack.ts';
import { callForever, type HostileCall } from '../hostile-replies.ts';

const DELEGATING = { tools: ['agent_spawn'], max_subagents: 100, max_concurrency: 100 };

/** Agents that hand work on. */
export const delegation: AttackFamily = {
  name: 'delegation',
  attacks: [
    spawns('has agents spawn 32 others at each step, three levels deep', (step) =>
      Array.from({ length: 32 }, (_, at) => spawn(at % 2 === 0 ? 'Lead' : 'Helper', `${step}.${at}`)),
    ),
    spawns('has two agents spawn each other for ever', (step) => [
      spawn('Helper', `ping ${step}`),
      spawn('Lead', `pong ${step}`),
    ]),
    spawns('hands on tasks of 250,000 characters', (step) =>
      Array.from({ length: 32 }, (_, at) => spawn('Helper', `${step}.${at} ${'t'.repeat(250_000)}`)),
    ),
    spawns('hands work to agents that do not exist', (step) =>
      Array.from({ length: 32 }, (_, at) => spawn(`Nobody ${step}.${at} ${'n'.repeat(1_000)}`, 'work')),
    ),
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
