import { setImmediate } from 'node:timers/promises';
import { createTwoFilesPatch } from 'diff';
import { writeAgentFiles, writeDefinitionFolder } from '../../definition-files/index.ts';
import type { EditedRecord, RecordState } from '../../db/marketplace/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { cut } from '../../domain/core/text.ts';
import type { DefinitionKind } from '../../domain/definitions/index.ts';

/** Characters of all differences that are shown. */
const MAX_CHARACTERS = 50_000;
/** Lines of two files, together, that are compared: the api answers nobody else meanwhile. */
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

/** A file of a record that is not as its item holds it. */
export interface FileDifference {
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
  /** Records whose files were not looked at. */
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
  /** Its place in the item. */
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
