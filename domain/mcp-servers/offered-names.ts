/** What the names of all tools of MCP servers begin with. */
export const MCP_NAME = 'mcp__';

const MAX_CHARACTERS = 64;
const MAX_SERVER_CHARACTERS = 20;
const SUFFIX_CHARACTERS = 7;

/** A tool that is to be offered, by its names at the server. */
interface NamedTool {
  readonly serverName: string;
  readonly toolName: string;
  /** Tells it from every other tool of the organization, and stays the same. */
  readonly identity: string;
}

/**
 * Returns the name under which each tool is offered, `mcp__<server>__<tool>`: letters, digits, `_` and `-`, at most 64
 * characters, each name once. Where cleaning or cutting has left two names alike, each of them ends in a digest of its
 * own, so that no name depends on the order of the tools.
 */
export function offeredNames(tools: readonly NamedTool[]): readonly string[] {
  const plain = tools.map(({ serverName, toolName }) => plainName(serverName, toolName));
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return tools.map(({ identity }, index) => {
    const name = plain[index] ?? '';
    const isClear = counts.get(name) === 1 && name.length <= MAX_CHARACTERS;
    return isClear ? name : `${name.slice(0, MAX_CHARACTERS - SUFFIX_CHARACTERS - 1)}_${digest(identity)}`;
  });
}

function plainName(serverName: string, toolName: string): string {
  const server = cleaned(serverName).slice(0, MAX_SERVER_CHARACTERS);
  return `${MCP_NAME}${server || 'server'}__${cleaned(toolName) || 'tool'}`;
}

function cleaned(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9-]+/g, '_')
    .replace(/^_/, '')
    .replace(/_$/, '');
}

/** Returns seven letters and digits that follow from the text (FNV-1a, twice with different beginnings). */
function digest(text: string): string {
  const halves = [0x81_1c_9d_c5, 0x01_00_01_93].map((start) => {
    let hash = start;
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
    return (hash >>> 0).toString(36).padStart(7, '0');
  });
  return halves.join('').slice(3, 3 + SUFFIX_CHARACTERS);
}
