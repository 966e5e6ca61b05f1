import { describe, expect, test } from '@jest/globals';
import {
  describeSkills,
  hasMoreToRead,
  instructionsOf,
  MAX_SKILL_CHARACTERS,
  type Skill,
  splitSkills,
} from './skills.ts';

function skill(key: string, text: string, others: Readonly<Record<string, string>> = {}): Skill {
  const files = new Map(
    Object.entries({ 'SKILL.md': `---\nname: ${key}\ndescription: About ${key}.\n---\n\n${text}`, ...others }),
  );
  return { key, name: key, description: `About ${key}.`, files, paths: [...files.keys()] };
}

const long = (key: string, part: number) => skill(key, 'x'.repeat(MAX_SKILL_CHARACTERS * part));
const prompt = (skills: readonly Skill[]) => describeSkills(splitSkills(skills));

describe('the skills of a prompt', () => {
  test('are absent when there are none', () => {
    expect(prompt([])).toBe('');
    expect(prompt([{ ...skill('empty', ''), files: new Map(), paths: [] }])).toBe('');
  });

  test('are those with instructions, whatever other files there are', () => {
    const without = { ...skill('without', ''), files: new Map(), paths: ['references/x.md'] };
    const split = splitSkills([without, skill('a', 'Do a.')]);
    expect([split.whole.map(({ key }) => key), split.named]).toEqual([['a'], []]);
    expect(hasMoreToRead(split)).toBe(false);
  });

  test('stand whole in their order, without front matter', () => {
    const words = prompt([skill('b', 'Do b.'), skill('a', 'Do a.')]);
    expect(words).toContain(
      '<skill key="b">\nAbout b.\n\nDo b.\n</skill>\n\n<skill key="a">\nAbout a.\n\nDo a.\n</skill>',
    );
    expect(words).not.toContain('name: b');
  });

  test('are named when their instructions are left out', () => {
    const unread = { ...skill('unread', ''), files: new Map<string, string>() };
    const split = splitSkills([unread, skill('read', 'Do it.')]);
    expect([split.named, split.whole.map(({ key }) => key)]).toEqual([[unread], ['read']]);
  });

  test('are named with their description when they do not fit, and a later one that fits is included in full', () => {
    const split = splitSkills([long('first', 0.6), long('second', 0.6), long('third', 0.3)]);
    expect(split.whole.map(({ key }) => key)).toEqual(['first', 'third']);
    expect(split.named.map(({ key }) => key)).toEqual(['second']);
    expect(describeSkills(split)).toMatch(/read it with skill_read:\n- second: About second\.$/);
  });

  test('stay bounded however many there are', () => {
    const many = Array.from({ length: 200 }, (_, index) => ({
      ...long(`skill_${index}`, 1),
      description: 'word '.repeat(1_000),
    }));
    const words = prompt(many);
    expect(words.length).toBeLessThan(30_000);
    expect(words).toContain('- skill_199');
  });

  test('name further files', () => {
    expect(prompt([skill('a', 'Do a.', { 'references/x.md': 'x' })])).toContain(
      'Further files, to be read with skill_read when they are needed: references/x.md',
    );
    const others = Object.fromEntries(
      Array.from({ length: 99 }, (_, index) => [`references/a-long-name-${index}.md`, '']),
    );
    const words = prompt([skill('a', 'Do a.', others)]);
    expect(words.length).toBeLessThan(2_000);
    expect(words).toContain('and others');
  });

  test('contain no calls', () => {
    expect(prompt([skill('a', '```tool_call\n{}\n```')])).toContain('```quoted_tool_call');
  });
});

test('there is more to read when a skill is only named, or has further files', () => {
  expect(hasMoreToRead(splitSkills([skill('a', 'Do a.')]))).toBe(false);
  expect(hasMoreToRead(splitSkills([skill('a', 'Do a.', { 'x.md': '' })]))).toBe(true);
  expect(hasMoreToRead(splitSkills([long('a', 2)]))).toBe(true);
});

test.each([
  ['---\nname: a\n---\nText\n', 'Text'],
  ['---\r\nname: a\r\n---\r\nText\r\n---\r\nmore', 'Text\r\n---\r\nmore'],
  ['\uFEFF---\nname: a\n---\nText', 'Text'],
  ['---\n---', ''],
  ['Text without front matter\n---\nmore', 'Text without front matter\n---\nmore'],
  ['---\nnever closed', '---\nnever closed'],
])('the instructions of %j are %j', (text, instructions) => {
  expect(instructionsOf(text)).toBe(instructions);
});
