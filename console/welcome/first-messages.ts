import type { Agent } from '../agents/index.ts';
import type { WelcomeText } from './text.ts';

const MOST = 4;

/** Returns first messages that show what an agent can do with its tools; the demo model understands them all. */
export function firstMessages(
  agent: Pick<Agent, 'id' | 'tools' | 'skills'>,
  all: readonly Pick<Agent, 'id' | 'name'>[],
  { examples }: WelcomeText,
): readonly string[] {
  const has = (key: string) => agent.tools.includes(key) || agent.skills.includes(key);
  const other = all.find(({ id }) => id !== agent.id);
  const offered = [
    has('time_now') && examples.time,
    has('math_evaluate') && examples.sum,
    has('file_write') && examples.file,
    has('agent_spawn') && other !== undefined && examples.delegate(other.name),
    has('memory_manage') && examples.memory,
  ];
  return offered.filter((each) => each !== false).slice(0, MOST);
}
