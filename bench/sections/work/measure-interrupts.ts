import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { preciseNow } from '../../../test/support/scripted-model/index.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import type { WatchedTurn } from '../../drivers/chat-client.ts';
import { PAUSE_MS } from '../../loads/latency.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { openChat, type OpenChat } from '../../instance/open-chat.ts';
import { figure, printHeading, printRows, type Target } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';
import { quantile } from '../../figures/statistics.ts';

/** A server of the outside world that accepts requests and never responds. */
class HangingServer {
  readonly #server = createServer(() => (this.#requests += 1));
  #requests = 0;

  static async start(): Promise<HangingServer> {
    const hanging = new HangingServer();
    hanging.#server.listen(0, '127.0.0.1');
    await once(hanging.#server, 'listening');
    return hanging;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** The number of requests since the last reset. */
  get requests(): number {
    return this.#requests;
  }

  forget(): void {
    this.#requests = 0;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Endpoints through which an interrupt comes. */
const ENDPOINTS = ['REST', 'socket'] as const;
type EndpointName = (typeof ENDPOINTS)[number];

/** The work of a turn at the time of its interruption. */
interface State {
  readonly name: string;
  readonly message: string;
  /** The most that the 95th percentile may be, in milliseconds. */
  readonly bound: number;
  /** Whether the turn is where it is to be interrupted. */
  readonly isReached: (scene: Scene) => boolean | Promise<boolean>;
}

/** A turn in a chat, and what it talks to. */
interface Scene {
  readonly chat: OpenChat;
  readonly turn: WatchedTurn;
  readonly model: ModelControl;
  readonly outside: HangingServer;
}

/** Measures and prints the time from an interrupt to the terminal frame that a viewer gets, in several states. */
export async function measureInterrupts({ instance, options, undo }: Bench): Promise<SectionResult> {
  const model = new ModelControl(instance.model.url);
  await model.followDirectives();
  const outside = await HangingServer.start();
  undo.add(async () => outside.close());
  const rows: string[][] = [];
  const targets: Target[] = [];
  for (const state of states(outside.url)) {
    const chat = await openChat(instance, {
      tools: ['agent_spawn', 'http_request'],
      delegates: ['One', 'Two', 'Three'],
    });
    const times = await interruptMany({ chat, model, outside }, state, options.interrupts);
    const p95s = ENDPOINTS.map((endpoint) => quantile(times.get(endpoint) ?? [], 0.95));
    const target = { bound: state.bound, better: 'less', unit: 'ms' } as const;
    targets.push({
      name: `interrupt ${state.name}, p95 of the slower endpoint`,
      measured: Math.max(...p95s),
      ...target,
    });
    for (const [at, endpoint] of ENDPOINTS.entries()) {
      const values = times.get(endpoint) ?? [];
      const p95 = p95s[at] ?? Number.NaN;
      rows.push([state.name, endpoint, figure(quantile(values, 0.5)), figure(p95), figure(Math.max(...values))]);
    }
    chat.client.close();
  }
  printHeading(`From an interrupt to the terminal frame at a viewer, ${options.interrupts} of each (ms)`);
  printRows([['', '', 'p50', 'p95', 'max'], ...rows]);
  return { targets };
}

async function interruptMany(
  base: Omit<Scene, 'turn'>,
  state: State,
  count: number,
): Promise<ReadonlyMap<EndpointName, number[]>> {
  const times = new Map<EndpointName, number[]>(ENDPOINTS.map((endpoint) => [endpoint, []]));
  for (let at = -1; at < count; at += 1) {
    for (const endpoint of ENDPOINTS) {
      const ms = await interruptOne(base, state, endpoint);
      if (at >= 0) times.get(endpoint)?.push(ms);
    }
  }
  return times;
}

async function interruptOne(base: Omit<Scene, 'turn'>, state: State, endpoint: EndpointName): Promise<number> {
  const { chat, model, outside } = base;
  await model.forget();
  outside.forget();
  const turn = chat.client.watch();
  const scene = { ...base, turn };
  chat.client.send({ type: 'message', content: state.message });
  await waitUntil(`the state ${state.name}`, async () => ((await state.isReached(scene)) ? true : undefined));
  // What the model has just said is on its way, or stored.
  await sleep(PAUSE_MS);
  const askedAt = preciseNow();
  if (endpoint === 'socket') chat.client.send({ type: 'interrupt' });
  else await chat.user.client.post(`/api/chats/${chat.id}/interrupt`);
  const { at, type, message } = await turn.ended;
  if (type !== 'stream_end') throw new Error(`the turn failed in the state ${state.name}: ${message}`);
  return at - askedAt;
}

function states(outsideUrl: string): State[] {
  const get = JSON.stringify({ url: outsideUrl });
  return [
    {
      name: 'before the first token',
      bound: 150,
      message: '[[silent]]',
      isReached: async ({ model }) => (await model.requests()).length > 0,
    },
    {
      name: 'streaming',
      bound: 150,
      message: '[[slow 2000 chunks every 20ms]]',
      isReached: ({ turn }) => countOf(turn, 'chunk') > 1,
    },
    {
      name: 'during a tool',
      bound: 150,
      message: `[[tool http_request ${get}]] [[then]] [[say never]]`,
      isReached: ({ outside }) => outside.requests > 0,
    },
    {
      name: 'with sub-agents three levels deep',
      bound: 300,
      message: spawn('One', spawn('Two', spawn('Three', '[[hold never after 2 chunks]] deepest'))),
      isReached: async ({ turn, model }) => countOf(turn, 'sub_agent_start') === 3 && (await isDeepestTalking(model)),
    },
    {
      name: 'waiting for a provider',
      bound: 150,
      message: '[[status 429 retry-after 3600]]',
      isReached: async ({ chat }) =>
        (await chat.user.client.get<{ status: string }>(`/api/chats/${chat.id}`)).json.status === 'waiting',
    },
  ];
}

function spawn(agent: string, task: string): string {
  return `[[tool agent_spawn ${JSON.stringify({ agent, task })}]] [[then]] [[say never]]`;
}

function countOf({ frames }: WatchedTurn, type: string): number {
  return frames.filter((frame) => frame.type === type).length;
}

async function isDeepestTalking(model: ModelControl): Promise<boolean> {
  const requests = await model.requests();
  return requests.some(({ chunksSent }) => chunksSent === 2);
}
