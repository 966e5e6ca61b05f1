import type { LeftOutTool, McpTool } from '../../../domain/mcp-servers/index.ts';
import { McpFailure } from '../sessions/mcp-failure.ts';
import type { McpSession } from '../sessions/mcp-session.ts';
import { digestOfTool, readTool } from './read-tool.ts';

const MAX_PAGES = 64;
const MAX_SEEN = 10_000;
const MAX_TOOLS = 200;
const MAX_LIST_CHARACTERS = 1_000_000;
const MAX_LEFT_OUT = 50;

/** The tools of a server, and those that were left out. */
interface ToolListing {
  readonly tools: readonly McpTool[];
  readonly leftOut: readonly LeftOutTool[];
}

/** Reads the tools of a server, as many as are taken of one; the others are named. */
export async function readToolList(session: McpSession, signal: AbortSignal): Promise<ToolListing> {
  const collector = new ToolCollector();
  for await (const described of describedTools(session, signal)) collector.take(described);
  return collector.listing();
}

/** Returns the tools of this list that a server defines otherwise now, or no longer has. */
export async function findChangedTools(
  session: McpSession,
  tools: readonly McpTool[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const digests = new Map<string, string>();
  const names = new Set(tools.map(({ name }) => name));
  for await (const described of describedTools(session, signal)) {
    const [name, digest] = digestOfTool(described);
    if (names.has(name) && !digests.has(name)) digests.set(name, digest);
  }
  return tools.flatMap(({ name, digest }) => (digests.get(name) === digest ? [] : [name]));
}

async function* describedTools(session: McpSession, signal: AbortSignal): AsyncGenerator<unknown, void, undefined> {
  let cursor: string | undefined;
  let seen = 0;
  for (let page = 1; ; page += 1) {
    const { tools, nextCursor } = await session.listTools(cursor, signal);
    for (const tool of tools) {
      seen += 1;
      if (seen > MAX_SEEN) throw tooLong(`more than ${MAX_SEEN} tools`);
      yield tool;
    }
    if (nextCursor === undefined || nextCursor === '') return;
    if (page === MAX_PAGES) throw tooLong(`more than ${MAX_PAGES} pages`);
    cursor = nextCursor;
  }
}

function tooLong(what: string): McpFailure {
  return new McpFailure('upstream', `The server's list of tools has ${what}`);
}

/** Collects tools up to the bounds for one server. */
class ToolCollector {
  readonly #tools = new Map<string, McpTool>();
  readonly #leftOut: LeftOutTool[] = [];
  #leftOutCount = 0;
  #characters = 0;

  take(described: unknown): void {
    const read = readTool(described);
    if ('leftOut' in read) return this.#leave(read.leftOut);
    const { tool } = read;
    const { name } = tool;
    const characters = JSON.stringify(tool).length;
    if (this.#tools.has(name)) return this.#leave({ name, reason: 'another tool has the same name' });
    if (this.#tools.size === MAX_TOOLS)
      return this.#leave({ name, reason: `only the first ${MAX_TOOLS} tools are taken` });
    if (this.#characters + characters > MAX_LIST_CHARACTERS)
      return this.#leave({ name, reason: `the tools take more than ${MAX_LIST_CHARACTERS} characters` });
    this.#characters += characters;
    this.#tools.set(name, tool);
  }

  listing(): ToolListing {
    const more = this.#leftOutCount - this.#leftOut.length;
    const rest = more > 0 ? [{ name: `${more} more`, reason: 'not named one by one' }] : [];
    return { tools: [...this.#tools.values()], leftOut: [...this.#leftOut, ...rest] };
  }

  #leave(tool: LeftOutTool): void {
    this.#leftOutCount += 1;
    if (this.#leftOut.length < MAX_LEFT_OUT) this.#leftOut.push(tool);
  }
}
