import { describe, expect, test } from '@jest/globals';
import type { EditedRecord } from '../../db/marketplace/install-item.ts';
import type { DefinitionContent } from '../../domain/definitions/definition.ts';
import { editedConflict } from './catalog.ts';

const SIZE = 256 * 1024;

function skill(files: Record<string, string>): DefinitionContent {
  const record = { key: 'mine', name: 'Mine', description: '', category: 'custom', version: '1.0.0' };
  return { ...record, persona: null, files: new Map(Object.entries(files)) };
}

function edited(mine: Record<string, string>, theirs: Record<string, string>): EditedRecord {
  const states = { current: { definition: skill(mine) }, wanted: { definition: skill(theirs) } };
  return { kind: 'skill', key: 'mine', states, isForeign: false };
}

/** The longest time for which nothing else was done, in milliseconds of this thread's processor time. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  let before = process.threadCpuUsage();
  const measure = () => {
    const { user } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest = Math.max(longest, user / 1_000);
    if (!isDone) setImmediate(measure);
  };
  setImmediate(measure);
  await work();
  isDone = true;
  measure();
  return longest;
}

const lines = (line: (at: number) => string, length: number) =>
  Array.from({ length }, (_, at) => line(at))
    .join('\n')
    .slice(0, SIZE);
const shuffled = (at: number) => String((at * 7_919) % 10_007);

describe('the differences between edited records and their item', () => {
  test('are those of their lines', async () => {
    const { message } = await editedConflict([edited({ 'a.md': 'one\ntwo\n' }, { 'a.md': 'one\n2\n' })], '1.1.0');
    expect(message).toContain('skills/mine/a.md');
    expect(message).toContain('-two\n+2\n');
  });

  test.each([
    ['only of line ends', '\n'.repeat(SIZE), '\r\n'.repeat(SIZE / 2), 'too long to be compared here'],
    ['of the same line in other numbers', 'a\n'.repeat(SIZE / 2), 'a\nb\n'.repeat(SIZE / 4), 'too long'],
    ['of one long line', 'a'.repeat(SIZE), 'b'.repeat(SIZE), 'cut after 50000 characters'],
    ['without a common line', lines((at) => `a${at}`, 1_990), lines((at) => `b${at}`, 1_990), 'in too many places'],
    ['with the same lines elsewhere', lines(shuffled, 1_990), lines((at) => shuffled(at + 995), 1_990), 'mine/0.md'],
    [
      'of lines that repeat',
      lines((at) => 'ab'[at % 2] ?? '', 1_990),
      lines((at) => 'aab'[at % 3] ?? '', 1_990),
      '0.md',
    ],
  ])('of hostile texts, %s, are told in words and do not hold the process', async (_what, mine, theirs, words) => {
    const files = (text: string) => Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`${at}.md`, text]));
    const record = edited(files(mine), files(theirs));
    let message = '';
    // Once before, so that what is measured is not the compiler.
    await editedConflict([record], '1.1.0');
    const blockedMs = await longestBlock(async () => ({ message } = await editedConflict([record], '1.1.0')));
    expect(message).toContain(words);
    expect(message.length).toBeLessThan(52_000);
    // A file takes 20 to 30 ms, and without a limit of its changes 300 to 600.
    expect(blockedMs).toBeLessThan(200);
  });

  test('of records that are too large together name those that were left out', async () => {
    const { message } = await editedConflict(
      [edited({ 'a.md': 'x' }, { 'a.md': 'y' }), { kind: 'skill', key: 'other', states: undefined, isForeign: false }],
      '1.1.0',
    );
    expect(message).toContain('skill "other"');
    expect(message).toContain('1 more records are too large to be compared.');
  });
});
