import { expect } from '@jest/globals';
import { createAgent, createChat } from '../support/factories.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  type LostStart,
  cut,
  user,
  agentId,
  receiver,
  FIND,
  added,
  read,
  query,
  COMPLETED,
  addWorkflow,
  runsOf,
  workflowOfRun,
  say,
  endTurn,
  begun,
} from './lost-starts-installation.ts';

/** By what a worker stores that is cut off from Temporal then: how turns end, which wait for the model until then. */
export const LOST_BY_WORKER: Readonly<Record<string, () => Promise<LostStart>>> = {
  'the end of the turn of a run': async () => {
    const id = await addWorkflow({ steps: [{ name: 'hold', prompt_template: '[[hold step after 1 chunk]]' }, FIND] });
    await user.client.post(`/api/workflows/${id}/trigger`, {});
    const [run] = await read<{ chat_id: string }[]>(`/api/workflows/${id}/runs`);
    const chatId = await begun(String(run?.chat_id));
    return {
      store: async () => endTurn(chatId, 'step'),
      outcome: async () => runsOf(id),
      once: [{ ...COMPLETED, turns: 2 }],
    };
  },
  'the end of a run that is stopped while a call of a sub-agent waits for a decision': async () => {
    const keeper = { name: 'Keeper', tools: ['memory_manage'], requires_approval: { memory_manage: 'writes' } };
    await createAgent(user.client, keeper);
    const lead = await createAgent(user.client, { tools: ['agent_spawn'], max_subagents: 1 });
    const task = '[[tool memory_manage {"action":"add","content":"x"}]]';
    const spawn = `[[tool agent_spawn ${JSON.stringify({ agent: keeper.name, task })}]]`;
    const id = await addWorkflow({ agent_id: lead, prompt_template: spawn });
    await user.client.post(`/api/workflows/${id}/trigger`, {});
    const runId = await waitUntil('the call to wait', async () => {
      const [waiting] = await query(
        `select r.id from workflow_runs r join turns t on t.run_id = r.id
          join approvals p on p.root_turn_id = t.id and p.status = 'pending' where r.workflow_id = $1`,
        [id],
      );
      return waiting === undefined ? undefined : String(waiting['id']);
    });
    return {
      store: async () => {
        await cut.post(`/api/workflows/${id}/runs/${runId}/interrupt`);
        await waitUntil('the run to end', async () => {
          const [run] = await query('select status from workflow_runs where id = $1', [runId]);
          return run?.['status'] === 'interrupted' ? true : undefined;
        });
      },
      // The worker that ends its turn ends the run; its workflow still waits.
      outcome: async () => [await runsOf(id), await workflowOfRun(id)],
      once: [[expect.objectContaining({ status: 'interrupted', turns: 1 })], 'COMPLETED'],
    };
  },
  'the end of an attempt at a task that another one waits for': async () => {
    const chatId = await createChat(user.client, agentId);
    const fields = { chat_id: chatId, assigned_agent_id: agentId };
    const first = await added('/api/tasks', { ...fields, title: '[[hold task after 1 chunk]]' });
    const second = await added('/api/tasks', { ...fields, title: '[[say found]]', depends_on: [first] });
    const subChatId = await waitUntil('the task to be worked on', async () => {
      const [task] = await query('select sub_chat_id as "chatId" from tasks where id = $1', [first]);
      return typeof task?.['chatId'] === 'string' ? task['chatId'] : undefined;
    });
    await begun(subChatId);
    return {
      store: async () => endTurn(subChatId, 'task'),
      outcome: async () => read(`/api/tasks/${second}`),
      once: expect.objectContaining({ status: 'completed', attempts: 1, output: 'found' }),
    };
  },
  'the end of a turn that a webhook is told of': async () => {
    const chatId = await createChat(user.client, agentId);
    await user.client.patch(`/api/chats/${chatId}/webhook`, { url: `${receiver.url}/${chatId}` });
    await say(user.client, chatId, '[[hold told after 1 chunk]]');
    await begun(chatId);
    return {
      store: async () => endTurn(chatId, 'told'),
      outcome: async () => receiver.seen.filter(({ url }) => url.endsWith(chatId)).length,
      once: 1,
    };
  },
};
