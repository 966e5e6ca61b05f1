/** A key: lower case, so that no two differ in case only; models call tools by it. */
export const DEFINITION_KEY = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Stands for the tools of an agent's MCP servers; their names begin with it and two underscores. */
const MCP = 'mcp';

/** Returns why no definition can have this key, or `undefined`. */
export function keyIssue(key: string): string | undefined {
  if (!DEFINITION_KEY.test(key)) {
    return 'must be 1 to 64 lower-case letters, digits, hyphens and underscores, and begin with a letter or digit';
  }
  if (key === MCP || key.startsWith(`${MCP}__`))
    return 'must not be "mcp" or begin with "mcp__", which means MCP servers';
  return undefined;
}
