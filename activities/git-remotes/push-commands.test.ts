import { describe, expect, test } from '@jest/globals';
import { readPushCommands, RefusedPush } from './push-commands.ts';

const [from, to, other] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string];
const NONE = '0'.repeat(40);
const update = { ref: 'refs/heads/main', from, to };
const CAPABILITIES = '\0 report-status-v2 side-band-64k quiet object-format=sha1 agent=git/2.39.5';

const line = (text: string): string => (Buffer.byteLength(text, 'latin1') + 4).toString(16).padStart(4, '0') + text;

/** The bytes of a push, in chunks of some length. */
async function* inChunks(body: string, length: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(body, 'latin1');
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

describe('the commands of a push', () => {
  test.each([
    ['the update', line(`${from} ${to} refs/heads/main${CAPABILITIES}`), update],
    ['one with a line break', line(`${from} ${to} refs/heads/main${CAPABILITIES} atomic\n`), update],
    ['a new branch', line(`${NONE} ${to} refs/heads/main${CAPABILITIES}`), { ...update, from: undefined }],
    [
      'one from a clone without older commits',
      line(`shallow ${other}`) + line(`${from} ${to} refs/heads/main`),
      update,
    ],
    [
      'long names of commits',
      line(`${NONE}${'0'.repeat(24)} ${'d'.repeat(64)} refs/heads/main\0object-format=sha256`),
      { ref: 'refs/heads/main', from: undefined, to: 'd'.repeat(64) },
    ],
    ['letters of any script', line(`${from} ${to} refs/heads/\u00c3\u00a9`), { ...update, ref: 'refs/heads/é' }],
  ])('may be %s, in chunks of any length', async (_what, list, wanted) => {
    for (const length of [1, 7, 65_536]) {
      const chunks = inChunks(`${list}0000PACK...`, length);
      const { read, isProbe } = await readPushCommands(chunks, wanted);
      expect(isProbe).toBe(false);
      let body = read.toString('latin1');
      for await (const chunk of chunks) body += chunk.toString('latin1');
      expect(body).toBe(`${list}0000PACK...`);
    }
  });

  test('are read in linear time, however short the chunks are', async () => {
    const list = `${line(`shallow ${other}`).repeat(15_000)}${line(`${from} ${to} refs/heads/main`)}0000`;
    const { read } = await readPushCommands(inChunks(list, 1), update);
    expect(read.toString('latin1')).toBe(list);
  });

  test('may be none, by which git asks whether it may push', async () => {
    expect(await readPushCommands(inChunks('0000', 3), update)).toEqual({ read: Buffer.from('0000'), isProbe: true });
  });

  test.each([
    ['another branch', `${from} ${to} refs/heads/release`],
    ['a branch whose name begins the same', `${from} ${to} refs/heads/main2`],
    ['another commit', `${from} ${other} refs/heads/main`],
    ['the place of another commit', `${other} ${to} refs/heads/main`],
    ['the place of none', `${NONE} ${to} refs/heads/main`],
    ['a deletion', `${from} ${NONE} refs/heads/main`],
    ['options of a push', `${from} ${to} refs/heads/main\0 report-status push-options`],
    ['what it does not know', `${from} ${to} refs/heads/main\0 report-status new-thing`],
    ['a second end of the name', `${from} ${to} refs/heads/main\0quiet\0atomic`],
    ['a signed push', `push-cert\0 report-status`],
    ['an empty line', ''],
  ])('are refused for %s', async (_what, command) => {
    await expect(readPushCommands(inChunks(`${line(command)}0000PACK`, 100), update)).rejects.toThrow(RefusedPush);
  });

  test.each([
    ['a second command', `${line(`${from} ${to} refs/heads/main`)}${line(`${from} ${NONE} refs/heads/x`)}0000`],
    ['the same command twice', `${line(`${from} ${to} refs/heads/main`).repeat(2)}0000`],
    ['content without a command', '0000PACK'],
    ['no command after a list of commits', `${line(`shallow ${other}`)}0000`],
    ['another mark than the end', `${line(`${from} ${to} refs/heads/main`)}0001`],
    ['a length in no known form', `00G0${from} ${to} refs/heads/main0000`],
    ['an end that is missing', line(`${from} ${to} refs/heads/main`)],
    ['nothing', ''],
    ['a list without end', line(`shallow ${other}`).repeat(30_000)],
  ])('are refused for %s', async (_what, body) => {
    await expect(readPushCommands(inChunks(body, 1_000), update)).rejects.toThrow(RefusedPush);
  });
});
