import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { needsOf } from '../domain/marketplace.ts';
import { inspectTool } from '../domain/tools/inspect-tool.ts';
import { readItem, readItems } from '../definition-files/index.ts';
import { readShippedItems } from './shipped-definitions.ts';

const HEAD = { name: 'Item', kind: 'skill', version: '1.0.0', summary: 'Does it', tags: ['a'] };
const SKILL = '---\nname: my-skill\ndescription: Does it.\n---\n\nDo it.\n';
const filesOf = (head: object, more: Record<string, string>) =>
  new Map(Object.entries({ 'item.json': JSON.stringify({ ...HEAD, ...head }), 'README.md': '# Item', ...more }));

describe('the items that ship with the service', () => {
  const items = readShippedItems();

  test('are at least twenty, each with a readme, a summary and tags', () => {
    expect(items.length).toBeGreaterThanOrEqual(20);
    for (const { slug, readme, summary, tags } of items)
      expect([slug, readme.length > 100, summary.length > 40, tags.length > 1]).toEqual([slug, true, true, true]);
  });

  test('contain tools that can be offered to a model', () => {
    const tools = items.flatMap(({ definitions }) => definitions.filter(({ kind }) => kind === 'tool'));
    expect(tools.length).toBeGreaterThan(10);
    for (const { content } of tools)
      expect([content.key, inspectTool(content, content.files)]).toEqual([content.key, { tool: expect.anything() }]);
  });

  test('do not share keys, so that all can be installed beside each other', () => {
    const keys = items.flatMap(({ definitions }) => definitions.map(({ kind, content }) => `${kind} ${content.key}`));
    expect(keys).toEqual([...new Set(keys)]);
  });

  test('bring the personas and skills of their agents, or use builtin ones', () => {
    for (const item of items) expect([item.slug, needsOf(item).skills]).toEqual([item.slug, []]);
  });
});

describe('an item', () => {
  test('is read from its files', () => {
    const item = readItem('my-item', filesOf({}, { 'skills/my_skill/SKILL.md': SKILL }));
    expect(item).toMatchObject({ slug: 'my-item', kind: 'skill', version: '1.0.0', source: 'builtin', agents: [] });
    expect(item.definitions).toMatchObject([{ kind: 'skill', content: { key: 'my_skill', description: 'Does it.' } }]);
  });

  test('needs the tools, skills and credentials that it does not bring', () => {
    const tool = { name: 'Board', description: 'Reads it', category: 'custom', integration: 'jira' };
    const agent = { name: 'A', description: '', tools: ['board', 'file_read'], skills: ['my_skill', 'git'] };
    const item = readItem(
      'my-item',
      filesOf(
        { kind: 'bundle', providers: ['A model that calls tools'], destinations: ['slack'] },
        {
          'agents/a/agent.json': JSON.stringify(agent),
          'agents/a/PROMPT.md': 'Help.',
          'skills/my_skill/SKILL.md': SKILL,
          'tools/board/tool.json': JSON.stringify(tool),
        },
      ),
    );
    expect(needsOf(item)).toEqual({ tools: ['file_read'], skills: ['git'], credentials: ['jira'] });
    expect(item).toMatchObject({ providers: ['A model that calls tools'], destinations: ['slack'] });
  });

  test.each([
    [
      'with a kind of destinations that there is not',
      'x',
      filesOf({ destinations: ['fax'] }, { 'skills/s/SKILL.md': SKILL }),
      'destinations',
    ],
    ['without item.json', 'x', new Map([['README.md', 'x']]), 'has no item.json'],
    ['with a name that is none', 'X/..', filesOf({}, { 'skills/s/SKILL.md': SKILL }), 'must be lower-case letters'],
    [
      'with a strange version',
      'x',
      filesOf({ version: 'new' }, { 'skills/s/SKILL.md': SKILL }),
      'a version like 1.4.0',
    ],
    ['with unknown fields', 'x', filesOf({ script: 'rm' }, { 'skills/s/SKILL.md': SKILL }), 'script'],
    ['that installs nothing', 'x', filesOf({}, {}), 'installs nothing'],
    ['of another kind', 'x', filesOf({ kind: 'agent' }, { 'skills/s/SKILL.md': SKILL }), 'kind must be skill'],
    ['with other files', 'x', filesOf({}, { 'bin/run.sh': 'x' }), 'bin/run.sh is none of an item'],
    ['with a broken skill', 'x', filesOf({}, { 'skills/s/SKILL.md': 'no front matter' }), 'skills/s/SKILL.md'],
    [
      'with an agent that has no prompt',
      'x',
      filesOf({ kind: 'agent' }, { 'agents/a/agent.json': '{"name":"A","description":""}' }),
      'agents/a has no PROMPT.md',
    ],
  ])('%s is refused, with the reason', (_what, slug, files, reason) => {
    expect(() => readItem(slug, files)).toThrow(reason);
  });
});

describe('a folder of items', () => {
  test('with a broken one is refused with its name, which ends the start of a process', () => {
    const folder = mkdtempSync(join(tmpdir(), 'everturn-items-'));
    mkdirSync(join(folder, 'broken-one'));
    writeFileSync(join(folder, 'broken-one', 'item.json'), '{');
    expect(() => readItems(folder)).toThrow(/broken-one: item\.json is not usable JSON/);
    rmSync(folder, { recursive: true });
  });
});
