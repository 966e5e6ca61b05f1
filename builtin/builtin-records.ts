import type { ResourceKey } from '../domain/resources.ts';
import { builtinAgents } from './agent-templates.ts';

const IDS: Readonly<Partial<Record<ResourceKey, ReadonlySet<string>>>> = {
  agents: new Set(builtinAgents.map(({ id }) => id)),
};

/** Returns whether an id is that of a record that ships with the service. Every member may see those. */
export function isBuiltin(resource: ResourceKey, id: string): boolean {
  return IDS[resource]?.has(id) ?? false;
}
