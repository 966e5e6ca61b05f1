import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { OutsideServer } from '../../../test/support/outside-server.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { wakeWorkflow } from '../../../workflows/core/client.ts';
import { WORKFLOWS_OF_WORK } from '../../../workflows/due-work/contract.ts';
import { quantile } from '../../figures/statistics.ts';
import { inDatabase } from '../../instance/in-database.ts';
import type { Instance } from '../../instance/instance.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { figure, printHeading, printRows, type Target } from '../../report/target.ts';
import type { Bench } from '../../section.ts';
import { add, ANSWER, openOrgs, type Owner, waitForRuns } from './open-orgs.ts';

/** Organizations whose workflows tell an address, and how many of each do. */
const ORGS = 10;
const TARGETS_OF_ORG = 10;
const ARRIVAL_LIMIT_MS = 300_000;

/** A workflow that tells an address of its runs. */
interface Teller {
  readonly owner: Owner;
  readonly workflowId: string;
}

/** Notes when each message came, and to which path. */
class Receiver {
  readonly arrivals: { readonly at: number; readonly path: string; readonly id: string }[] = [];
  readonly #server: OutsideServer;

  private constructor(server: OutsideServer) {
    this.#server = server;
    server.reply = (response, { url, headers }) => {
      this.arrivals.push({ at: Date.now(), path: url, id: String(headers['x-everturn-delivery']) });
      response.writeHead(204).end();
      server.seen.length = 0;
    };
  }

  static async start(): Promise<Receiver> {
    return new Receiver(await OutsideServer.start());
  }

  get url(): string {
    return this.#server.url;
  }

  async wait(count: number): Promise<void> {
    const isComplete = () => (this.arrivals.length >= count ? true : undefined);
    await waitUntil(`${count} messages to arrive`, isComplete, ARRIVAL_LIMIT_MS);
  }

  close(): void {
    this.#server.close();
  }
}

/** Measures and prints how soon, and how fast, addresses of others are told of ended runs. */
export async function measureDeliveries({ instance, options, undo }: Bench): Promise<Target[]> {
  await new ModelControl(instance.model.url).followDirectives();
  const receiver = await Receiver.start();
  undo.add(() => receiver.close());
  const owners = await openOrgs(instance, ORGS);
  const tellers: Teller[] = [];
  for (let at = 0; at < ORGS * TARGETS_OF_ORG; at += 1) {
    const owner = owners[at % ORGS];
    if (owner !== undefined) tellers.push(await addTeller(owner, `${receiver.url}/${at}`));
  }
  const delays = await measureDelays(instance, { tellers, receiver });
  const one = await measureRate(instance, receiver, { tellers: tellers.slice(0, 1), each: options.deliveries });
  const each = Math.ceil(options.deliveries / tellers.length);
  const many = await measureRate(instance, receiver, { tellers, each });
  receiver.close();
  printHeading('Messages to addresses outside');
  printRows([
    ['', 'p50', 'p95'],
    ['from the end of a run to its arrival (ms)', figure(quantile(delays, 0.5)), figure(quantile(delays, 0.95))],
    [`messages a second to one address, ${options.deliveries} in order`, figure(one), ''],
    [`messages a second to ${tellers.length} addresses of ${ORGS} organizations`, figure(many), ''],
  ]);
  return [
    { name: 'end of a run -> its message, p50', measured: quantile(delays, 0.5), better: 'less', unit: 'ms' },
    { name: 'messages a second to one address', measured: one, better: 'more', unit: '/s' },
    { name: `messages a second to ${tellers.length} addresses`, measured: many, better: 'more', unit: '/s' },
  ];
}

async function addTeller(owner: Owner, url: string): Promise<Teller> {
  const fields = { name: 'Teller', agent_id: owner.agentId, prompt_template: ANSWER };
  const notify = { notify_url: url, notify_secret: 'the secret of an address' };
  return { owner, workflowId: await add(owner.user, '/api/workflows', { ...fields, ...notify }) };
}

/** Has every workflow run once; returns how long after the end of its run each message came, in milliseconds. */
async function measureDelays(
  instance: Instance,
  { tellers, receiver }: { readonly tellers: readonly Teller[]; readonly receiver: Receiver },
): Promise<number[]> {
  for (const { owner, workflowId } of tellers) {
    const { status } = await owner.user.client.post(`/api/workflows/${workflowId}/trigger`, { variables: {} });
    if (status !== 202) throw new Error(`the trigger of a workflow answered ${status}`);
    await sleep(EVERY_MS);
  }
  const owners = [...new Set(tellers.map(({ owner }) => owner))];
  await waitForRuns(instance, owners, tellers.length);
  await receiver.wait(tellers.length);
  return inDatabase(instance, async (client) => {
    const { rows } = await client.query<{ id: string; endedAt: number }>(
      `select d.id, extract(epoch from r.completed_at)::float8 * 1000 as "endedAt"
      from webhook_deliveries d join workflow_runs r on r.id = d.run_id where r.workflow_id = any($1)`,
      [tellers.map(({ workflowId }) => workflowId)],
    );
    const endedAt = new Map(rows.map((row) => [row.id, row.endedAt]));
    return receiver.arrivals.map(({ id, at }) => at - (endedAt.get(id) ?? Number.NaN));
  });
}

const EVERY_MS = 50;

/** Gives every address so many messages at once; returns how many a second come, from the first to the last. */
async function measureRate(
  instance: Instance,
  receiver: Receiver,
  { tellers, each }: { readonly tellers: readonly Teller[]; readonly each: number },
): Promise<number> {
  receiver.arrivals.length = 0;
  const { rows: targets } = await inDatabase(instance, async (client) => {
    const ids = tellers.map(({ workflowId }) => workflowId);
    // As if their workflows had run so many times more.
    return client.query<{ orgId: string; targetId: string }>(
      `with told as (
        insert into webhook_deliveries (id, org_id, target_id, run_id)
        select uuidv7(), w.org_id, w.id, (select r.id from workflow_runs r where r.workflow_id = w.workflow_id limit 1)
        from generate_series(1, $2::int) place, webhook_targets w where w.workflow_id = any($1) order by place
      )
      update webhook_targets set version = version + 1, due_at = now() where workflow_id = any($1)
        returning org_id as "orgId", id as "targetId"`,
      [ids, each],
    );
  });
  await wakeDeliveries(instance, targets);
  await receiver.wait(tellers.length * each);
  await requireOrder(instance, receiver);
  const times = receiver.arrivals.map(({ at }) => at);
  return ((times.length - 1) * 1000) / (Math.max(...times) - Math.min(...times));
}

/** Wakes the workflows of addresses, as a process does that has stored something to tell them. */
async function wakeDeliveries(
  { temporalAddress }: Instance,
  targets: readonly { readonly orgId: string; readonly targetId: string }[],
): Promise<void> {
  const connection = await Connection.connect({ address: temporalAddress });
  const client = new Client({ connection });
  const { type, idOf } = WORKFLOWS_OF_WORK.webhook;
  const startOf = (input: (typeof targets)[number]) => ({ id: idOf(input), input, fairnessKey: input.orgId });
  await Promise.all(targets.map(async (target) => wakeWorkflow(client, type, startOf(target))));
  await connection.close();
}

/** Throws when an address was told something twice, or in another order. */
async function requireOrder(instance: Instance, { arrivals }: Receiver): Promise<void> {
  const { rows } = await inDatabase(instance, async (client) =>
    client.query<{ id: string; seq: string }>('select id, seq from webhook_deliveries where id = any($1)', [
      arrivals.map(({ id }) => id),
    ]),
  );
  const seqs = new Map(rows.map(({ id, seq }) => [id, Number(seq)]));
  const last = new Map<string, number>();
  for (const { path, id } of arrivals) {
    const seq = seqs.get(id) ?? Number.NaN;
    if (!(seq > (last.get(path) ?? -1))) throw new Error(`${path} was told something twice or out of order`);
    last.set(path, seq);
  }
}
