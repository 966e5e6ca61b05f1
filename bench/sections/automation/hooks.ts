import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'undici';
import { PAUSE_MS } from '../../loads/latency.ts';
import { add, ANSWER, type Owner } from './open-orgs.ts';

/** The webhook of an active workflow, and with what its requests are signed. */
export interface Hook {
  readonly path: string;
  readonly secret: string | undefined;
}

/** Requests that were answered, and how long each took in milliseconds. */
export interface Sent {
  readonly times: readonly number[];
  readonly seconds: number;
}

const CONNECTIONS = 16;
const SECRET = 'the secret of a webhook';
/** Another one each time: what is signed with the same signature is one event. */
const newBody = () => JSON.stringify({ title: ANSWER, text: 'x'.repeat(500), event: randomUUID() });

/** Adds an active workflow with a webhook for each owner. */
export async function openHooks(owners: readonly Owner[], isSigned: boolean): Promise<Hook[]> {
  const secret = isSigned ? SECRET : undefined;
  const hooks: Hook[] = [];
  for (const { user, agentId } of owners) {
    const fields = { name: 'Triage', agent_id: agentId, trigger_type: 'webhook', prompt_template: '{{ title }}' };
    const id = await add(user, '/api/workflows', { ...fields, webhook_secret: secret ?? null });
    const { status } = await user.client.post(`/api/workflows/${id}/activate`);
    if (status !== 200) throw new Error(`the activation of a workflow answered ${status}`);
    hooks.push({ path: `/api/workflows/${id}/webhook`, secret });
  }
  return hooks;
}

/** Sends so many requests, one after the other, to one webhook after the other. */
export async function sendSingly(pool: Pool, hooks: readonly Hook[], count: number): Promise<Sent> {
  const times: number[] = [];
  const startedAt = performance.now();
  for (let at = 0; at < count; at += 1) {
    times.push(await send(pool, hooks, at));
    await sleep(PAUSE_MS);
  }
  return { times, seconds: secondsSince(startedAt) };
}

/** Sends requests for a while, several at once. */
export async function sendAtOnce(pool: Pool, hooks: readonly Hook[], ms: number): Promise<Sent> {
  const times: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  const senders = Array.from({ length: CONNECTIONS }, async () => {
    while (performance.now() - startedAt < ms) {
      next += 1;
      times.push(await send(pool, hooks, next));
    }
  });
  await Promise.all(senders);
  return { times, seconds: secondsSince(startedAt) };
}

async function send(pool: Pool, hooks: readonly Hook[], at: number): Promise<number> {
  const hook = hooks[at % hooks.length];
  if (hook === undefined) throw new Error('there is no webhook');
  const startedAt = performance.now();
  const sent = newBody();
  const headers = { 'content-type': 'application/json', ...signature(hook.secret, sent) };
  const { statusCode, body } = await pool.request({ method: 'POST', path: hook.path, headers, body: sent });
  await body.dump();
  if (statusCode !== 202) throw new Error(`POST ${hook.path} answered ${statusCode}`);
  return performance.now() - startedAt;
}

function signature(secret: string | undefined, body: string): Record<string, string> {
  if (secret === undefined) return {};
  const time = Math.floor(Date.now() / 1000);
  const digest = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return { 'x-everturn-signature': `t=${time},v1=${digest}` };
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}
