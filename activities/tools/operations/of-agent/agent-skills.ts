import type { Definitions } from '../../../../db/definitions/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/retry-while-database-unavailable.ts';
import type { AgentSkills } from '../../context.ts';

/** Returns the skills of one agent for a tool, until the signal aborts. */
export function agentSkills(
  definitions: Definitions,
  { orgId, keys }: { readonly orgId: string; readonly keys: readonly string[] },
  signal: AbortSignal,
): AgentSkills {
  const list = async () => retryWhileDatabaseUnavailable(signal, async () => definitions.read(orgId, 'skill', keys));
  return {
    list,
    readFile: async (key, path) => {
      const skill = (await list()).find((each) => each.key === key);
      if (skill === undefined) return undefined;
      return retryWhileDatabaseUnavailable(signal, async () => definitions.readFile(orgId, skill, path));
    },
  };
}
