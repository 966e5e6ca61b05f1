import { toFields } from '../../domain/core/record-names.ts';
import { type DefinitionFiles, type DefinitionKind, keyIssue } from '../../domain/definitions/index.ts';
import {
  BUILTIN_SOURCE,
  type ItemAgent,
  type ItemDefinition,
  type ItemKind,
  type MarketplaceItem,
  SLUG,
} from '../../domain/marketplace/index.ts';
import { DefinitionFault, faultOf } from '../definition-fault.ts';
import { readDefinitionFolder } from '../folders/index.ts';
import { parseFields, parseJsonObject } from '../parse-fields.ts';
import { agentFileSchema, itemFileSchema, promptText, readmeText } from './item-files.ts';

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

// What is wrong in a folder is told by its path in the item.
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
