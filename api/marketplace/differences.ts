import { setImmediate } from 'node:timers/promises';
import { createTwoFilesPatch } from 'diff';
import { writeAgentFiles, writeDefinitionFolder } from '../../builtin/index.ts';
import type { EditedRecord, RecordState } from '../../db/marketplace/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { cut } from '../../domain/core/text.ts';
import type { DefinitionKind } from '../../domain/definitions/index.ts';

/** Characters of all differences that are shown. */
const MAX_CHARACTERS = 50_000;
/** Lines of two files, together, that are compared: the api answers nobody else meanwhile. */
const MAX_LINES = 4_000;
/** Files with more changes are named only. The time is that of one file, in milliseconds. */
const LIMITS = { context: 2, maxEditLength: 1_000, timeout: 10 };
/** The time after which further files are named only, in milliseconds. */
const MAX_TOTAL_MS = 500;

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
  return new AppError('conflict', `${words}\n\n${await differencesOf(records, version)}`);
}

async function differencesOf(records: readonly EditedRecord[], version: string): Promise<string> {
  const end = performance.now() + MAX_TOTAL_MS;
  const parts: string[] = [];
  let length = 0;
  let more = 0;
  for (const record of records) {
    for (const { name, mine, theirs } of changedFiles(record)) {
      const isOver = length >= MAX_CHARACTERS || performance.now() > end;
      if (isOver) more += 1;
      else parts.push(differenceOf(name, mine, theirs, version));
      length += isOver ? 0 : (parts.at(-1)?.length ?? 0);
      // Others are answered between two files.
      await setImmediate();
    }
  }
  const left = records.filter(({ states }) => states === undefined).length;
  const notes = [
    ...(length > MAX_CHARACTERS ? [`The differences are cut after ${MAX_CHARACTERS} characters.`] : []),
    ...(more > 0 ? [`${more} more files differ, which are not shown.`] : []),
    ...(left > 0 ? [`${left} more records are too large to be compared.`] : []),
  ];
  return [cut(parts.join('\n'), MAX_CHARACTERS), ...notes].join('\n');
}

interface ChangedFile {
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
      name: `${kind}s/${key}/${path}`,
      mine: before.get(path) ?? '',
      theirs: after.get(path) ?? '',
    }))
    .filter(({ mine, theirs }) => mine !== theirs);
}

function differenceOf(name: string, mine: string, theirs: string, version: string): string {
  const [mineLines, theirLines] = [linesOf(mine), linesOf(theirs)];
  if (mineLines + theirLines > MAX_LINES)
    return `${name} is too long to be compared here: yours has ${mineLines} lines, the other ${theirLines}\n`;
  return (
    createTwoFilesPatch(name, name, mine, theirs, 'yours', version, LIMITS) ??
    `${name} differs in too many places to be shown: yours has ${mineLines} lines, the other ${theirLines}\n`
  );
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
