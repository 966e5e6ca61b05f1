import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, LogLevel } from '@notionhq/client';
import { json } from '../../../../../test/support/outside-server.ts';
import { NotionApi } from '../../../../../test/support/services/notion-api.ts';
import { type ServiceFixture, startService } from '../../../../../test/support/services/service-fixture.ts';
import { notion } from './notion.ts';

const TOKEN = 'ntn_a-token-of-the-tests';
const ABOVE = '00000000-0000-4000-8000-000000000009';
let fixture: ServiceFixture;
let api: NotionApi;
let client: Client;
beforeAll(async () => {
  fixture = await startService(notion, { kind: 'notion', secrets: { token: TOKEN } });
  client = new Client({ auth: TOKEN, baseUrl: fixture.server.url, retry: false, logLevel: LogLevel.ERROR });
});
afterAll(async () => fixture.close());
beforeEach(() => {
  api = new NotionApi();
  fixture.server.reply = api.reply;
  fixture.server.seen.length = 0;
});

const use: ServiceFixture['use'] = async (args) => fixture.use(args);

const MARKDOWN = `# Plan

A **bold**, _slanted_, ~~gone~~ and \`short\` [link](https://example.com/a).

- first
  - below
    - deeper
- [x] done
- [ ] open

1. one

> A quote

\`\`\`typescript
const a = 1;
\`\`\`

| A | B |
| --- | --- |
| 1 | **2** |

---`;

describe('notion', () => {
  test('writes a page of Markdown that it reads back, and that the vendor client reads', async () => {
    const args = { action: 'create_page', page_id: ABOVE, title: 'Plan of the year', markdown: MARKDOWN };
    expect(notion.prepare(args)).toMatchObject({ effect: 'once', approval: 'writes' });
    const { id } = (await use(args)) as { id: string };
    expect(await use({ action: 'get_page', page_id: id.replaceAll('-', '') })).toEqual({
      id,
      url: 'https://notion.so/x',
      last_edited_time: '2026-01-01T00:00:00.000Z',
      properties: { title: 'Plan of the year' },
      markdown: MARKDOWN,
    });
    const { results } = await client.blocks.children.list({ block_id: id });
    expect(results.map((block) => 'type' in block && block.type)).toEqual([
      'heading_1',
      'paragraph',
      'bulleted_list_item',
      'to_do',
      'to_do',
      'numbered_list_item',
      'quote',
      'code',
      'table',
      'divider',
    ]);
  });

  test('reads a page that the vendor client has written', async () => {
    const text = (content: string) => [{ text: { content } }];
    const { id } = await client.pages.create({
      parent: { page_id: ABOVE },
      properties: { title: { title: text('Theirs') } },
      children: [
        {
          toggle: { rich_text: text('More'), children: [{ paragraph: { rich_text: text('Inner') } }] },
          type: 'toggle',
        },
        { bookmark: { url: 'https://example.com' }, type: 'bookmark' },
      ],
    });
    expect(await use({ action: 'get_page', page_id: id })).toMatchObject({
      properties: { title: 'Theirs' },
      markdown: '- More\n  Inner\n\n[bookmark](https://example.com)',
    });
  });

  test('writes a long text within the limits of each request: blocks, levels and lengths', async () => {
    const deep = Array.from({ length: 7 }, (_, at) => `${'  '.repeat(at)}- level ${at}`).join('\n');
    const table = `| A |\n| - |\n${Array.from({ length: 150 }, (_, at) => `| ${at} |`).join('\n')}`;
    const many = Array.from({ length: 250 }, (_, at) => `Paragraph ${at}`).join('\n\n');
    const markdown = [deep, table, many, '😀'.repeat(3_000)].join('\n\n');
    const { id } = (await use({ action: 'create_page', page_id: ABOVE, title: 'Long', markdown })) as { id: string };
    const read = (await use({ action: 'get_page', page_id: id })) as { markdown: string };
    for (const words of ['level 6', '| 149 |', 'Paragraph 249', '😀'.repeat(3_000)])
      expect(read.markdown).toContain(words);
    expect(fixture.server.seen.filter(({ method }) => method === 'PATCH')).toHaveLength(2);
  });

  test('says how far it came when a later part of a text is refused', async () => {
    const { id } = (await use({ action: 'create_page', page_id: ABOVE, title: 'Long' })) as { id: string };
    let patches = 0;
    fixture.server.reply = (response, request) => {
      patches += 1;
      (patches === 2 ? json({ message: 'Slow down' }, 429) : api.reply)(response, request);
    };
    const markdown = Array.from({ length: 250 }, (_, at) => `P${at}`).join('\n\n');
    await expect(use({ action: 'append', page_id: id, markdown })).rejects.toMatchObject({
      kind: 'rate_limited',
      isUncertain: true,
      waitMs: undefined,
      message: expect.stringMatching(/Only the first 1 of 3 parts .* Slow down/),
    });
  });

  test('adds, changes and lists pages of a database with plain values', async () => {
    const { database } = api.source;
    const properties = { Status: 'Open', Tags: ['a', 'b'], Due: '2026-05-01' };
    const { id } = (await use({ action: 'create_page', database_id: database, title: 'Task', properties })) as {
      id: string;
    };
    const changed = await use({
      action: 'update_page',
      page_id: id,
      title: 'Task 2',
      properties: { Status: 'Done', Due: null, Tags: { multi_select: [] } },
    });
    expect(changed).toMatchObject({ properties: { Name: 'Task 2', Status: 'Done' } });
    const listed = await use({
      action: 'query_database',
      database_id: api.source.id,
      filter: { property: 'Status', status: { equals: 'Done' } },
    });
    expect(listed).toEqual({ pages: [changed] });
    expect(JSON.parse(fixture.server.seen.at(-1)?.body ?? '')).toEqual({
      filter: { property: 'Status', status: { equals: 'Done' } },
      page_size: 25,
    });
    const page = await client.pages.retrieve({ page_id: id });
    expect(page).toMatchObject({ properties: { Status: { status: { name: 'Done' } }, Due: { date: null } } });
    await expect(use({ action: 'update_page', page_id: id, properties: { Stauts: 'x' } })).rejects.toThrow(
      'There is no property Stauts; there is Status, Tags, Due, Name',
    );
  });

  test('finds pages, continues with the next ones, and comments', async () => {
    for (let at = 0; at < 30; at += 1) api.addPage({}, { title: { title: [{ text: { content: `Page ${at}` } }] } });
    const first = (await use({ action: 'search', query: 'Page' })) as { results: { title: string }[]; next: string };
    expect([first.results.length, first.results[0]?.title, first.next]).toEqual([25, 'Page 0', '25']);
    const second = (await use({ action: 'search', cursor: '25' })) as { results: unknown[]; next?: string };
    expect([second.results.length, second.next]).toEqual([5, undefined]);
    await use({ action: 'comment', page_id: ABOVE, comment: 'Well done' });
    expect(api.comments).toMatchObject([{ parent: { page_id: ABOVE }, rich_text: [{ plain_text: 'Well done' }] }]);
  });

  test.each([
    [{ action: 'get_page', page_id: '../users' }, 'invalid_input', /page_id/],
    [{ action: 'create_page', title: 'x' }, 'invalid_input', /page_id or database_id/],
    [{ action: 'create_page', title: 'x', page_id: ABOVE, database_id: ABOVE }, 'invalid_input', /not both/],
    [{ action: 'get_page', page_id: ABOVE }, 'not_found', /Could not find object/],
  ])('refuses %j', async (args, kind, words) => {
    await expect(use(args)).rejects.toMatchObject({ kind, message: expect.stringMatching(words) });
  });

  test.each([
    [401, { message: `${TOKEN} is invalid` }, 'denied', /\*\*\* is invalid/],
    [409, { message: 'Conflict occurred while saving' }, 'invalid_input', /Conflict occurred/],
    [429, { message: 'Rate limited' }, 'rate_limited', /Rate limited/],
    [200, [1], 'upstream', /not that of the service's API/],
  ])('tells the status %i in the words of Notion', async (status, body, kind, words) => {
    fixture.server.reply = (response, request) => {
      response.setHeader('retry-after', '60');
      json(body, status)(response, request);
    };
    const failure = use({ action: 'search' });
    await expect(failure).rejects.toMatchObject({ kind, ...(status === 429 && { waitMs: 61_000 }) });
    await expect(failure).rejects.toThrow(words);
  });
});
