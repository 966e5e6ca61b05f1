import { describe, expect, test } from '@jest/globals';
import { readFrontMatter, writeFrontMatter } from './front-matter.ts';

const read = (text: string) => readFrontMatter('SKILL.md', text);

describe('readFrontMatter', () => {
  test('returns known and unknown fields, and what follows them', () => {
    const text = '---\nname: a\nx-team:\n  - one\nmetadata: { category: writing }\n---\n# Title\n---\nend\n';
    expect(read(text)).toEqual({
      fields: { name: 'a', 'x-team': ['one'], metadata: { category: 'writing' } },
      body: '# Title\n---\nend\n',
    });
  });

  test('takes line ends of Windows and a byte order mark', () => {
    expect(read('\uFEFF---\r\nname: a\r\n---\r\nbody')).toEqual({ fields: { name: 'a' }, body: 'body' });
  });

  test('takes a file that ends with its fields', () => {
    expect(read('---\nname: a\n---')).toEqual({ fields: { name: 'a' }, body: '' });
  });

  test('leaves dates and yes as the texts that they are written as', () => {
    expect(read('---\nwhen: 2026-11-22\nflag: yes\n---\n').fields).toEqual({ when: '2026-11-22', flag: 'yes' });
  });

  test.each([
    ['Writes mails: short ones', 'Writes mails: short ones'],
    ['Use when: a: b', 'Use when: a: b'],
    ['[Beta] Writes mails', '[Beta] Writes mails'],
    ['[Beta]: writes mails', '[Beta]: writes mails'],
    ['{name}: greets', '{name}: greets'],
    ['"Quick" and short', '"Quick" and short'],
    ['@everyone may use it', '@everyone may use it'],
    ['*important* words', '*important* words'],
    ['`code` first', '`code` first'],
    ['Reads PDFs: all\n  of them, and: more', 'Reads PDFs: all of them, and: more'],
    ['Ends with a colon:', 'Ends with a colon:'],
    ['100% "sure": yes # always', '100% "sure": yes'],
    ['Writes: mails # not shown', 'Writes: mails'],
    ['Writes: mails # not shown\n  to: all\t# nor this\n  # nor that', 'Writes: mails to: all'],
    ['Fixes issue#7: at once', 'Fixes issue#7: at once'],
  ])('takes %j for a text, as other programs do', (written, description) => {
    const text = `---\nname: a\ndescription: ${written}\nmetadata:\n  title: "A: b"\n  note: |\n    c: d: e\n---\nbody`;
    expect(read(text).fields).toEqual({ name: 'a', description, metadata: { title: 'A: b', note: 'c: d: e\n' } });
    const changed = writeFrontMatter(text, [[['name'], 'b']]);
    expect(read(changed).fields).toMatchObject({ name: 'b', description });
  });

  test.each([
    ['', 'must begin with front matter'],
    ['# Title\n', 'must begin with front matter'],
    ['---\nname: a\n', 'must begin with front matter'],
    ['text\n---\nname: a\n---\n', 'must begin with front matter'],
    ['---\n---\n', 'must have front matter with fields'],
    ['---\njust words\n---\n', 'must have front matter with fields'],
    ['---\n- a\n---\n', 'must have front matter with fields'],
    ['---\nname: [\n---\n', 'not usable YAML'],
    ['---\nname: a\nname: b\n---\n', 'not usable YAML'],
    ['---\na: &x [1]\nb: *x\n---\n', 'not usable YAML'],
    ['---\na: !!js/function x\n---\n', 'not usable YAML'],
    [`---\na: ${'['.repeat(5_000)}\n---\n`, 'not usable YAML'],
    [`---\na: ${'['.repeat(40)}1${']'.repeat(40)}\n---\n`, 'nests at most'],
    ['---\n__proto__: { a: 1 }\n---\n', 'storable'],
    ['---\na: "\\0"\n---\n', 'storable'],
    [`---\na: ${'x'.repeat(20_000)}\n---\n`, '16384 characters'],
  ])('rejects %j', (text, words) => {
    expect(() => read(text)).toThrow(words);
  });

  test('quotes the texts of up to 200 fields', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, at) => `f${at}: b: c\n`).join('');
    expect(read(`---\n${fields(200)}---\n`).fields).toMatchObject({ f0: 'b: c', f199: 'b: c' });
    expect(() => read(`---\n${fields(201)}---\n`)).toThrow('not usable YAML');
  });
});
