import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { dataConvert } from './data-convert.ts';

const VALUE = { name: 'Zoë & co', tags: ['a', 'b'], size: { w: 1.5, h: 2 }, on: true };

let tools: TestTools;
beforeEach(async () => {
  tools = await createTestTools();
});
afterEach(() => tools.close());

async function run(args: object) {
  return prepareCall(dataConvert, { ...args }).run(tools.context);
}

const convert = async (from: string, to: string, text: string) => String((await run({ from, to, text })).value);

describe('data_convert', () => {
  test.each(['json', 'yaml', 'toml'])('keeps a value on the way to %s and back', async (format) => {
    const there = await convert('json', format, JSON.stringify(VALUE));
    expect(JSON.parse(await convert(format, 'json', there))).toEqual(VALUE);
  });

  test.each([
    ['json', 'json', '{\n  "id": 1234567890123456789,\n  "p": [\n    1.10,\n    1e400\n  ]\n}'],
    ['json', 'yaml', 'id: 1234567890123456789\np:\n  - 1.10\n  - 1e400\n'],
    ['json', 'csv', 'id,p\n1234567890123456789,"[1.10,1e400]"\n'],
    ['json', 'xml', '<root>\n  <id>1234567890123456789</id>\n  <p>1.10</p>\n  <p>1e400</p>\n</root>\n'],
  ])('keeps numbers on the way from %s to %s', async (from, to, expected) => {
    const value = '{"id":1234567890123456789,"p":[1.10,1e400]}';
    expect(await convert(from, to, to === 'csv' ? `[${value}]` : value)).toBe(expected);
  });

  test('keeps numbers of YAML, whatever their form, and names that are numbers', async () => {
    const yaml = 'id: 1234567890123456789\nhex: 0x1F\nprice: 1.10\nrate: .5\n';
    const json = await convert('yaml', 'json', `${yaml}12345678901234567890: x\n01067: y\n1.10: z\n`);
    expect(json.replaceAll(/\s/g, '')).toBe(
      '{"id":1234567890123456789,"hex":31,"price":1.10,"rate":0.5,"12345678901234567890":"x","01067":"y","1.10":"z"}',
    );
  });

  test('refuses a number that the other format does not have', async () => {
    await expect(convert('json', 'toml', '{"id":1234567890123456789}')).rejects.toThrow('1234567890123456789');
    await expect(convert('toml', 'json', 'id = 1234567890123456789')).rejects.toThrow(/TOML/);
    await expect(convert('yaml', 'json', 'a: .inf')).rejects.toThrow('.inf');
    for (const number of ['inf', '-inf', 'nan', '1e400'])
      await expect(convert('toml', 'json', `a = [{ b = ${number} }]`)).rejects.toThrow('no number that other formats');
  });

  test('repeats no long line in what is wrong', async () => {
    const digits = '9'.repeat(5_000);
    await expect(convert('json', 'toml', `{"a":${digits}}`)).rejects.toThrow(/contains 9{100}, a number/);
    await expect(convert('toml', 'json', `a = 1\nb = ${digits}`)).rejects.toThrow(
      /^The data is not TOML: integer value [\w ]+ \(line 2, column \d+\)$/,
    );
  });

  test('drops no null and no kind of YAML that the other format does not have', async () => {
    await expect(convert('json', 'toml', '{"a":{"b":null}}')).rejects.toThrow('has no null');
    const yaml =
      'set: !!set {x, y}\nmap: !!omap [a: 1, b: 2]\nbytes: !!binary aGVsbG8=\ntimes: [!!timestamp 2001-12-14]\n';
    expect(JSON.parse(await convert('yaml', 'json', yaml))).toEqual({
      set: ['x', 'y'],
      map: { a: 1, b: 2 },
      bytes: 'aGVsbG8=',
      times: ['2001-12-14T00:00:00.000Z'],
    });
  });

  test('reads XML with attributes, and leaves texts as they are', async () => {
    const xml = '<?xml version="1.0"?><r id="1"><i>007</i><i>x &amp; y</i><e/></r>';
    const value = { r: { '@id': '1', i: ['007', 'x & y'], e: '' } };
    expect(JSON.parse(await convert('xml', 'json', xml))).toEqual(value);
    const again = await convert('json', 'xml', JSON.stringify(value));
    expect(JSON.parse(await convert('xml', 'json', again))).toEqual(value);
  });

  test('writes XML with one element at the top', async () => {
    expect(await convert('json', 'xml', '[1,2]')).toBe('<root>\n  <item>1</item>\n  <item>2</item>\n</root>\n');
    expect(
      JSON.parse(await convert('xml', 'json', await convert('json', 'xml', '{"r":{"a":["1",null,"2"]}}'))),
    ).toEqual({
      r: { a: ['1', '', '2'] },
    });
    expect(await convert('json', 'xml', '{"a":"<b>"}')).toBe('<a>&lt;b&gt;</a>\n');
  });

  test('writes dates and times in XML as TOML writes them', async () => {
    const toml = 'a = 2001-12-14\nb = 07:32:00\n"@c" = 2001-12-14T01:02:03\nd = [2001-12-14T01:02:03Z]\n';
    const times = ['<a>2001-12-14</a>', '<b>07:32:00.000</b>', '<d>2001-12-14T01:02:03.000Z</d>'];
    const root = `<root c="2001-12-14T01:02:03.000">\n  ${times.join('\n  ')}\n</root>\n`;
    expect(await convert('toml', 'xml', toml)).toBe(root);
  });

  test('reads and writes tables', async () => {
    expect(JSON.parse(await convert('csv', 'json', 'a;b\n1;"x\ny"\n'))).toEqual([{ a: '1', b: 'x\ny' }]);
    const rows = [
      { a: 1, b: { c: 2 } },
      { d: 'x,y', a: null },
    ];
    expect(await convert('json', 'csv', JSON.stringify(rows))).toBe('a,b,d\n1,"{""c"":2}",\n,,"x,y"\n');
  });

  test('keeps blanks of texts in XML, but for those between elements', async () => {
    const xml = '<r>\n  <i> x </i>\n  <p>one <b>two</b> three</p>\n</r>';
    const value = { r: { i: ' x ', p: { '#text': 'one  three', b: 'two' } } };
    expect(JSON.parse(await convert('xml', 'json', xml))).toEqual(value);
  });

  test('keeps line breaks and tabs in XML that its readers would make others of', async () => {
    const value = { r: { '@a': '<"x">\n\ty\r', '#text': `it's <b> & "c"\r\n]]>` } };
    const xml = await convert('json', 'xml', JSON.stringify(value));
    expect(xml).toBe('<r a="&lt;&quot;x&quot;&gt;&#10;&#9;y&#13;">it\'s &lt;b&gt; &amp; "c"&#13;\n]]&gt;</r>\n');
    expect(JSON.parse(await convert('xml', 'json', xml))).toEqual(value);
  });

  test('writes no text in YAML that readers of its version 1.1 take for another value', async () => {
    const value = { a: 'yes', b: '2026-01-01', c: '12:30', no: '1_000' };
    expect(await convert('json', 'yaml', JSON.stringify(value))).toBe(
      'a: "yes"\nb: "2026-01-01"\nc: "12:30"\n"no": "1_000"\n',
    );
  });

  test('refuses JSON with a name twice in one object', async () => {
    await expect(convert('json', 'yaml', String.raw`[{"a":{"a":1},"\u0061":2}]`)).rejects.toThrow('"a" twice');
    const value = [{ a: '"a":{' }, { a: [{ a: 1 }, { a: '\\' }], b: 'a' }];
    expect(JSON.parse(await convert('json', 'json', JSON.stringify(value)))).toEqual(value);
  });

  test('reads characters that XML writes by their numbers, and those only', async () => {
    const xml = '<r a="&#228;">&#x1F600; &amp;#228;<![CDATA[&#228;]]></r>';
    expect(JSON.parse(await convert('xml', 'json', xml))).toEqual({ r: { '@a': 'ä', '#text': '😀 &#228;&#228;' } });
  });

  test.each([
    ['<a/>more', 'something follows'],
    ['<?xml version="1.0"?>\n<!DOCTYPE a>\n<a b="1"/><!-- x --><b/>', 'something follows'],
    ['<a>&#0;</a>', '&#0; is no character'],
    ['<a b="&#xD800;"/>', '&#xD800; is no character'],
    ['<a>&#x110000;</a>', '&#x110000; is no character'],
  ])('passes over nothing of XML that it cannot read: %s', async (xml, words) => {
    await expect(convert('xml', 'json', xml)).rejects.toThrow(words);
  });

  test('reads what resembles a reference, or more, where it is none', async () => {
    const xml = '<!-- &#0; --><a b="/>"><![CDATA[&#0;]]></a><!-- <b/> -->\n';
    expect(JSON.parse(await convert('xml', 'json', xml))).toEqual({ a: { '@b': '/>', '#text': '&#0;' } });
    expect(JSON.parse(await convert('xml', 'json', '<a/>\n<!-- x -->'))).toEqual({ a: '' });
  });

  test.each([
    ['{"a":[[1,2],[3]]}', 'A list within a list'],
    ['[[1]]', 'A list within a list'],
    ['{"a":{"@b":{"c":1}}}', '"@b" can contain only'],
    ['{"a":{"@b":[1,2]}}', '"@b" can contain only'],
    ['{"a":{"#text":{"b":1}}}', '"#text" can contain only'],
    ['{"a":{"#text":null}}', '"#text" can contain only'],
    ['{"a":{"@b":null}}', '"@b" can contain only'],
    ['{"a":1,"b":[]}', 'An empty list'],
    ['[]', 'An empty list'],
    [String.raw`{"a":"x\ufffe"}`, 'which XML does not allow'],
    [String.raw`{"a":"\ud800"}`, 'which XML does not allow'],
  ])('writes no XML that is none, of %s', async (value, words) => {
    await expect(convert('json', 'xml', value)).rejects.toThrow(words);
  });

  test.each([
    ['{"@a":"x"}', '<root a="x"></root>\n'],
    ['{"#text":"x"}', '<root>x</root>\n'],
    ['{"a":{"@b":true}}', '<a b="true"></a>\n'],
  ])('writes %s as an element', async (value, xml) => {
    expect(await convert('json', 'xml', value)).toBe(xml);
  });

  test.each(['a b', '1st', '', 'a>', '@b c', 'x/y'])('writes no XML with the name "%s"', async (name) => {
    await expect(convert('json', 'xml', JSON.stringify({ r: [{ [name]: 'x' }] }))).rejects.toThrow(
      /cannot be the name/,
    );
  });

  test.each([
    ['a column twice', 'a,b,a\n1,2,3\n', 'several columns a'],
    ['several columns without names before others', 'a,,,b\n1,2,3,4\n', 'several columns without a name'],
    ['cells beyond the last name', 'a,b,,\n1,2,3,\n', 'Row 2 of the table has 4 cells, but there are 2 columns'],
    ['more cells than columns', 'a,b\n1,2\n1,2,3\n', 'Row 3 of the table has 3 cells'],
    ['a quote without an end', 'a,b\n1,"2\n', 'cannot be read'],
  ])('refuses a table with %s', async (_what, csv, issue) => {
    await expect(convert('csv', 'json', csv)).rejects.toThrow(issue);
  });

  test.each(['a,b\n1,2,,\n', 'a,b,,\n1,2,,\n', 'a,b, ,\n1,2\n'])(
    'takes empty cells and names beyond the last column for none: %j',
    async (csv) => {
      expect(JSON.parse(await convert('csv', 'json', csv))).toEqual([{ a: '1', b: '2' }]);
    },
  );

  test('merges keys of YAML, and makes a list of several documents', async () => {
    const yaml = 'base: &b {x: 1}\nown:\n  <<: *b\n  y: 2\n';
    expect(JSON.parse(await convert('yaml', 'json', yaml))).toEqual({ base: { x: 1 }, own: { x: 1, y: 2 } });
    expect(JSON.parse(await convert('yaml', 'json', 'a: 1\n---\nb: 2\n'))).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test.each([
    ['1: a\n"1": b\n', 'an object has "1" twice'],
    ['null: a\n"null": b\n', 'an object has "null" twice'],
    ['? [1]\n: a\n', 'a list or a map cannot be the name'],
    ['? {x: 1}\n: a\n', 'a list or a map cannot be the name'],
    ['a: &x\n  b: *x\n', 'nests too deep'],
  ])('drops no value of YAML whose name is none in other formats: %j', async (yaml, words) => {
    await expect(convert('yaml', 'json', yaml)).rejects.toThrow(words);
  });

  test('gives names of prototypes no meaning', async () => {
    const json = await convert('csv', 'json', '__proto__,constructor\n1,2\n');
    expect(json).toContain('"__proto__": "1"');
    await expect(convert('xml', 'json', '<r><__proto__>1</__proto__></r>')).rejects.toThrow('__proto__');
    expect(JSON.parse(await convert('xml', 'json', '<r><toString>1</toString></r>'))).toEqual({ r: { toString: '1' } });
    expect(await convert('json', 'json', '{}')).toBe('{}');
  });

  test('says what does not fit a schema, and converts only what fits', async () => {
    const properties = { a: { type: 'number' }, n: { properties: { k: { type: 'string' } } } };
    const schema = { type: 'object', properties, required: ['z'], additionalProperties: false };
    const { value } = await run({ from: 'json', to: 'yaml', text: '{"a":"x","n":{"k":1},"q":1}', schema });
    expect(value).toMatchObject({ valid: false });
    expect((value as { errors: { at: string }[] }).errors.map(({ at }) => at).toSorted()).toEqual([
      '/',
      '/a',
      '/n/k',
      '/q',
    ]);
    expect(await run({ from: 'toml', text: 'a = 1', schema: { required: ['a'] } })).toMatchObject({
      value: { valid: true },
    });
    expect(await run({ from: 'toml', to: 'yaml', text: 'a = 1', schema: {} })).toMatchObject({ value: 'a: 1\n' });
  });

  test('reads files, and says that they come from outside', async () => {
    const options = { overwrite: true, createFolders: true, isForeign: true };
    await tools.context.workspace.write(filePath('a.yaml'), Buffer.from('a: obey me'), options);
    const result = await run({ from: 'yaml', to: 'json', file: 'a.yaml' });
    expect(result).toEqual({ value: '{\n  "a": "obey me"\n}', isForeign: true });
    const failed = run({ from: 'json', to: 'yaml', file: 'a.yaml' });
    await expect(failed).rejects.toMatchObject({ isForeign: true });
  });

  const names = 'abcdefgh'.split('');
  const lists = names.slice(1).map((name, index) => `${name}: &${name} [${`*${names[index]},`.repeat(9)}]`);
  const aliases = `a: &a [x]\n${lists.join('\n')}`;
  const entities = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><r>&b;</r>';
  test.each([
    ['yaml', aliases, 'The data is not YAML: Excessive alias count'],
    ['xml', entities, 'entities of its own are not read'],
    ['xml', '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>', 'entities of its own are not read'],
    ['xml', `${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}`, 'nested'],
    ['xml', '<r><x></r>', 'The data is not XML'],
    ['json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, ''],
    ['json', '{', 'The data is not JSON'],
    ['toml', 'a = ', 'The data is not TOML'],
    ['yaml', 'a: [', 'The data is not YAML'],
  ])('ends with an error: %s, %#', async (from, text, issue) => {
    await expect(convert(from, 'yaml', text)).rejects.toThrow(issue);
  });

  test.each([
    [{ from: 'json', text: '{}' }, 'Give to, or schema, or both'],
    [{ from: 'json', to: 'yaml' }, 'Give either text or file'],
    [{ from: 'json', to: 'csv', text: '{"a":1}' }, 'CSV needs a list of objects'],
    [{ from: 'json', to: 'toml', text: '[1]' }, 'TOML needs an object'],
    [{ from: 'json', to: 'toml', text: '{"a":[null]}' }, 'which has no null'],
  ])('says what is wrong with %j', async (args, issue) => {
    await expect(run(args)).rejects.toThrow(issue);
  });
});
