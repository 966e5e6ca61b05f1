import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestTools, type TestTools } from '../../../../test/support/tool-context.ts';
import type { McpAnswer } from '../../../mcp-servers/index.ts';
import { toReadable } from '../../../mcp-servers/sessions/readable-message.ts';
import { presentAnswer } from './present-answer.ts';

let tools: TestTools;
beforeEach(async () => {
  tools = await createTestTools();
});
afterEach(() => tools.close());

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** Returns the parts of a result as they come out of its message. */
function partsOf(...content: readonly object[]): McpAnswer['content'] {
  const { result } = JSON.parse(toReadable(JSON.stringify({ result: { content } }))) as { readonly result: McpAnswer };
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
