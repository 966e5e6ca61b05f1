import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Database } from '../../../db/core/database.ts';
import { insertAgent, insertOrg } from '../../../test/support/rows.ts';
import { serveTestDatabase } from '../../../test/support/serve-test-database.ts';
import { createTestTools, type TestTools } from '../../../test/support/tool-context.ts';
import type { McpAnswer, McpClient } from '../../mcp-servers/mcp-client.ts';
import { toReadable } from '../../mcp-servers/sessions/readable-message.ts';
import { mcpTools, presentAnswer } from './mcp.ts';

describe('mcp tools', () => {
  const database = serveTestDatabase({ poolSize: 2 });

  /** Stores a server that lists tools of 30,000 characters each. */
  async function insertServer(orgId: string, name: string, tools: number): Promise<string> {
    const id = randomUUID();
    const inputSchema = { type: 'object', description: 'd'.repeat(30_000) };
    const listed = Array.from({ length: tools }, (_, index) => ({
      name: `t${index}`,
      description: 'Does.',
      inputSchema,
      annotations: {},
    }));
    await database.system.query(
      `insert into mcp_servers (id, org_id, name, url, auth_type, connection, tools)
      values ($1, $2, $3, 'http://127.0.0.1/mcp', 'none', gen_random_uuid(), $4)`,
      [id, orgId, name, JSON.stringify(listed)],
    );
    return id;
  }

  /** Returns the source of tools, and the servers whose lists it has read, in order. */
  function observed() {
    const read: unknown[] = [];
    const query: Database['tenant']['query'] = async (organization, statement) => {
      if (statement.name === 'find-mcp-tool-list') read.push(statement.values?.[1]);
      return database.tenant.query(organization, statement);
    };
    const source = mcpTools({ database: { tenant: { query } } as unknown as Database, mcp: {} as McpClient });
    return { read, source };
  }

  test('lists are read in the order of the servers, once, and none after those that fill what is offered', async () => {
    const orgId = await insertOrg(database);
    const agentId = await insertAgent(database, orgId);
    const ids = [
      await insertServer(orgId, 'a', 6),
      await insertServer(orgId, 'b', 20),
      await insertServer(orgId, 'c', 1),
    ];
    await database.system.query('update agents set mcps = $2 where id = $1', [
      agentId,
      JSON.stringify(ids.map((id) => ({ id }))),
    ]);
    const { read, source } = observed();
    const user = { orgId, policy: null, agent: { id: agentId, tools: ['mcp'], skills: [] } };
    const keys = (await source(user)).map(({ key }) => key);
    expect(keys).toHaveLength(13);
    expect([keys[0], keys.at(-1)]).toEqual(['mcp__a__t0', 'mcp__b__t6']);
    expect(read).toEqual(ids.slice(0, 2));
    await source(user);
    expect(read).toHaveLength(2);
  });
});

describe('present answer', () => {
  let tools: TestTools;
  beforeEach(async () => {
    tools = await createTestTools();
  });
  afterEach(() => tools.close());

  const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

  /** Returns the parts of a result as they come out of its message. */
  function partsOf(...content: readonly object[]): McpAnswer['content'] {
    const { result } = JSON.parse(toReadable(JSON.stringify({ result: { content } }))) as {
      readonly result: McpAnswer;
    };
    return result.content;
  }

  async function present(content: McpAnswer['content'], more: Partial<McpAnswer> = {}): Promise<string> {
    return presentAnswer({ content, hasChangedTool: false, ...more }, tools.context);
  }

  describe('an answer of an MCP server', () => {
    test('is the texts of it, in their order', async () => {
      const text = (each: string) => ({ type: 'text' as const, text: each });
      expect(await present([text('one'), text(''), text('two')])).toBe('one\ntwo');
    });

    test.each<[string, McpAnswer['content'], Partial<McpAnswer>, string]>([
      ['its structured result when there is no text', [], { structuredContent: { a: [1] } }, '{"a":[1]}'],
      ['its text beside a structured result', [{ type: 'text', text: 'hi' }], { structuredContent: { a: 1 } }, 'hi'],
      [
        'its structured result when a text stands for a part of an unknown type',
        partsOf({ type: 'widget' }),
        { structuredContent: { id: 1 } },
        '[A part of the type widget, which is not known here: it is left out]\n{"id":1}',
      ],
      ['words when there is nothing', [], {}, 'The tool has answered with nothing.'],
      [
        'the text of a resource',
        [{ type: 'resource', resource: { uri: 'demo://a\nb', text: 'content' } }],
        {},
        '[Resource demo://a b]\ncontent',
      ],
      [
        'a link that nobody follows',
        [{ type: 'resource_link', name: 'Doc', uri: 'http://169.254.169.254/' }],
        {},
        '[Link to the resource Doc: http://169.254.169.254/]',
      ],
    ])('is %s', async (_what, content, more, expected) => {
      expect(await present(content, more)).toBe(expected);
    });

    test('leaves images and other bytes in the workspace, under names of our own', async () => {
      const data = PNG.toString('base64');
      const text = await present([
        { type: 'image', data, mimeType: 'image/png' },
        { type: 'audio', data, mimeType: 'audio/../../x' },
        { type: 'resource', resource: { uri: 'demo://b', blob: data, mimeType: 'application/pdf' } },
      ]);
      const paths = [...text.matchAll(/workspace file (?<path>[^\]]+)\]/g)].map(({ groups }) => groups?.['path'] ?? '');
      expect(paths.map((path) => path.replace(/^.*-(?=\d)/, ''))).toEqual(['1.png', '2.bin', '3.pdf']);
      for (const path of paths) expect(readFileSync(join(tools.home, path))).toEqual(PNG);
    });

    test('leaves no more files than it may', async () => {
      const image = { type: 'image' as const, data: PNG.toString('base64'), mimeType: 'image/png' };
      const text = await present(Array.from({ length: 30 }, () => image));
      expect(text.match(/not kept/g)).toHaveLength(10);
      expect(existsSync(join(tools.home, 'mcp-results'))).toBe(true);
    });
  });
});
