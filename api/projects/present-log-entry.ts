import type { z } from 'zod';
import type { ProjectLogEntry } from '../../db/project-logs/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { HIDDEN_AGENT, hideAgents, isAgentHidden, type Policy } from '../../domain/permissions/index.ts';
import type { LogChanges } from '../../domain/projects/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { projectLogSchema } from './schema.ts';

/**
 * Returns an entry of a project's log as the API shows it, without the agents that the caller may not use. The agents
 * of a project were logged by their names: a caller who may use some only is shown what those are called now.
 */
export function presentLogEntry(
  { policy }: OrgCaller,
  entry: ProjectLogEntry,
  usableNames: ReadonlySet<string> | undefined,
): z.input<typeof projectLogSchema> {
  const changes = Object.entries(entry.changes).map(([field, { from, to }]) => {
    const shown = (value: typeof from) => hideIn(policy, { field, value, usableNames });
    return [field, { from: shown(from), to: shown(to) }] as const;
  });
  return present(projectLogSchema, { ...hideAgents(policy, entry), changes: Object.fromEntries(changes) });
}

interface LoggedValue {
  readonly field: string;
  readonly value: LogChanges[string]['from'];
  readonly usableNames: ReadonlySet<string> | undefined;
}

function hideIn(policy: Policy, { field, value, usableNames }: LoggedValue): LoggedValue['value'] {
  if (field === 'assigned_agent_id' && typeof value === 'string')
    return isAgentHidden(policy, value) ? HIDDEN_AGENT : value;
  if (field === 'agents' && Array.isArray(value) && usableNames !== undefined)
    return value.map((name) => (usableNames.has(name) ? name : HIDDEN_AGENT));
  return value;
}
