import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Attack, AttackFamily } from '../attack.ts';
import { messageOf } from '../expect-ending.ts';
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
    works('reads a file of a single line of 200 MB', many('file_read', { path: 'line.txt' }), async (folder) => {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'line.txt'), Buffer.alloc(200_000_000, 'l'));
    }),
  ],
};

type CallsOf = (step: number) => readonly HostileCall[];

/** Has a model make calls for as long as the attack lasts. */
function works(name: string, callsOf: CallsOf, prepare?: (folder: string) => Promise<void>): Attack {
  return {
    name,
    run: async (attacker) => {
      let steps = 0;
      let told: string | undefined;
      const script: HostileScript = prepare === undefined ? callForever(callsOf) : callOnce(callsOf(1));
      await attacker.model((request, response) => {
        steps += 1;
        told ??= resultsOf(request)[0];
        return script(request, response);
      });
      const chatId = await attacker.chat(TOOLS);
      await prepare?.(attacker.workspace(chatId));
      const { kind } = await attacker.ask(chatId);
      expect(['answered', 'stopped', 'failed']).toContain(kind);
      expect(steps).toBeGreaterThan(0);
      return `${steps} steps, ${kind}: ${messageOf(told)}`;
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
