import { dirname } from 'node:path';

import { countLines } from './count-lines.ts';
import { countSyntax } from './count-syntax.ts';
import { countTests } from './count-tests.ts';
import { type Distribution, distribution } from './distribution.ts';
import type { Source } from './sources.ts';

/** The figures of a state of the repository. */
export type House = {
  readonly files: number;
  readonly lines: number;
  readonly linesPerFile: Distribution;
  readonly linesPerFunction: Distribution;
  readonly functionsOfManyParameters: number;
  /** Among the lines that are not blank. */
  readonly commentShare: number;
  /** Among the comment lines. */
  readonly jsdocShare: number;
  readonly any: number;
  readonly nonNull: number;
  readonly defaultExports: number;
  readonly casts: number;
  readonly hiddenCasts: number;
  readonly throwsNew: number;
  readonly throwsNewError: number;
  readonly testLines: number;
  readonly supportLines: number;
  readonly titles: number;
  readonly titlesWithShould: number;
  /** Folders with more files than one looks through at a glance, as `path (files)`; tests are not counted. */
  readonly crowdedFolders: readonly string[];
};

const PRODUCTION = /^(api|domain|db|workflows|activities|worker|definition-files|builtin|files)\//;
const WITH_TOOLS = /^(api|domain|db|workflows|activities|worker|definition-files|builtin|files|scripts|bench|chaos)\//;
const MOST_FILES = 12;

/** Measures production code and its tests. */
export function measureHouse(sources: readonly Source[]): House {
  const tests = sources.filter(isTest);
  const support = sources.filter((source) => source.path.startsWith('test/') && !isTest(source));
  const code = sources.filter((source) => PRODUCTION.test(source.path) && !isTest(source));
  return {
    ...measureCode(code),
    ...measureTests(tests, support),
    crowdedFolders: crowdedFolders(sources.filter((source) => WITH_TOOLS.test(source.path) && !isTest(source))),
  };
}

function measureCode(code: readonly Source[]) {
  const lines = code.map(({ text }) => countLines(text));
  const syntax = code.map(({ path, text }) => countSyntax(path, text));
  const comment = sum(lines, ({ comment }) => comment);
  return {
    files: code.length,
    lines: sum(lines, ({ total }) => total),
    linesPerFile: distribution(lines.map(({ total }) => total)),
    linesPerFunction: distribution(syntax.flatMap(({ functionLines }) => functionLines)),
    functionsOfManyParameters: sum(syntax, (file) => file.functionsOfManyParameters),
    commentShare: comment / sum(lines, ({ total, blank }) => total - blank),
    jsdocShare: sum(lines, ({ jsdoc }) => jsdoc) / comment,
    any: sum(syntax, (file) => file.any),
    nonNull: sum(syntax, (file) => file.nonNull),
    defaultExports: sum(syntax, (file) => file.defaultExports),
    casts: sum(syntax, (file) => file.casts),
    hiddenCasts: sum(syntax, (file) => file.hiddenCasts),
    throwsNew: sum(syntax, (file) => file.throwsNew),
    throwsNewError: sum(syntax, (file) => file.throwsNewError),
  };
}

function measureTests(tests: readonly Source[], support: readonly Source[]) {
  const titles = tests.map(({ path, text }) => countTests(path, text));
  return {
    testLines: sum(tests, ({ text }) => countLines(text).total),
    supportLines: sum(support, ({ text }) => countLines(text).total),
    titles: sum(titles, (file) => file.titles),
    titlesWithShould: sum(titles, (file) => file.titlesWithShould),
  };
}

function crowdedFolders(code: readonly Source[]): string[] {
  const files = new Map<string, number>();
  for (const { path } of code) files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1);
  return [...files]
    .filter(([, count]) => count > MOST_FILES)
    .toSorted(([, a], [, b]) => b - a)
    .map(([folder, count]) => `${folder} (${count})`);
}

function isTest({ path }: Source): boolean {
  return path.endsWith('.test.ts');
}

function sum<Item>(items: readonly Item[], sizeOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + sizeOf(item), 0);
}
