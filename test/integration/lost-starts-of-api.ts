import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { pino } from 'pino';
import { triggerRun } from '../../db/agent-workflows/decisions/trigger-run.ts';
import { SecretBox } from '../../db/core/secret-box.ts';
import { sealGrant } from '../../db/integrations/grants.ts';
import { purgeOrg } from '../../db/membership-changes/delete-org.ts';
import { fireSchedule } from '../../db/schedules/firing/fire-schedule.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { ApiClient } from '../support/api-client.ts';
import { createChat, createProvider, registerUser, uploadFile } from '../support/factories.ts';
import { sendAsSlack, slackEvent, TEAM } from '../support/fake-slack.ts';
import { sampleItem } from '../support/index-server.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  type Fields,
  type LostStart,
  instance,
  cutOff,
  user,
  cut,
  agentId,
  host,
  index,
  receiver,
  vectors,
  slack,
  FIND,
  SEND,
  added,
  read,
  query,
  addWorkflow,
  runsOf,
  COMPLETED,
  workflowOfRun,
  stateInTemporal,
  waitingRun,
  waitingChat,
  say,
  turnsOf,
  answersOf,
  decide,
  expire,
  addSchedule,
  temporalScheduleOf,
  intervalOf,
  addProject,
  isRead,
  isSynced,
} from './lost-starts-installation.ts';

/** By where it comes in. Each prepares what it needs, while nothing is lost. */
export const LOST_STARTS: Readonly<Record<string, () => Promise<LostStart>>> = {
  'a message': async () => {
    const chatId = await createChat(user.client, agentId);
    return {
      store: async () => say(cut, chatId, '[[say hello]]'),
      outcome: async () => [await answersOf(chatId), await turnsOf(chatId)],
      once: [['hello'], [{ status: 'completed', messages: 2 }]],
    };
  },
  'the words of a message': async () => {
    const chatId = await createChat(user.client, agentId);
    return {
      store: async () => say(cut, chatId, '[[say quince]]'),
      outcome: async () => query('select count(*)::int as words from message_words where chat_id = $1', [chatId]),
      once: [{ words: 2 }],
    };
  },
  'an interrupt of a turn': async () => {
    const { chatId } = await waitingChat();
    return {
      store: async () => cut.post(`/api/chats/${chatId}/interrupt`),
      outcome: async () => turnsOf(chatId),
      once: [expect.objectContaining({ status: 'interrupted' })],
    };
  },
  'a decision about a call': async () => {
    const { chatId, approvalId } = await waitingChat();
    return {
      store: async () => decide(approvalId),
      outcome: async () => [
        await answersOf(chatId),
        await query('select count(*)::int as notes from agent_memories where content = $1', [chatId]),
      ],
      once: [['noted'], [{ notes: 1 }]],
    };
  },
  'the expiry of a call': async () => {
    const { chatId, approvalId } = await waitingChat();
    return {
      store: async () => expire(approvalId),
      outcome: async () => [await answersOf(chatId), (await read(`/api/approvals/${approvalId}`))['status']],
      once: [['noted'], 'expired'],
    };
  },
  'a run by hand': async () => {
    const id = await addWorkflow({ steps: [FIND] });
    return {
      store: async () => cut.post(`/api/workflows/${id}/trigger`, {}),
      outcome: async () => runsOf(id),
      once: [COMPLETED],
    };
  },
  'a run whose first step waits for a decision': async () => {
    const id = await addWorkflow({ steps: [SEND] });
    return {
      store: async () => cut.post(`/api/workflows/${id}/trigger`, {}),
      // The decision is asked for at once; the workflow waits for its expiry.
      outcome: async () => [await runsOf(id), await workflowOfRun(id)],
      once: [[{ status: 'running', output: null, turns: 0 }], 'RUNNING'],
    };
  },
  'a run of a webhook': async () => {
    const id = await addWorkflow({ steps: [FIND], trigger_type: 'webhook' });
    const path = `/api/workflows/${id}`;
    await user.client.post(`${path}/activate`);
    return {
      store: async () => cut.as(undefined).post(`${path}/webhook`, {}),
      outcome: async () => runsOf(id),
      once: [COMPLETED],
    };
  },
  'a run by an agent': async () => {
    const id = await addWorkflow({ steps: [FIND] });
    const step = { name: 'find', promptTemplate: FIND.prompt_template, agentId, approval: false, retries: 0 };
    const workflow = { id, orgId: user.orgId, name: 'Report', agentId, promptTemplate: '', steps: [step] };
    const trigger = { userId: user.id, triggeredBy: 'agent', variables: {}, deliveryKey: undefined } as const;
    return {
      // As its tool does, in a worker that reaches no Temporal.
      store: async () => {
        const { database } = cutOff;
        const deps = {
          database,
          orgLimits: parseOrgLimits(''),
          approvalWaitMs: 3_600_000,
          log: pino({ level: 'silent' }),
        };
        await triggerRun(deps, workflow, trigger);
      },
      outcome: async () => runsOf(id),
      once: [COMPLETED],
    };
  },
  'the end of a run that another one waits for': async () => {
    const id = await addWorkflow({ steps: [SEND], max_concurrent_runs: 1 });
    const path = `/api/workflows/${id}`;
    for (let run = 0; run < 2; run += 1) await user.client.post(`${path}/trigger`, {});
    const first = await waitUntil('the first one to wait', async () =>
      (await read<{ id: string; status: string }[]>(`${path}/runs`)).find(({ status }) => status === 'waiting'),
    );
    const second = async () =>
      query('select id, status from workflow_runs where workflow_id = $1 and id <> $2', [id, first.id]);
    return {
      store: async () => cut.post(`${path}/runs/${first.id}/interrupt`),
      outcome: async () => {
        const [run] = await second();
        return [run?.['status'], await stateInTemporal(String(run?.['id']))];
      },
      once: ['running', 'RUNNING'],
    };
  },
  'a decision about a step': async () => {
    const { id, approvalId } = await waitingRun();
    return {
      store: async () => decide(approvalId),
      outcome: async () => runsOf(id),
      once: [{ status: 'completed', output: 'sent', turns: 2 }],
    };
  },
  'the expiry of a step': async () => {
    const { id, approvalId } = await waitingRun();
    return {
      store: async () => expire(approvalId),
      outcome: async () => runsOf(id),
      once: [expect.objectContaining({ status: 'failed', turns: 1 })],
    };
  },
  'an interrupt of a run': async () => {
    const { id, run } = await waitingRun();
    return {
      store: async () => cut.post(`/api/workflows/${id}/runs/${String(run['id'])}/interrupt`),
      // The api ends the run; its workflow still waits.
      outcome: async () => [await runsOf(id), await workflowOfRun(id)],
      once: [[expect.objectContaining({ status: 'interrupted', turns: 1 })], 'COMPLETED'],
    };
  },
  'the deletion of the conversation of a run': async () => {
    const { id, run } = await waitingRun();
    return {
      store: async () => cut.delete(`/api/chats/${String(run['chat_id'])}`),
      // The api ends the run; its workflow still waits.
      outcome: async () => [await runsOf(id), await workflowOfRun(id)],
      once: [[expect.objectContaining({ status: 'interrupted' })], 'COMPLETED'],
    };
  },
  'a schedule': async () => {
    let id = '';
    const fields = { name: 'Report', agent_id: agentId, prompt: '[[say found]]', interval_minutes: 60 };
    return {
      store: async () => {
        id = await added('/api/schedules', fields, cut);
      },
      outcome: async () => intervalOf(id),
      once: 3_600_000,
    };
  },
  'a change of a schedule': async () => {
    const id = await addSchedule();
    return {
      store: async () => cut.patch(`/api/schedules/${id}`, { interval_minutes: 30 }),
      outcome: async () => intervalOf(id),
      once: 1_800_000,
    };
  },
  'a pause of a schedule': async () => {
    const id = await addSchedule();
    return {
      store: async () => cut.post(`/api/schedules/${id}/deactivate`),
      outcome: async () => intervalOf(id),
      once: 'paused',
    };
  },
  'the deletion of a schedule': async () => {
    const id = await addSchedule();
    return {
      store: async () => {
        await cut.delete(`/api/schedules/${id}`);
        // Its next slot removes the Temporal Schedule.
        await temporalScheduleOf(id).update((found) => ({ ...found, spec: { intervals: [{ every: '1 second' }] } }));
      },
      outcome: async () => intervalOf(id),
      once: null,
    };
  },
  'a run of a schedule by hand': async () => {
    const id = await addSchedule();
    return {
      store: async () => cut.post(`/api/schedules/${id}/trigger`),
      outcome: async () => runsOf(id),
      once: [COMPLETED],
    };
  },
  'a run of a slot of a schedule': async () => {
    const scheduleId = await addSchedule();
    return {
      // As the workflow of the slot does, on a worker that reaches no Temporal.
      store: async () => {
        await query("update schedules set next_run_at = date_trunc('second', now()) where id = $1", [scheduleId]);
        await fireSchedule(cutOff.database, { orgId: user.orgId, scheduleId }, new Date(), parseOrgLimits(''));
      },
      outcome: async () => runsOf(scheduleId),
      once: [COMPLETED],
    };
  },
  'runs of a schedule that are backfilled': async () => {
    const id = await addSchedule({ cron_expr: '@daily', interval_minutes: null });
    const span = { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' };
    return {
      store: async () => cut.post(`/api/schedules/${id}/backfill`, span),
      outcome: async () => runsOf(id),
      once: [COMPLETED, COMPLETED],
    };
  },
  'a task': async () => {
    const chatId = await createChat(user.client, agentId);
    let id = '';
    return {
      store: async () => {
        id = await added('/api/tasks', { chat_id: chatId, title: '[[say found]]', assigned_agent_id: agentId }, cut);
      },
      outcome: async () => read(`/api/tasks/${id}`),
      once: expect.objectContaining({ status: 'completed', attempts: 1, output: 'found' }),
    };
  },
  'the end of a task that another one waits for': async () => {
    const chatId = await createChat(user.client, agentId);
    const first = await added('/api/tasks', { chat_id: chatId, title: 'By a person' });
    const fields = { chat_id: chatId, title: '[[say found]]', assigned_agent_id: agentId, depends_on: [first] };
    const second = await added('/api/tasks', fields);
    return {
      store: async () => {
        for (const status of ['in_progress', 'completed']) await cut.patch(`/api/tasks/${first}`, { status });
      },
      outcome: async () => read(`/api/tasks/${second}`),
      once: expect.objectContaining({ status: 'completed', attempts: 1, output: 'found' }),
    };
  },
  'an interrupt of a task': async () => {
    const chatId = await createChat(user.client, agentId);
    const fields = { chat_id: chatId, title: '[[hold never after 1 chunk]]', assigned_agent_id: agentId };
    const id = await added('/api/tasks', fields);
    await waitUntil('the task to be worked on', async () =>
      (await read(`/api/tasks/${id}`))['status'] === 'in_progress' ? true : undefined,
    );
    return {
      store: async () => cut.post(`/api/tasks/${id}/interrupt`),
      outcome: async () => read(`/api/tasks/${id}`),
      once: expect.objectContaining({ status: 'interrupted', attempts: 1 }),
    };
  },
  'a delivery of a webhook': async () => {
    const chatId = await createChat(user.client, agentId);
    const path = `/api/chats/${chatId}/webhook`;
    await user.client.patch(path, { url: `${receiver.url}/${chatId}` });
    await say(user.client, chatId, '[[say hello]]');
    const id = await waitUntil('the delivery', async () => {
      const [delivery] = await read<{ id: string; status: string }[]>(`${path}/deliveries`);
      return delivery?.status === 'delivered' ? delivery.id : undefined;
    });
    return {
      store: async () => cut.post(`${path}/deliveries/${id}/redeliver`),
      outcome: async () => receiver.seen.filter(({ url }) => url.endsWith(chatId)).length,
      once: 2,
    };
  },
  'a message that a channel has received': async () => {
    const credentials = { token: 'xoxb-of-the-tests' };
    const integration = { kind: 'slack', name: 'Slack', base_url: slack.url, credentials };
    const secret = 'a signing secret';
    const id = await added('/api/channels', {
      name: 'Slack',
      kind: 'slack',
      agent_id: agentId,
      integration_id: await added('/api/integrations', integration),
      secret,
      matches_email: true,
    });
    slack.users.set('U1', { id: 'U1', team_id: TEAM, is_email_confirmed: true, profile: { email: user.email } });
    return {
      store: async () => sendAsSlack(cutOff.url, id, slackEvent({ text: '<@UBOT> [[say found]]' }), { secret }),
      outcome: async () => slack.shown,
      once: ['found'],
    };
  },
  'a file': async () => {
    const chatId = await createChat(user.client, agentId);
    return {
      store: async () => uploadFile(cut, chatId),
      outcome: async () => query('select status from chat_files where chat_id = $1', [chatId]),
      once: [{ status: 'ready' }],
    };
  },
  'a document': async () => {
    const path = `/api/knowledge-bases/${await added('/api/knowledge-bases', { name: 'Handbook' })}`;
    let id = '';
    return {
      store: async () => {
        id = await added(`${path}/documents`, { text: 'The medlar is late.' }, cut);
      },
      outcome: async () => read(`${path}/documents/${id}`),
      once: expect.objectContaining({ status: 'ready', passages: 1 }),
    };
  },
  'the choice of a model for vectors': async () => {
    const other = await registerUser(instance.api.url);
    await createProvider(other.client, vectors.url);
    const base = { name: 'Handbook', embedding_model: 'off' };
    const path = `/api/knowledge-bases/${await added('/api/knowledge-bases', base, other.client)}`;
    await added(`${path}/documents`, { text: 'The medlar is late.' }, other.client);
    const shown = async () => (await other.client.get<Fields>(path)).json;
    await waitUntil('the document to be read', async () => ((await shown())['passages'] === 1 ? true : undefined));
    return {
      store: async () =>
        new ApiClient(cutOff.url, other.accessToken).patch(path, { embedding_model: 'openai-compatible/small' }),
      outcome: async () => [await shown(), vectors.texts.length],
      once: [expect.objectContaining({ embedding: expect.objectContaining({ status: 'ready', passages: 1 }) }), 1],
    };
  },
  'a repository': async () => {
    let id = '';
    return {
      store: async () => {
        id = await addProject(cut);
      },
      outcome: async () => read(`/api/projects/${id}`),
      // The host has no files.
      once: expect.objectContaining({ repo_status: 'failed', repo_error: expect.stringContaining('status 404') }),
    };
  },
  'a sync with a code host': async () => {
    const path = `/api/projects/${await isRead(await addProject(user.client))}`;
    let id = '';
    return {
      store: async () => {
        id = await added(`${path}/sync-issues`, {}, cut);
      },
      outcome: async () => read(`${path}/syncs/${id}`),
      once: expect.objectContaining({ status: 'completed', created: 1, updated: 0 }),
    };
  },
  'a change that a code host is told': async () => {
    const projectId = await isRead(await addProject(user.client, { sync_direction: 'both' }));
    const id = await isSynced(projectId);
    return {
      store: async () => cut.patch(`/api/issues/${id}`, { title: 'Another title' }),
      outcome: async () => host.writes.filter((write) => write.includes('Another title')).length,
      once: 1,
    };
  },
  'the end of a grant of an integration': async () => {
    const credentials = { client_id: 'a-client', client_secret: 'a-sample-secret' };
    const id = await added('/api/integrations', { kind: 'gitlab', name: 'Code', base_url: receiver.url, credentials });
    const grant = sealGrant(new SecretBox([TEST_SECRET_KEY]), { orgId: user.orgId, id }, { accessToken: 'a-token' });
    await query('update integrations set granted = $2 where id = $1', [id, grant]);
    return {
      store: async () => cut.delete(`/api/integrations/${id}`),
      outcome: async () => receiver.seen.filter(({ url }) => url === '/oauth/revoke').length,
      once: 1,
    };
  },
  'a request to fetch an index': async () => {
    const version = async () => (await read('/api/marketplace/helper'))['version'];
    index.offer(await sampleItem({ slug: 'helper' }));
    await user.client.post('/api/marketplace-indexes/refresh');
    await waitUntil('the item', async () => ((await version()) === '1.0.0' ? true : undefined));
    return {
      store: async () => {
        index.offer(await sampleItem({ slug: 'helper', version: '1.1.0' }));
        // As if the last time were longer ago.
        await query("update marketplace_indexes set checked_at = now() - interval '1 hour'");
        await cut.post('/api/marketplace-indexes/refresh');
      },
      outcome: version,
      once: '1.1.0',
    };
  },
  'the deletion of an organization': async () => {
    const other = await registerUser(instance.api.url);
    return {
      store: async () => new ApiClient(cutOff.url, other.accessToken).delete(`/api/orgs/${other.orgId}`),
      outcome: async () => query('select from orgs where id = $1', [other.orgId]),
      once: [],
    };
  },
  'the removal of the files of a deleted organization': async () => {
    const other = await registerUser(instance.api.url);
    const folder = join(instance.workspaces, other.orgId);
    mkdirSync(folder);
    return {
      store: async () => {
        await new ApiClient(cutOff.url, other.accessToken).delete(`/api/orgs/${other.orgId}`);
        // As its workflow does before that is lost.
        await purgeOrg(cutOff.database, other.orgId, () => undefined);
      },
      outcome: async () => existsSync(folder),
      once: false,
    };
  },
};
