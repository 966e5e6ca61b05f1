import { setImmediate } from 'node:timers/promises';
import { createTwoFilesPatch } from 'diff';
import { readItem, writeAgentFiles, writeDefinitionFolder } from '../../definition-files/index.ts';
import type { EditedRecord, RecordState } from '../../db/marketplace/install-item.ts';
import { findOfferedItem, type ListedItem, listOfferedItems } from '../../db/marketplace/index-items.ts';
import { type Install, listInstalls } from '../../db/marketplace/installs.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { cut } from '../../domain/core/text.ts';
import type { DefinitionKind } from '../../domain/definitions/definition.ts';
import type { Listed, Page } from '../../db/core/page.ts';
import { isNewer, type ItemKind, type MarketplaceItem } from '../../domain/marketplace.ts';
import type { ApiContext } from '../context/api-context.ts';

type CatalogContext = Pick<ApiContext, 'database' | 'marketplace' | 'log'>;

interface ItemQuery {
  readonly q?: string | undefined;
  readonly kind?: ItemKind | undefined;
  readonly tag?: string | undefined;
  readonly page: Page;
}

/** An item in a list, and its state in an organization. */
type ItemHead = Pick<MarketplaceItem, 'slug' | 'name' | 'kind' | 'version' | 'summary' | 'tags' | 'source'>;

/**
 * Returns a page of the items that contain all words and match the kind and tag; those with a matching name come first.
 */
export async function listItems(
  { database, marketplace }: CatalogContext,
  orgId: string,
  { q = '', kind, tag, page }: ItemQuery,
): Promise<Listed<ItemHead & ReturnType<typeof installedOf>>> {
  const words = q.toLowerCase().split(/\s+/u).filter(Boolean);
  const fits = (item: MarketplaceItem) =>
    (kind === undefined || item.kind === kind) &&
    (tag === undefined || item.tags.includes(tag)) &&
    includesAll([item.slug, item.name, item.summary, item.readme, ...item.tags].join('\n'), words);
  const found = marketplace.shipped
    .filter(fits)
    .map(({ slug, name }) => ({ slug, isNamed: includesAll(`${slug} ${name}`, words) }));
  const query = { ...catalogOf(marketplace), found, words, kind, tag, page };
  const [listed, installs] = await Promise.all([
    listOfferedItems(database, orgId, query),
    listInstalls(database, orgId),
  ]);
  const shipped = new Map(marketplace.shipped.map((item) => [item.slug, item]));
  const headOf = (item: ListedItem) => (item.source === null ? required(shipped.get(item.slug)) : item);
  return {
    ...listed,
    items: listed.items.map((item) => {
      const head = headOf(item);
      return { ...head, ...installedOf(head, installs) };
    }),
  };
}

/** Returns the item that is offered under a slug; throws `not_found` when there is none. */
export async function findItem(
  { database, marketplace, log }: CatalogContext,
  orgId: string,
  slug: string,
): Promise<MarketplaceItem> {
  const shipped = marketplace.shipped.find((each) => each.slug === slug);
  if (shipped !== undefined) return shipped;
  const { sources } = catalogOf(marketplace);
  const offered =
    sources.length === 0 ? undefined : await findOfferedItem(database, orgId, slug, catalogOf(marketplace));
  if (offered === undefined) throw notFound('Marketplace item');
  try {
    return readItem(slug, offered.files, offered.source);
  } catch (error) {
    // It was read by an earlier version of the service, whose rules were others.
    log.warn({ err: error, slug, source: offered.source }, 'an item of an index cannot be read any more');
    throw notFound('Marketplace item');
  }
}

/** Returns the slugs and sources by which it is decided which item is offered. */
function catalogOf({ shipped, indexes }: ApiContext['marketplace']) {
  return { shipped: shipped.map(({ slug }) => slug), sources: indexes.map(({ source }) => source) };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('only items that ship with the service are listed by their slug alone');
  return value;
}

function includesAll(text: string, words: readonly string[]): boolean {
  const folded = text.toLowerCase();
  return words.every((word) => folded.includes(word));
}

/**
 * Returns the state of an item in an organization. A record that was installed from elsewhere is not an older version
 * of it.
 */
export function installedOf(
  item: Pick<ItemHead, 'slug' | 'version' | 'source'>,
  installs: ReadonlyMap<string, Install>,
) {
  const install = installs.get(item.slug);
  if (install === undefined) return { installed: null };
  const canUpgrade = install.source === item.source && isNewer(item.version, install.version);
  return { installed: { ...install, canUpgrade } };
}

/** Returns the records that an item installs. */
export function partsOf({ agents, definitions }: MarketplaceItem) {
  return [
    ...agents.map(({ key, name, description }) => ({ kind: 'agent' as const, key, name, description })),
    ...definitions.map(({ kind, content: { key, name, description } }) => ({ kind, key, name, description })),
  ];
}

/** Characters of all differences that are shown. */
const MAX_CHARACTERS = 50_000;
/** How many lines two files may have together to be compared, which blocks the process meanwhile. */
const MAX_LINES = 4_000;
/**
 * Files with more changes are named only: so many take some 25 ms. The time is that of one file, in milliseconds, which
 * none reaches unless the machine has no processor to spare.
 */
const LIMITS = { context: 2, maxEditLength: 500, timeout: 250 };
/** The time after which further files are named only, in milliseconds. */
const MAX_TOTAL_MS = 500;

const NOT_COMPARED = 'is not compared: the differences before it are as much as can be shown';
const CUT = `The differences are cut after ${MAX_CHARACTERS} characters.`;

/** Makes the answer to an installation that would lose edits: what was edited, and how it differs from the item. */
export async function editedConflict(records: readonly EditedRecord[], version: string): Promise<AppError> {
  const foreign = records.filter(({ isForeign }) => isForeign);
  const named = (list: readonly EditedRecord[]) => list.map(({ kind, key }) => `${kind} "${key}"`).join(', ');
  const edited = records.filter(({ isForeign }) => !isForeign);
  const reasons = [
    ...(edited.length > 0 ? [`Edited since they were installed: ${named(edited)}.`] : []),
    ...(foreign.length > 0 ? [`There are others with these keys, which stay in any case: ${named(foreign)}.`] : []),
  ];
  const advice =
    foreign.length > 0
      ? 'Install with edited=keep to leave them as they are.'
      : 'Install with edited=keep to leave them as they are, or edited=replace to lose the edits.';
  const words = `Nothing was installed. ${reasons.join(' ')} ${advice} Differences from version ${version}:`;
  return new AppError('conflict', `${words}\n\n${await wordsOf(records, version)}`);
}

async function wordsOf(records: readonly EditedRecord[], version: string): Promise<string> {
  const { files, uncompared } = await differencesOf(records, version);
  const shown = files.filter(({ note }) => note !== NOT_COMPARED);
  const more = files.length - shown.length;
  const notes = [
    ...(shown.some(({ note }) => note === CUT) ? [CUT] : []),
    ...(more > 0 ? [`${more} more files differ, which are not shown.`] : []),
    ...(uncompared.length > 0 ? [`${uncompared.length} more records are too large to be compared.`] : []),
  ];
  const parts = shown.map(({ difference, note, ...file }) => difference ?? `${nameOf(file)} ${note}\n`);
  return [parts.join('\n'), ...notes].join('\n');
}

/** A file of a record that differs from the item's. */
interface FileDifference {
  readonly kind: EditedRecord['kind'];
  readonly key: string;
  readonly path: string;
  readonly isForeign: boolean;
  /** Line by line; null when it is not shown. */
  readonly difference: string | null;
  /** Why it is not shown, or cut. */
  readonly note: string | null;
}

/** How records differ from their item. */
interface Differences {
  readonly files: readonly FileDifference[];
  /** Records whose files were not compared. */
  readonly uncompared: readonly Pick<EditedRecord, 'kind' | 'key'>[];
}

/** Compares the files of records with those of their item, as far as that is quick and is not too much to be shown. */
export async function differencesOf(records: readonly EditedRecord[], version: string): Promise<Differences> {
  const end = performance.now() + MAX_TOTAL_MS;
  const files: FileDifference[] = [];
  let left = MAX_CHARACTERS;
  for (const record of records) {
    for (const file of changedFiles(record)) {
      const isOver = left <= 0 || performance.now() > end;
      const compared = isOver ? { difference: null, note: NOT_COMPARED } : cutTo(left, compare(file, version));
      const { kind, key, isForeign } = record;
      files.push({ kind, key, path: file.path, isForeign, ...compared });
      left -= compared.difference?.length ?? 0;
      // Others are answered between two files.
      await setImmediate();
    }
  }
  return { files, uncompared: records.filter(({ states }) => states === undefined) };
}

interface ChangedFile {
  readonly path: string;
  /** Its path in the item. */
  readonly name: string;
  readonly mine: string;
  readonly theirs: string;
}

function changedFiles({ kind, key, states }: EditedRecord): ChangedFile[] {
  if (states === undefined) return [];
  const [before, after] = [filesOf(kind, states.current), filesOf(kind, states.wanted)];
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths
    .map((path) => ({
      path,
      name: nameOf({ kind, key, path }),
      mine: before.get(path) ?? '',
      theirs: after.get(path) ?? '',
    }))
    .filter(({ mine, theirs }) => mine !== theirs);
}

function nameOf({ kind, key, path }: Pick<FileDifference, 'kind' | 'key' | 'path'>): string {
  return `${kind}s/${key}/${path}`;
}

type Compared = Pick<FileDifference, 'difference' | 'note'>;

function compare({ name, mine, theirs }: ChangedFile, version: string): Compared {
  const [mineLines, theirLines] = [linesOf(mine), linesOf(theirs)];
  const sizes = `yours has ${mineLines} lines, the other ${theirLines}`;
  if (mineLines + theirLines > MAX_LINES)
    return { difference: null, note: `is too long to be compared here: ${sizes}` };
  const difference = createTwoFilesPatch(name, name, mine, theirs, 'yours', version, LIMITS);
  if (difference === undefined) return { difference: null, note: `differs in too many places to be shown: ${sizes}` };
  return { difference, note: null };
}

function cutTo(length: number, { difference, note }: Compared): Compared {
  if (difference === null || difference.length <= length) return { difference, note };
  return { difference: cut(difference, length), note: CUT };
}

function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function filesOf(kind: EditedRecord['kind'], state: RecordState): ReadonlyMap<string, string> {
  if ('agent' in state) return writeAgentFiles(state.agent);
  return writeDefinitionFolder(kind as DefinitionKind, state.definition);
}
