import { type EndpointName, ENDPOINTS } from '../../drivers/endpoint-client.ts';
import { Driver } from '../../drivers/driver.ts';
import { ModelControl } from '../../instance/start-model.ts';
import {
  type LoadFigures,
  measureLoad,
  platformCpu,
  platformMeters,
  printLoads,
  SHORT_TAIL_MS,
} from '../../loads/loads.ts';
import { printHeading, type Target } from '../../report/target.ts';
import { type Bench, PLAIN_ANSWER, type SectionResult } from '../../section.ts';

const AT_ONCE = 16;
const SOCKET = 'WebSocket, standing chats';
const NAMES: Readonly<Record<EndpointName, string>> = {
  'chat-completions': '/v1/chat/completions, new conversations',
  responses: '/v1/responses, after the last one',
  mcp: '/mcp, ask_agent in a chat',
};

/** Measures and prints turns a second at the endpoints for clients of other protocols, beside the WebSocket. */
export async function measureEndpoints(bench: Bench): Promise<SectionResult> {
  const { apiUrl, model } = bench.instance;
  const target = [apiUrl, model.url, String(AT_ONCE)];
  const socket = await measureEndpoint(bench, SOCKET, await Driver.start('chats', target));
  const endpoints: LoadFigures[] = [];
  for (const endpoint of ENDPOINTS)
    endpoints.push(
      await measureEndpoint(bench, NAMES[endpoint], await Driver.start('endpoints', [...target, endpoint])),
    );
  printHeading(`Turns a second at each endpoint, ${AT_ONCE} at once, streamed; CPU ms a turn`);
  printLoads([socket, ...endpoints]);
  return { targets: endpoints.flatMap((endpoint) => targetsOf(endpoint, socket)) };
}

async function measureEndpoint(
  { instance, options, undo, idle }: Bench,
  name: string,
  { driver, ready }: Awaited<ReturnType<typeof Driver.start>>,
): Promise<LoadFigures> {
  undo.add(async () => driver.stop());
  await new ModelControl(instance.model.url).answer(PLAIN_ANSWER);
  const { warmUpMs, measureMs } = options;
  const figures = await measureLoad({
    name,
    driver,
    command: { type: 'load', firstChat: 0, chats: AT_ONCE, warmUpMs, measureMs },
    temporalAddress: instance.temporalAddress,
    workflowId: ready.workflowIds[0],
    meters: platformMeters(instance, driver),
    idle,
    tailMs: SHORT_TAIL_MS,
  });
  await driver.stop();
  return figures;
}

function targetsOf({ name, turnsPerSecond, cpuPerTurn, failed }: LoadFigures, socket: LoadFigures): Target[] {
  return [
    {
      name: `turns a second, ${name}`,
      measured: turnsPerSecond,
      better: 'more',
      unit: '/s',
      floor: socket.turnsPerSecond,
    },
    {
      name: '  CPU of a turn',
      measured: platformCpu(cpuPerTurn),
      better: 'less',
      unit: 'ms',
      floor: platformCpu(socket.cpuPerTurn),
    },
    { name: '  failed turns', measured: failed, bound: 0, better: 'less', unit: '' },
  ];
}
