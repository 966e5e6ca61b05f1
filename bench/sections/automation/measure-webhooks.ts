import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { quantile } from '../../figures/statistics.ts';
import type { Instance } from '../../instance/instance.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { PAUSE_MS } from '../../loads/latency.ts';
import { figure, printHeading, printRows, type Target } from '../../report/target.ts';
import type { Bench } from '../../section.ts';
import { add, ANSWER, openOrgs, type Owner, tallyRuns, waitForRuns } from './open-orgs.ts';

const ORGS = 8;
const P50_MS = 20;
const RATE = 150;

/** The requests to webhooks of one kind. */
interface Measured {
  readonly name: string;
  readonly singly: Sent;
  readonly atOnce: Sent;
}

/** The time without Temporal, and what became of the runs afterwards. */
interface Away {
  readonly measured: Measured;
  readonly runs: number;
  /** Runs whose turn was stored while it was away. */
  readonly begun: number;
  /** From its return to the end of the last run. */
  readonly endedAfterSeconds: number;
}

/** Measures and prints how fast webhooks are answered that start runs, also while Temporal is away. */
export async function measureWebhooks(bench: Bench): Promise<Target[]> {
  const { instance, options } = bench;
  await new ModelControl(instance.model.url).followDirectives();
  const owners = await openOrgs(instance, ORGS);
  const hooks = { plain: await openHooks(owners, false), signed: await openHooks(owners, true) };
  const pool = new Pool(instance.apiUrl, { connections: ORGS * 2 });
  try {
    await sendSingly(pool, [...hooks.plain, ...hooks.signed], options.latencyWarmUpTurns);
    let runs = options.latencyWarmUpTurns;
    const measured: Measured[] = [];
    for (const [name, of] of [
      ['unsigned', hooks.plain],
      ['signed', hooks.signed],
    ] as const) {
      const one = await measure(bench, { pool, hooks: of, name });
      measured.push(one);
      runs += countOf(one);
      await waitForRuns(instance, owners, runs);
    }
    const away = await measureAway(bench, { pool, hooks: hooks.signed, owners, runs });
    print([...measured, away.measured], away);
    return [...measured, away.measured].flatMap(targetsOf);
  } finally {
    await pool.close();
  }
}

interface Sending {
  readonly pool: Pool;
  readonly hooks: readonly Hook[];
}

async function measure({ options }: Bench, { pool, hooks, name }: Sending & { name: string }): Promise<Measured> {
  const singly = await sendSingly(pool, hooks, options.comparedTurns);
  return { name, singly, atOnce: await sendAtOnce(pool, hooks, options.webhookMs) };
}

async function measureAway(
  bench: Bench,
  { owners, runs, ...sending }: Sending & { owners: readonly Owner[]; runs: number },
): Promise<Away> {
  const { instance } = bench;
  const { measured, tally } = await withoutTemporal(instance, async () => {
    const sent = await measure(bench, { ...sending, name: 'signed, while Temporal is away' });
    return { measured: sent, tally: await tallyRuns(instance, owners) };
  });
  const returnedAt = Date.now();
  const sent = countOf(measured);
  const { lastEndedAt } = await waitForRuns(instance, owners, runs + sent);
  const endedAfterSeconds = Math.max(0, lastEndedAt - returnedAt) / 1000;
  return { measured, runs: sent, begun: tally.begun - runs, endedAfterSeconds };
}

function countOf({ singly, atOnce }: Measured): number {
  return singly.times.length + atOnce.times.length;
}

function print(measured: readonly Measured[], { runs, begun, endedAfterSeconds }: Away): void {
  printHeading(`A webhook that starts a run, answered with 202; ${ORGS} organizations, 16 connections`);
  printRows([
    ['', 'one at a time p50 ms', 'p95', 'requests/s', 'at once p50 ms', 'p95'],
    ...measured.map(({ name, singly, atOnce }) => [
      name,
      figure(quantile(singly.times, 0.5)),
      figure(quantile(singly.times, 0.95)),
      figure(atOnce.times.length / atOnce.seconds, 0),
      figure(quantile(atOnce.times, 0.5)),
      figure(quantile(atOnce.times, 0.95)),
    ]),
  ]);
  process.stdout.write(
    `  Of ${runs} runs without Temporal ${begun} had their turn stored meanwhile; all had completed ${figure(endedAfterSeconds)} s after the supervisor could start it again.\n`,
  );
}

function targetsOf({ name, singly, atOnce }: Measured): Target[] {
  return [
    { name: `webhook, ${name}, p50`, measured: quantile(singly.times, 0.5), bound: P50_MS, better: 'less', unit: 'ms' },
    {
      name: `webhooks a second, ${name}`,
      measured: atOnce.times.length / atOnce.seconds,
      bound: RATE,
      better: 'more',
      unit: '/s',
    },
  ];
}

/** Does work while Temporal is killed and the supervisor, which would start another, stands still. */
async function withoutTemporal<T>(instance: Instance, work: () => Promise<T>): Promise<T> {
  const pid = instance.pid('Temporal');
  if (pid === undefined) throw new Error('Temporal does not run');
  process.kill(instance.supervisor, 'SIGSTOP');
  try {
    process.kill(pid, 'SIGKILL');
    return await work();
  } finally {
    process.kill(instance.supervisor, 'SIGCONT');
  }
}

/** The webhook of an active workflow, and with what its requests are signed. */
interface Hook {
  readonly path: string;
  readonly secret: string | undefined;
}

/** Requests that were answered, and how long each took in milliseconds. */
interface Sent {
  readonly times: readonly number[];
  readonly seconds: number;
}

const CONNECTIONS = 16;
const SECRET = 'the secret of a webhook';
/** Another one each time: what is signed with the same signature is one event. */
const newBody = () => JSON.stringify({ title: ANSWER, text: 'x'.repeat(500), event: randomUUID() });

/** Adds an active workflow with a webhook for each owner. */
async function openHooks(owners: readonly Owner[], isSigned: boolean): Promise<Hook[]> {
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
async function sendSingly(pool: Pool, hooks: readonly Hook[], count: number): Promise<Sent> {
  const times: number[] = [];
  const startedAt = performance.now();
  for (let at = 0; at < count; at += 1) {
    times.push(await send(pool, hooks, at));
    await sleep(PAUSE_MS);
  }
  return { times, seconds: secondsSince(startedAt) };
}

/** Sends requests for a while, several at once. */
async function sendAtOnce(pool: Pool, hooks: readonly Hook[], ms: number): Promise<Sent> {
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
