import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readDefinitionFolder } from '../definition-files/index.ts';
import { type FaultyDefinition, readShippedDefinitions, shippedId } from './shipped-definitions.ts';

let catalogDir: string;
let faulty: FaultyDefinition[];
beforeEach(() => {
  catalogDir = mkdtempSync(join(tmpdir(), 'everturn-catalog-'));
  faulty = [];
});
afterEach(() => rmSync(catalogDir, { recursive: true }));

function write(path: string, content: string): void {
  mkdirSync(join(catalogDir, path, '..'), { recursive: true });
  writeFileSync(join(catalogDir, path), content);
}

const read = () => readShippedDefinitions({ catalogDir, onFaulty: (each) => faulty.push(each) });
const TOOL = { name: 'Now', description: 'Ours.', category: 'utility', parameters: { type: 'object' }, effect: 'read' };

describe('the definitions that ship', () => {
  test('have ids that stay', () => {
    expect(shippedId('tool', 'time_now')).toBe('4349abff-6eae-5d75-ba0a-712b2bb4b919');
    expect(readShippedDefinitions().find(({ key }) => key === 'time_now')?.id).toBe(shippedId('tool', 'time_now'));
  });

  test('have different ids', () => {
    const ids = readShippedDefinitions().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('the builtin tools have parameters as others must have them', () => {
  const tools = readShippedDefinitions().filter(({ kind }) => kind === 'tool');
  expect(tools.length).toBeGreaterThan(50);
  for (const { kind, key, files } of tools)
    expect(readDefinitionFolder(kind, key, files, { isExamined: true })).toMatchObject({ key });
});

describe("the operator's folder", () => {
  test('adds definitions, and overrides builtin ones of its keys', () => {
    write('skills/house_style/SKILL.md', '---\nname: house-style\ndescription: Ours.\n---\n');
    write('skills/house_style/references/a.md', 'a');
    write('tools/time_now/tool.json', JSON.stringify(TOOL));
    write('personas/host/persona.json', JSON.stringify({ name: 'Host', description: 'Welcomes.' }));
    write('.git/config', 'left out');
    const all = read();
    expect(faulty).toEqual([]);
    expect(all.find(({ key }) => key === 'house_style')?.paths).toEqual(['SKILL.md', 'references/a.md']);
    expect(all.filter(({ kind, key }) => kind === 'tool' && key === 'time_now')).toMatchObject([{ name: 'Now' }]);
    expect(all.find(({ key }) => key === 'host')).toMatchObject({ kind: 'persona', origin: 'builtin' });
  });

  test('leaves out what is faulty, and says where and why', () => {
    write('skills/good/SKILL.md', '---\nname: good\ndescription: Fine.\n---\n');
    write('skills/bad/SKILL.md', '# No front matter');
    write('tools/broken/tool.json', '{');
    write('tools/Upper/tool.json', JSON.stringify(TOOL));
    mkdirSync(join(catalogDir, 'personas/loop'), { recursive: true });
    symlinkSync('.', join(catalogDir, 'personas/loop/loop'));
    const keys = read().map(({ key }) => key);
    expect(keys).toContain('good');
    for (const key of ['bad', 'broken', 'Upper', 'loop']) expect(keys).not.toContain(key);
    expect(faulty).toEqual([
      { folder: join(catalogDir, 'tools/Upper'), reason: expect.stringContaining('the key "Upper"') },
      { folder: join(catalogDir, 'tools/broken'), reason: expect.stringContaining('tool.json is not usable JSON') },
      { folder: join(catalogDir, 'skills/bad'), reason: expect.stringContaining('SKILL.md must begin') },
      { folder: join(catalogDir, 'personas/loop'), reason: expect.any(String) },
    ]);
  });

  test('that is not there is said to be missing', () => {
    const all = readShippedDefinitions({ catalogDir: join(catalogDir, 'none'), onFaulty: (each) => faulty.push(each) });
    expect(faulty).toEqual([{ folder: join(catalogDir, 'none'), reason: 'there is no such folder' }]);
    expect(all.length).toBeGreaterThan(0);
  });
});
