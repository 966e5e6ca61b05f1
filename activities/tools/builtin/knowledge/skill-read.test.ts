import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { AgentSkills } from '../../context.ts';
import type { ToolArguments } from '../../tool.ts';
import { skillRead } from './skill-read.ts';

const FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sums: { 'SKILL.md': '---\nname: sums\n---\nAdd.\nCarry.', 'tables/two.md': '2\n4\n6\n8' },
  plain: { 'SKILL.md': 'Do it.' },
  long: { 'SKILL.md': Array.from({ length: 4_000 }, (_, index) => `line ${index + 1}`).join('\n') },
};
const skills: AgentSkills = {
  list: async () => Object.entries(FILES).map(([key, files]) => ({ key, paths: Object.keys(files) })),
  readFile: async (key, path) => FILES[key]?.[path],
};

let tools: TestTools;
beforeAll(async () => {
  tools = await createTestTools();
});
afterAll(() => tools.close());

async function read(args: ToolArguments): Promise<string> {
  const context = { ...tools.context, skills };
  return (await prepareCall(skillRead, args).run(context)).value as string;
}

describe('skill_read', () => {
  test('reads the instructions of a skill, and says which other files it has', async () => {
    expect(await read({ skill: 'sums' })).toBe(
      '---\nname: sums\n---\nAdd.\nCarry.\n[Further files of this skill: tables/two.md]',
    );
    expect(await read({ skill: 'plain' })).toBe('Do it.');
  });

  test('reads any file of it, by lines', async () => {
    expect(await read({ skill: 'sums', path: 'tables/two.md', start_line: 2, end_line: 3 })).toBe('4\n6');
    expect(await read({ skill: 'sums', path: './tables/two.md' })).toBe('2\n4\n6\n8');
  });

  test('shows a long file in parts, and says where to continue', async () => {
    const first = await read({ skill: 'long' });
    const next = Number(/from start_line (\d+)\.\]$/.exec(first)?.[1]);
    expect(first).toContain(`line ${next - 1}\n[`);
    expect(await read({ skill: 'long', start_line: next })).toMatch(new RegExp(`^line ${next}\n`));
  });

  test.each([
    [{ skill: 'other' }, 'not_found', 'Yours are: sums, plain, long'],
    [{ skill: 'sums', path: '../plain/SKILL.md' }, 'not_found', 'Its files are: SKILL.md, tables/two.md'],
    [{ skill: 'plain', start_line: 9 }, 'invalid_input', 'only 1 lines'],
    [{ skill: 'plain', start_line: 2, end_line: 1 }, 'invalid_input', 'end_line'],
  ])('says what is wrong with %j', async (args, kind, words) => {
    await expect(read(args)).rejects.toMatchObject({ kind, message: expect.stringContaining(words) });
  });
});
