import { describe, expect, test } from '@jest/globals';
import type { DefinitionContent, DefinitionKind } from '../../domain/definitions/definition.ts';
import { readDefinitionFolder, writeDefinitionFolder } from '../folders.ts';

const read = (kind: DefinitionKind, folder: string | undefined, files: Readonly<Record<string, string>>) =>
  readDefinitionFolder(kind, folder, new Map(Object.entries(files)));

const SKILL = '---\nname: release-notes\ndescription: How we write them.\n---\nBe brief.\n';
const TOOL = { name: 'Order', description: 'Looks it up.', category: 'data', parameters: { type: 'object' } };
const PERSONA = { name: 'Editor', description: 'Edits.', icon: 'E', soul: { b: { d: 1, c: 2 }, a: [2, 1] } };

function roundTrip(kind: DefinitionKind, content: DefinitionContent) {
  const files = writeDefinitionFolder(kind, content);
  return { files, content: readDefinitionFolder(kind, content.key, files) };
}

describe('the folder of a skill', () => {
  test('is read as its SKILL.md says, with all its files', () => {
    expect(read('skill', 'release_notes', { 'SKILL.md': SKILL, 'references/a.md': 'a' })).toEqual({
      key: 'release_notes',
      name: 'release-notes',
      description: 'How we write them.',
      category: 'custom',
      version: '1.0.0',
      files: new Map([
        ['SKILL.md', SKILL],
        ['references/a.md', 'a'],
      ]),
      persona: null,
    });
  });

  test('may say the title, the category and the version of its record under metadata', () => {
    const metadata = 'metadata: { title: Release notes, category: writing, version: 2.1.0 }';
    const text = SKILL.replace('---\nBe', `${metadata}\n---\nBe`);
    expect(read('skill', undefined, { 'SKILL.md': text })).toMatchObject({
      key: 'release-notes',
      name: 'Release notes',
      category: 'writing',
      version: '2.1.0',
    });
  });

  test('takes what other programs keep under metadata for nothing of ours', () => {
    const text = SKILL.replace('---\nBe', 'metadata: { category: 7, version: [1] }\n---\nBe');
    expect(read('skill', undefined, { 'SKILL.md': text })).toMatchObject({ category: 'custom', version: '1.0.0' });
  });

  test.each([
    ['says something else', { 'SKILL.md': SKILL }],
    ['has no front matter', { 'SKILL.md': '# Ours\n' }],
    ['is missing', {}],
  ])('comes back equal when its SKILL.md %s', (_title, files) => {
    const record = { key: 'k', name: 'Name', description: 'How we write them.', category: 'data', version: '3' };
    const content = { ...record, persona: null, files: new Map(Object.entries(files)) };
    const written = roundTrip('skill', content);
    expect([...written.files.keys()]).toContain('skill.json');
    expect(written.content).toEqual(content);
  });

  test('is what its SKILL.md says, whatever skill.json says beside it', () => {
    const record = JSON.stringify({ name: 'Name', description: 'Other', category: 'data', version: '3' });
    const title = SKILL.replace('---\nBe', 'metadata: { title: Notes }\n---\nBe');
    expect(read('skill', 'k', { 'SKILL.md': title, 'skill.json': record })).toMatchObject({
      name: 'Notes',
      description: 'How we write them.',
      category: 'data',
      version: '3',
    });
  });

  test('is written without skill.json when SKILL.md says it all', () => {
    const content = read('skill', 'release_notes', { 'SKILL.md': SKILL });
    expect([...roundTrip('skill', content).files.keys()]).toEqual(['SKILL.md']);
  });

  test.each([
    [{}, 'has no SKILL.md'],
    [{ 'SKILL.md': '# No front matter' }, 'must begin with front matter'],
    [{ 'SKILL.md': '---\nname: a\n---\n' }, 'description'],
    [{ 'SKILL.md': SKILL, 'skill.md': SKILL }, 'cannot lie beside'],
    [{ 'SKILL.md': SKILL, '../a': '' }, '. and ..'],
    [{ 'SKILL.md': SKILL, 'skill.json': '{"name":"a"}' }, 'category'],
    [{ 'SKILL.md': SKILL, 'skill.json': '{"name":"a","description":"","category":"nonsense"}' }, 'category'],
    [{ 'SKILL.md': SKILL, 'a.bin': 'x'.repeat(256 * 1024 + 1) }, '256 KB'],
    [Object.fromEntries(Array.from({ length: 102 }, (_, index) => [`${index}`, ''])), '100 files'],
    [Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`${index}`, 'x'.repeat(256 * 1024)])), '2 MB'],
  ])('is refused with clear words: %#', (files, words) => {
    const all = 'SKILL.md' in files || Object.keys(files).length === 0 ? files : { 'SKILL.md': SKILL, ...files };
    expect(() => read('skill', 'a', all as Record<string, string>)).toThrow(words);
  });

  test.each(['Upper', 'mcp', 'a b', '../a'])('is refused when its name is no key: %s', (folder) => {
    expect(() => read('skill', folder, { 'SKILL.md': SKILL })).toThrow('the key');
  });
});

describe('the folder of a tool', () => {
  test('comes back equal, with the fields of tool.json that nobody knows', () => {
    const text = JSON.stringify({ ...TOOL, effect: 'read', runtime: 'http', x_team: 'a' });
    const content = read('tool', 'order', { 'tool.json': text, 'http.json': '{"method":"GET","url":"https://e.com"}' });
    expect(content).toMatchObject({ key: 'order', name: 'Order', category: 'data', version: '1.0.0' });
    expect(roundTrip('tool', content).content).toEqual(content);
  });

  test('comes back equal when there is no tool.json, and is written with one', () => {
    const content = {
      key: 'k',
      name: 'N',
      description: '',
      category: 'web',
      version: '2',
      files: new Map(),
      persona: null,
    };
    const written = roundTrip('tool', content);
    expect(JSON.parse(written.files.get('tool.json') ?? '')).toMatchObject({ key: 'k', name: 'N', category: 'web' });
    expect(written.content).toEqual(content);
  });

  test.each([
    [{}, 'has no tool.json'],
    [{ 'tool.json': '[]' }, 'JSON object'],
    [{ 'tool.json': '{' }, 'not usable JSON'],
    [{ 'tool.json': '{"name":"a"}' }, 'must have name, description and category'],
    [{ 'tool.json': JSON.stringify({ ...TOOL, category: 'nonsense' }) }, 'category'],
    [{ 'tool.json': JSON.stringify({ ...TOOL, key: 'other' }) }, 'as its folder is named'],
    [{ 'tool.json': JSON.stringify({ ...TOOL, effect: 'sometimes' }) }, 'effect'],
    [{ 'tool.json': JSON.stringify({ ...TOOL, parameters: { type: 'string' } }) }, '"type": "object"'],
    [{ 'tool.json': JSON.stringify({ ...TOOL, timeout_s: 0 }) }, 'timeout_s'],
    [{ 'tool.json': JSON.stringify(TOOL), 'http.json': '{"method":"GET"}' }, 'url: Field required'],
  ])('is refused with clear words: %#', (files, words) => {
    expect(() => read('tool', 'order', files as unknown as Record<string, string>)).toThrow(words);
  });
});

describe('the folder of a persona', () => {
  test('comes back equal, whatever the order of its soul and the end of its prompt', () => {
    const content = read('persona', 'editor', { 'persona.json': JSON.stringify(PERSONA), 'PROMPT.md': 'Edit.\n' });
    expect(content.persona).toMatchObject({ icon: 'E', systemPrompt: 'Edit.', defaultTools: [] });
    const other = { ...content, persona: { ...content.persona, soul: { a: [2, 1], b: { c: 2, d: 1 } } } };
    const [first, second] = [content, other as DefinitionContent].map((each) => roundTrip('persona', each));
    expect([...(first?.files ?? [])]).toEqual([...(second?.files ?? [])]);
    expect(first?.content).toEqual(content);
  });

  test.each(['', 'one line', 'ends with a line\n', '\n\n'])('keeps the prompt %j', (systemPrompt) => {
    const { persona, ...rest } = read('persona', 'editor', { 'persona.json': JSON.stringify(PERSONA) });
    if (persona === null) throw new Error('a persona has its fields');
    const content = { ...rest, persona: { ...persona, systemPrompt } };
    expect(roundTrip('persona', content).content).toEqual(content);
  });

  test.each([
    [{}, 'has no persona.json'],
    [{ 'persona.json': JSON.stringify(PERSONA), 'main.js': '' }, 'neither persona.json nor PROMPT.md'],
    [{ 'persona.json': JSON.stringify({ ...PERSONA, soul: 'kind' }) }, 'soul'],
    [{ 'persona.json': JSON.stringify({ ...PERSONA, surplus: 1 }) }, 'surplus'],
    [
      {
        'persona.json': JSON.stringify({
          ...PERSONA,
          soul: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [i, 1])),
        }),
      },
      '1000 values',
    ],
    [{ 'persona.json': JSON.stringify({ ...PERSONA, soul: { a: 'x'.repeat(70_000) } }) }, '64 KiB'],
  ])('is refused with clear words: %#', (files, words) => {
    expect(() => read('persona', 'editor', files as unknown as Record<string, string>)).toThrow(words);
  });
});
