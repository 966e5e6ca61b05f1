import { type EndpointName, ENDPOINTS } from '../../drivers/endpoint-client.ts';
import { type LoadFigures, measureChats, platformCpu, printLoads } from '../../loads/loads.ts';
import { printHeading, type Target } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';

const AT_ONCE = 16;
const SOCKET = 'WebSocket, standing chats';
const NAMES: Readonly<Record<EndpointName, string>> = {
  'chat-completions': '/v1/chat/completions, new conversations',
  responses: '/v1/responses, after the last one',
  mcp: '/mcp, ask_agent in a chat',
};

/** Measures and prints turns a second at the endpoints for clients of other protocols, beside the WebSocket. */
export async function measureEndpoints(bench: Bench): Promise<SectionResult> {
  const socket = await measureChats(bench, { name: SOCKET, driver: 'chats', atOnce: AT_ONCE });
  const endpoints: LoadFigures[] = [];
  for (const endpoint of ENDPOINTS) {
    const load = { name: NAMES[endpoint], driver: 'endpoints', atOnce: AT_ONCE, more: [endpoint] } as const;
    endpoints.push(await measureChats(bench, load));
  }
  printHeading(`Turns a second at each endpoint, ${AT_ONCE} at once, streamed; CPU ms a turn`);
  printLoads([socket, ...endpoints]);
  return { targets: endpoints.flatMap((endpoint) => targetsOf(endpoint, socket)) };
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
