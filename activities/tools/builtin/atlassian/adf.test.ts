import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestTools, type TestTools } from '../../../../test/support/tool-context.ts';
import { markdownBlocks } from '../markdown-text.ts';
import { type AdfNode, adfToMarkdown, toAdf } from '../atlassian.ts';

const MARKDOWN = `# Plan

A **bold**, _slanted_, ~~gone~~ and \`short\` [link](https://example.com/a).

- first
  - below
    - deeper

  And more
- second

3. three
4. four

> A quote
>
> of two

\`\`\`\`typescript
const a = \`\`\`1\`\`\`;
\`\`\`\`

| A | B \\| C |
| --- | --- |
| 1 | **2** |

---`;

let tools: TestTools;
beforeAll(async () => {
  tools = await createTestTools();
});
afterAll(async () => tools.close());

const adf = async (markdown: string) => toAdf(await markdownBlocks(markdown, tools.context));
const doc = (...content: unknown[]) => ({ type: 'doc', version: 1, content });
const text = (words: string, ...marks: string[]) => ({
  type: 'text',
  text: words,
  marks: marks.map((type) => ({ type })),
});
const paragraph = (...content: unknown[]) => ({ type: 'paragraph', content });

describe('the Atlassian document format', () => {
  test('says what a text in Markdown says, and is read as the same text', async () => {
    expect(adfToMarkdown(await adf(MARKDOWN))).toBe(MARKDOWN);
  });

  test('is made of nodes where Atlassian allows them', async () => {
    const hard =
      '- # A heading\n- > a quote\n- | T |\n  | - |\n  | 1 |\n- \n- a<br>b\n\n> - in a quote\n> # heading\n\n`code` **`bold code`**';
    expect(misplaced(await adf(hard))).toEqual([]);
    expect(adfToMarkdown(await adf(hard))).toContain('A heading');
  });

  test('leaves out addresses that run a script', async () => {
    expect(JSON.stringify(await adf('[x](javascript:alert(1)) <script>alert(2)</script>'))).not.toContain('javascript');
  });

  test.each([
    [paragraph({ type: 'mention', attrs: { id: '1', text: '@Ann' } }, text(' look ', 'strong')), '@Ann **look** '],
    [
      paragraph(
        { type: 'date', attrs: { timestamp: '1767225600000' } },
        { type: 'hardBreak' },
        { type: 'emoji', attrs: { shortName: ':+1:' } },
      ),
      '2026-01-01\n:+1:',
    ],
    [
      paragraph(
        { type: 'inlineCard', attrs: { url: 'https://example.com' } },
        { type: 'status', attrs: { text: 'DONE' } },
      ),
      'https://example.com[DONE]',
    ],
    [{ type: 'panel', attrs: { panelType: 'info' }, content: [paragraph(text('Careful'))] }, '> Careful'],
    [
      {
        type: 'taskList',
        content: [
          { type: 'taskItem', attrs: { state: 'DONE' }, content: [text('a')] },
          { type: 'taskItem', attrs: { state: 'TODO' }, content: [text('b')] },
        ],
      },
      '- [x] a\n- [ ] b',
    ],
    [{ type: 'expand', attrs: { title: 'More' }, content: [paragraph(text('Inner'))] }, '**More**\n\nInner'],
    [
      { type: 'mediaSingle', content: [{ type: 'media', attrs: { id: 'x', alt: 'plan.png' } }] },
      '[attachment: plan.png]',
    ],
    [{ type: 'layoutSection', content: [{ type: 'layoutColumn', content: [paragraph(text('left'))] }] }, 'left'],
    [{ type: 'extension', attrs: { extensionKey: 'toc' } }, '[macro: toc]'],
    [{ type: 'of-the-future', content: [paragraph(text('still read'))] }, 'still read'],
  ])('reads %j', (node, markdown) => {
    expect(adfToMarkdown(doc(node))).toBe(markdown);
  });

  test.each([null, 5, [], { type: 7 }, { type: 'doc', content: [null, { type: 'paragraph', content: 'x' }] }])(
    'reads nothing in %j',
    (value) => {
      expect(adfToMarkdown(value)).toBe('');
    },
  );

  test('stops at a depth that no person writes', () => {
    let node: AdfNode = { type: 'paragraph' };
    for (let at = 0; at < 5_000; at += 1) node = { type: 'blockquote', content: [node] };
    expect(adfToMarkdown(doc(node))).toContain('[...]');
  });
});

const INNER = ['paragraph', 'bulletList', 'orderedList', 'codeBlock'];
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  listItem: INNER,
  blockquote: INNER,
  bulletList: ['listItem'],
  orderedList: ['listItem'],
  paragraph: ['text', 'hardBreak'],
  heading: ['text', 'hardBreak'],
};

function misplaced({ type, content = [], text: words, marks = [] }: AdfNode): string[] {
  const wrong = content
    .filter((each) => ALLOWED[type]?.includes(each.type) === false)
    .map((each) => `${each.type} in ${type}`);
  const isBad =
    words === '' || (marks.some((mark) => mark.type === 'code') && marks.some((mark) => mark.type === 'strong'));
  return [...wrong, ...(isBad ? [`text ${words}`] : []), ...content.flatMap((each) => misplaced(each))];
}
