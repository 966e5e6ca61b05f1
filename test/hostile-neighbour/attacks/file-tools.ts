import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Attack, AttackFamily } from '../attack.ts';
import { expectStruck, messageOf } from '../expect-ending.ts';
import { callForever, callOnce, type HostileCall, resultsOf } from '../hostile-replies.ts';
import type { HostileScript } from '../hostile-server.ts';

const FOLDERS = 100;
const FILES_OF_FOLDER = 99;
const TOOLS = ['file_delete', 'file_edit', 'file_find', 'file_list', 'file_read', 'file_write', 'json_query'];

const PATTERNS = [
  '{a,b}'.repeat(90),
  '**/*'.repeat(100),
  `${'+('.repeat(100)}a${')'.repeat(100)}`,
  '{1..9999999}{1..9999999}',
];

/** Files, patterns and differences. */
export const fileTools: AttackFamily = {
  name: 'file tools',
  attacks: [
    works('looks for patterns of stars, alternatives, ranges and repetitions', (step) =>
      PATTERNS.flatMap((pattern) => find(pattern)(step).slice(0, 8)),
    ),
    works('looks through 10,000 files, 32 times at once', find('**/*e*e*e*e*e*.txt'), fillWorkspace),
    works('looks through 10,000 files that ten thousand lines ignore', find('**/*'), async (folder) => {
      await fillWorkspace(folder);
      await writeFile(join(folder, '.gitignore'), '**/*a*b*c*d*e*/**\n!**/x*\n'.repeat(5_000));
    }),
    works('ignores by patterns of many stars', find('**/*'), async (folder) => {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, '.gitignore'), `${'*a'.repeat(200)}b\n${'**/'.repeat(200)}z\n`.repeat(20));
      for (let at = 0; at < 20; at += 1) await writeFile(join(folder, `${'a'.repeat(200)}${at}`), '');
    }),
    works('lists 10,000 files, 32 times at once', many('file_list', { recursive: true, limit: 1_000 }), fillWorkspace),
    works('applies differences of 10,000 lines', (step) => [
      step % 2 === 1
        ? { name: 'file_write', arguments: { path: 'long.txt', content: `${step}\n${'a\n'.repeat(50_000)}` } }
        : { name: 'file_edit', arguments: { path: 'long.txt', patch: difference(step) } },
    ]),
    works('replaces each of 100,000 letters', (step) => [
      step % 2 === 1
        ? { name: 'file_write', arguments: { path: 'long.txt', content: `${step}${'a'.repeat(10_000)}` } }
        : {
            name: 'file_edit',
            arguments: {
              path: 'long.txt',
              old_text: 'a',
              new_text: `${step}${'b'.repeat(200_000)}`,
              expected_count: 10_000,
            },
          },
    ]),
    works('writes files without an end', (step) =>
      Array.from({ length: 32 }, (_, at) => ({
        name: 'file_write',
        arguments: { path: `f${step}-${at}.txt`, content: 'c'.repeat(100_000) },
      })),
    ),
    works('makes folders without an end', (step) =>
      Array.from({ length: 32 }, (_, at) => ({
        name: 'file_write',
        arguments: { path: `${`d${step}-${at}/`.repeat(60)}f`, content: '' },
      })),
    ),
    works(
      'queries a file of 100 MB',
      many('json_query', { file: 'large.json', expression: '$count($)' }),
      async (folder) => {
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, 'large.json'), `[${'[1],'.repeat(25_000_000)}0]`);
      },
    ),
    strikes('has a file of 2,500 letters grow to 475 MB', {
      chats: 1,
      calls: [edit({ old_text: 'x', new_text: 'y'.repeat(190_000), expected_count: 2_500 })],
      prepare: writes('x'.repeat(2_500)),
      words: /would become larger than 2000000 bytes/,
    }),
    strikes('reads files of a megabyte in base64, 31 times in each of 20 chats', {
      chats: 20,
      calls: same(31, (at) => ({
        name: 'file_read',
        arguments: { path: 'a.txt', encoding: 'base64', start_line: 1 + at },
      })),
      prepare: writes('x'.repeat(990_000)),
      words: /^(?:eHh4)+|invalid_input/,
    }),
    strikes('counts two million places in a file, 31 times in each of 8 chats', {
      chats: 8,
      calls: same(31, (at) => edit({ old_text: 'x', new_text: `${at}`, expected_count: 1 + at })),
      prepare: writes('x'.repeat(2_000_000)),
      words: /old_text occurs 2000000 times/,
    }),
    strikes('writes four files of 200,000 characters in each of 40 chats', {
      chats: 40,
      calls: same(4, (at) => ({ name: 'file_write', arguments: { path: `${at}.txt`, content: 'w'.repeat(200_000) } })),
      words: /"path"/,
    }),
    strikes('looks through 3,000 paths of 900 characters, 8 times at once', {
      chats: 1,
      calls: same(8, (at) => ({ name: 'file_find', arguments: { pattern: '**/*.txt', limit: 100 + at } })),
      prepare: fillDeepFolder,
      words: /"paths"|rate_limited/,
    }),
    works('reads a file of a single line of 200 MB', many('file_read', { path: 'line.txt' }), async (folder) => {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'line.txt'), Buffer.alloc(200_000_000, 'l'));
    }),
  ],
};

interface Strike {
  readonly chats: number;
  readonly calls: readonly HostileCall[];
  /** Fills the folder of each chat. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** What each call is answered with. */
  readonly words: RegExp;
}

/** Has a model make calls in several chats at once, each of which is answered. */
function strikes(name: string, { chats, calls, prepare, words }: Strike): Attack {
  return {
    name,
    run: async (attacker) => expectStruck(await attacker.runCallsInChats(chats, calls, prepare), words),
  };
}

function edit(change: Record<string, unknown>): HostileCall {
  return { name: 'file_edit', arguments: { path: 'a.txt', ...change } };
}

function same(times: number, callOf: (at: number) => HostileCall): HostileCall[] {
  return Array.from({ length: times }, (_, at) => callOf(at));
}

function writes(content: string): (folder: string) => Promise<void> {
  return async (folder) => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'a.txt'), content);
  };
}

async function fillDeepFolder(folder: string): Promise<void> {
  const inner = join(folder, ...Array.from({ length: 3 }, () => 'deep'.repeat(60)));
  await mkdir(inner, { recursive: true });
  const names = Array.from({ length: 3_000 }, (_, at) => join(inner, `${'n'.repeat(170)}${at}.txt`));
  for (let at = 0; at < names.length; at += 500) {
    await Promise.all(names.slice(at, at + 500).map(async (name) => writeFile(name, '')));
  }
}

type CallsOf = (step: number) => readonly HostileCall[];

/** Has a model make calls for as long as the attack lasts. */
function works(name: string, callsOf: CallsOf, prepare?: (folder: string) => Promise<void>): Attack {
  return {
    name,
    run: async (attacker) => {
      let steps = 0;
      let result: string | undefined;
      const script: HostileScript = prepare === undefined ? callForever(callsOf) : callOnce(callsOf(1));
      await attacker.model((request, response) => {
        steps += 1;
        result ??= resultsOf(request)[0];
        return script(request, response);
      });
      const chatId = await attacker.chat(TOOLS);
      await prepare?.(attacker.workspace(chatId));
      const { kind } = await attacker.ask(chatId);
      expect(['answered', 'stopped', 'failed']).toContain(kind);
      expect(steps).toBeGreaterThan(0);
      return `${steps} steps, ${kind}: ${messageOf(result)}`;
    },
  };
}

function find(pattern: string): CallsOf {
  return many('file_find', { pattern: pattern.slice(0, 500) });
}

// A call that differs a little each time, so that none is taken for a repetition.
function many(name: string, args: Record<string, unknown>): CallsOf {
  return (step) =>
    Array.from({ length: 32 }, (_, at) => ({
      name,
      arguments: name === 'file_find' || name === 'file_list' ? { limit: 100 + at + step, ...args } : args,
    }));
}

function difference(step: number): string {
  const lines = Array.from({ length: 10_000 }, (_, at) => `-a\n+b${step}-${at}\n`).join('');
  return `--- long.txt\n+++ long.txt\n@@ -2,10000 +2,10000 @@\n${lines}`;
}

async function fillWorkspace(folder: string): Promise<void> {
  for (let at = 0; at < FOLDERS; at += 1) {
    const inner = join(folder, `folder-${at}`);
    await mkdir(inner, { recursive: true });
    const names = Array.from({ length: FILES_OF_FOLDER }, (_, file) => join(inner, `eeee-${file}-eeeeeeeeeeeeeeee.tx`));
    await Promise.all(names.map(async (name) => writeFile(name, '')));
  }
}
