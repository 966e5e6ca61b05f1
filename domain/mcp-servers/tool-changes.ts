import type { McpTool } from './mcp-tool.ts';

/** What a fetch has found otherwise than the fetch before it, by the names of tools. */
export interface ToolChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Compares two lists of a server's tools by what the server said of each. */
export function compareTools(before: readonly McpTool[], now: readonly McpTool[]): ToolChanges {
  const digests = new Map(before.map(({ name, digest }) => [name, digest]));
  const names = new Set(now.map(({ name }) => name));
  const named = (tools: readonly McpTool[]) => tools.map(({ name }) => name);
  return {
    added: named(now.filter(({ name }) => !digests.has(name))),
    changed: named(now.filter(({ name, digest }) => digests.has(name) && digests.get(name) !== digest)),
    removed: named(before.filter(({ name }) => !names.has(name))),
  };
}

/** Returns how a tool has changed with a fetch; null when it has not, or there was no fetch to compare with. */
export function changeOf(name: string, changes: ToolChanges | null): 'added' | 'changed' | null {
  if (changes?.added.includes(name) === true) return 'added';
  return changes?.changed.includes(name) === true ? 'changed' : null;
}
