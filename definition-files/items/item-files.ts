import { join } from 'node:path';
import { z } from 'zod';
import { AGENT_TYPES } from '../../domain/agents.ts';
import { toFields } from '../../domain/core/record-names.ts';
import { nameText, text } from '../../domain/core/text.ts';
import { type DefinitionFiles, type DefinitionKind, soulObject } from '../../domain/definitions/definition.ts';
import { keyIssue } from '../../domain/definitions/files.ts';
import { DESTINATION_KINDS } from '../../domain/destinations.ts';
import {
  BUILTIN_SOURCE,
  ITEM_KINDS,
  type ItemAgent,
  type ItemDefinition,
  type ItemKind,
  type MarketplaceItem,
  SLUG,
  VERSION,
} from '../../domain/marketplace.ts';
import { namesIn, readFolder } from '../archive.ts';
import { DefinitionFault, faultOf, parseFields, parseJsonObject } from '../definition-fault.ts';
import { readDefinitionFolder } from '../folders.ts';

const keys = z.array(nameText(100)).max(200);

/** What `item.json` says. */
const itemFileSchema = z.strictObject({
  name: nameText(100),
  kind: z.enum(ITEM_KINDS),
  version: z.string().regex(VERSION, 'must be a version like 1.4.0'),
  summary: text(500).trim().min(1),
  tags: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits and hyphens'))
    .max(20),
  providers: z.array(nameText(200)).max(10).default([]),
  destinations: z.array(z.enum(DESTINATION_KINDS)).max(DESTINATION_KINDS.length).default([]),
});

/** What `agents/<key>/agent.json` says; the system prompt lies in `PROMPT.md` beside it. */
const agentFileSchema = z.strictObject({
  name: nameText(),
  description: text(5_000),
  agent_type: z.enum(AGENT_TYPES).default('custom'),
  soul: soulObject().default({}),
  tools: keys.default([]),
  skills: keys.default([]),
  persona: nameText(64).nullable().default(null),
  temperature: z.number().min(0).max(2).default(0.3),
  max_tokens: z.int().min(1).max(1_000_000).default(8192),
  max_subagents: z.int().min(0).max(100).default(5),
  max_concurrency: z.int().min(1).max(100).default(2),
});

/** The text of an agent's `PROMPT.md`. */
const promptText = text(100_000);
/** The text of an item's `README.md`. */
const readmeText = text(50_000);

const ITEM_FILE = 'item.json';
const README_FILE = 'README.md';
const AGENT_FILE = 'agent.json';
const PROMPT_FILE = 'PROMPT.md';
const FOLDERS: ReadonlyMap<string, DefinitionKind> = new Map([
  ['tools', 'tool'],
  ['skills', 'skill'],
  ['personas', 'persona'],
]);
const AGENTS = 'agents';

/**
 * Reads the files of an item, of those that ship with the service as well as of any index; throws a `DefinitionFault`
 * that says what is wrong with them.
 */
export function readItem(slug: string, files: DefinitionFiles, source: string = BUILTIN_SOURCE): MarketplaceItem {
  if (!SLUG.test(slug)) throw faultOf('', `the name "${slug}" must be lower-case letters, digits and hyphens`);
  const head = parseFields(ITEM_FILE, itemFileSchema, parseJsonObject(ITEM_FILE, required(files, ITEM_FILE)));
  const readme = parseFields(README_FILE, readmeText, required(files, README_FILE));
  const agents: ItemAgent[] = [];
  const definitions: ItemDefinition[] = [];
  for (const { folder, key, path, files: own } of foldersOf(files)) {
    const kind = FOLDERS.get(folder);
    if (kind === undefined) agents.push(inside(path, () => readAgent(key, own)));
    else definitions.push({ kind, content: inside(path, () => readDefinitionFolder(kind, key, own)) });
  }
  checkKind(head.kind, agents, definitions);
  return { ...head, slug, readme, agents, definitions, files, source };
}

function required(files: DefinitionFiles, path: string): string {
  const content = files.get(path);
  if (content === undefined) throw faultOf('', `has no ${path}`);
  return content;
}

interface RecordFolder {
  readonly folder: string;
  readonly key: string;
  readonly path: string;
  readonly files: Map<string, string>;
}

// `tools/<key>/...`, `agents/<key>/...` and so on.
function foldersOf(files: DefinitionFiles): RecordFolder[] {
  const found = new Map<string, RecordFolder>();
  for (const [path, content] of files) {
    if (path === ITEM_FILE || path === README_FILE) continue;
    const [folder = '', key = '', ...rest] = path.split('/');
    if ((folder !== AGENTS && !FOLDERS.has(folder)) || rest.length === 0)
      throw faultOf(
        path,
        `is none of an item: it has ${ITEM_FILE}, ${README_FILE}, and folders in agents, tools, skills and personas`,
      );
    const known = found.get(`${folder}/${key}`) ?? { folder, key, path: `${folder}/${key}`, files: new Map() };
    known.files.set(rest.join('/'), content);
    found.set(known.path, known);
  }
  return [...found.values()];
}

function readAgent(key: string, files: DefinitionFiles): ItemAgent {
  const issue = keyIssue(key);
  if (issue !== undefined) throw faultOf('', `the key "${key}" ${issue}`);
  const other = [...files.keys()].find((path) => path !== AGENT_FILE && path !== PROMPT_FILE);
  if (other !== undefined)
    throw faultOf(other, `is neither ${AGENT_FILE} nor ${PROMPT_FILE}, of which an agent is made`);
  const fields = parseFields(AGENT_FILE, agentFileSchema, parseJsonObject(AGENT_FILE, required(files, AGENT_FILE)));
  const systemPrompt = parseFields(PROMPT_FILE, promptText, required(files, PROMPT_FILE)).trim();
  return { ...toFields(agentFileSchema, fields), key, systemPrompt };
}

// What is wrong in a folder is reported with its path in the item.
function inside<T>(folder: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DefinitionFault)) throw error;
    throw new DefinitionFault(
      error.issues.map(({ path, msg }) => ({ path: path === '' ? folder : `${folder}/${path}`, msg })),
    );
  }
}

function checkKind(kind: ItemKind, agents: readonly ItemAgent[], definitions: readonly ItemDefinition[]): void {
  const kinds = new Set<string>([...(agents.length > 0 ? ['agent'] : []), ...definitions.map((each) => each.kind)]);
  if (kinds.size === 0) throw faultOf('', 'installs nothing');
  if (kind !== 'bundle' && (kinds.size > 1 || !kinds.has(kind)))
    throw faultOf(ITEM_FILE, `kind must be ${kinds.size > 1 ? 'bundle' : [...kinds].join('')}, as its folders say`);
}

/** Reads a folder of items; throws an error that names the first one that is broken. */
export function readItems(folder: string): MarketplaceItem[] {
  return namesIn(folder).map((slug) => {
    try {
      return readItem(slug, readFolder(join(folder, slug)));
    } catch (error) {
      throw new Error(`${join(folder, slug)}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  });
}

/** Writes an agent of an item as the files of its folder, so that two states of it can be compared. */
export function writeAgentFiles(agent: ItemAgent): ReadonlyMap<string, string> {
  const { key: _key, systemPrompt, ...rest } = agent;
  const fields = {
    name: rest.name,
    description: rest.description,
    agent_type: rest.agentType,
    soul: rest.soul,
    tools: rest.tools,
    skills: rest.skills,
    persona: rest.persona,
    temperature: rest.temperature,
    max_tokens: rest.maxTokens,
    max_subagents: rest.maxSubagents,
    max_concurrency: rest.maxConcurrency,
  };
  return new Map([
    ['PROMPT.md', `${systemPrompt}\n`],
    ['agent.json', `${JSON.stringify(fields, undefined, 2)}\n`],
  ]);
}
