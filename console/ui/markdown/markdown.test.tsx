import { describe, expect, test } from '@jest/globals';
import { render, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { HOSTILE } from '../../../test/support/hostile-texts.ts';
import { Markdown } from './markdown.tsx';
import { OwnFilesContext } from './own-files.ts';

function shown(text: string): HTMLElement {
  return render(<Markdown text={text} />).container;
}

describe('a text in Markdown', () => {
  test('has its headings, lists, tables, quotes and marks', () => {
    const text =
      '# One\n\n**bold** _soft_ ~~gone~~ `code`  \nnext\n\n3. third\n4. fourth\n\n- [x] did\n- [ ] to do\n\n> said\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n---';
    const view = shown(text);
    expect(screen.getByRole('heading', { level: 3 }).textContent).toBe('One');
    for (const [mark, words] of Object.entries({ strong: 'bold', em: 'soft', del: 'gone', blockquote: 'said' })) {
      expect(view.querySelector(mark)?.textContent).toBe(words);
    }
    expect([view.querySelector('ol')?.start, view.querySelectorAll('li').length]).toEqual([3, 4]);
    expect(view.querySelector('ul')?.textContent).toBe('☑ did☐ to do');
    expect(screen.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual(['1', '2']);
    expect(view.querySelectorAll('hr, br')).toHaveLength(2);
  });

  test('has its lists, quotes and tables start at the side of their own first letter', () => {
    const view = shown('- مرحبا\n  - inner\n\n1. one\n\n> > מה\n\n| مرحبا |\n|---|\n| a |');
    const directions = [...view.querySelectorAll<HTMLElement>('ul, ol, blockquote, section')].map(
      ({ localName, dir }) => [localName, dir],
    );
    expect(directions).toEqual([
      ['ul', 'auto'],
      ['ul', ''],
      ['ol', 'auto'],
      ['blockquote', 'auto'],
      ['blockquote', ''],
      ['section', 'auto'],
    ]);
  });

  test('has its code in blocks, each in one text node, with its language', () => {
    const view = shown('```ts {1}\nlet a = 1 < 2;\n```');
    const code = view.querySelector('pre code');
    expect([code?.textContent, code?.childNodes.length]).toEqual(['let a = 1 < 2;', 1]);
    expect(view.querySelector('figcaption')?.textContent).toBe('tsCopy');
  });

  test('has the characters that its entities stand for, but not in code', () => {
    expect(shown('a &amp; b &lt; &#x1F30D; &#0; &unknown; `&amp;`').textContent).toBe('a & b < 🌍 � &unknown; &amp;');
  });

  test('looks the same when it is growing', () => {
    const text = '# One\n\n- a\n- b\n\n```js\nlet a;\n```\n\n| a |\n|---|\n| 1 |\n';
    const whole = shown(text).innerHTML;
    const { container, rerender } = render(<Markdown text="" isGrowing />);
    for (let end = 1; end <= text.length; end += 1) rerender(<Markdown text={text.slice(0, end)} isGrowing />);
    expect(container.innerHTML).toBe(whole);
  });
});

describe('formulas', () => {
  const setOf = async (text: string) => {
    const view = shown(text);
    await waitFor(() => expect(view.querySelector('math')).not.toBeNull());
    return [...view.querySelectorAll('math')];
  };

  test.each([
    ['$a^2$', 'inline'],
    ['\\(a^2\\)', 'inline'],
    ['$$a^2$$', 'block'],
    ['\\[ a^2 \\]', 'block'],
    ['so\n$$\na^2\n$$\nhence', 'block'],
    ['- so\n\n  \\[\n  a^2\n  \\]', 'block'],
    ['$$\n\\begin{aligned}\na &= b \\\\\n- c\n\\end{aligned}\n$$', 'block'],
  ])('are set where they stand: %j', async (text, display) => {
    const [math, ...others] = await setOf(text);
    expect([math?.getAttribute('display') ?? 'inline', others]).toEqual([display, []]);
    expect(document.body.textContent).not.toMatch(/[$\\]/);
  });

  test.each([
    'It costs $5 today and $6 tomorrow.',
    'US$5, and US$6',
    'set $HOME/$USER to $PATH',
    '\\$a$',
    '`$a$`',
    '```\n$$\na\n$$\n```',
    '\\[see the note\\] above',
    'an open $$ end',
  ])('are not seen in other words: %j', async (text) => {
    await setOf('$x$');
    expect(shown(text).querySelectorAll('math')).toHaveLength(0);
  });

  test.each(['$\\notamacro{x}$', '$\\def\\a{\\a\\a}\\a$', `$${'x+'.repeat(2_000)}x$`])(
    'that cannot be set are shown as they were written: %j',
    async (text) => {
      await setOf('$x$');
      const view = shown(text);
      await waitFor(() => expect(view.querySelector('code')?.textContent).toBe(text.slice(1, -1)));
    },
  );

  test.each([
    '$\\href{https://e.com}{x}$',
    '$\\label{content} x$',
    '$$\\begin{align} x \\label{content} \\end{align}$$',
  ])('lead nowhere, and have no name of their own: %j', async (text) => {
    await setOf('$x$');
    const view = shown(text);
    await waitFor(() => expect(view.querySelector('math, code')).not.toBeNull());
    expect(view.querySelectorAll('a, [href], [id]')).toHaveLength(0);
  });
});

describe('a diagram', () => {
  const drawn = async (text: string) => {
    const view = shown(text);
    await waitFor(() => expect(view.querySelector('img')).not.toBeNull());
    return view;
  };
  const FLOW = '```mermaid\ngraph TD\n  A[Start] --> B{Right?}\n```';

  test('is drawn as a picture of its own once its fence is closed, with its source', async () => {
    const { container } = render(<Markdown text={FLOW.slice(0, -3)} isGrowing />);
    const picture = (await drawn(FLOW)).querySelector('img');
    expect(decodeURIComponent(picture?.src ?? '')).toContain('Right?');
    expect([picture?.width, picture?.height]).not.toContain(0);
    expect(picture?.closest('figure')?.querySelector('pre')?.textContent).toContain('A[Start]');
    expect(container.querySelector('img')).toBeNull();
  });

  test.each(['pie\n  "a": 1', 'nonsense', `graph TD${'\n  a --> b'.repeat(600)}`])(
    'that cannot be drawn is shown as code: %j',
    async (code) => {
      const view = shown(`\`\`\`mermaid\n${code}\n\`\`\``);
      await drawn(FLOW);
      expect(view.querySelector('img')).toBeNull();
      expect(view.querySelector('pre')?.textContent).toBe(code);
    },
  );

  test('has its foreign words as words', async () => {
    const view = await drawn('```mermaid\ngraph TD\n  A["<script>alert(1)</script>"] --> B\n```');
    const { src = '' } = view.querySelector('img') ?? {};
    expect(decodeURIComponent(src)).toContain('&lt;script&gt;');
    expect(decodeURIComponent(src)).not.toContain('<script');
  });
});

// What is constructed by it is what it is given.
function keep(range: object): object {
  return range;
}

test('code is coloured once its fence is closed, also in the middle of a list', async () => {
  const painted: string[] = [];
  class Marks extends Set<{ startContainer: Text }> {
    override add(range: { startContainer: Text }) {
      painted.push(range.startContainer.data);
      return super.add(range);
    }
  }
  Object.assign(globalThis, { CSS: { highlights: new Map() }, Highlight: Marks, StaticRange: keep });
  const text = '- so\n  ```js\n  let a;\n';
  const { rerender } = render(<Markdown text={text} isGrowing />);
  render(<Markdown text={'```js\nlet b;\n```'} isGrowing />);
  await waitFor(() => expect(painted).toContain('let b;'));
  expect(painted).not.toContain('let a;');
  rerender(<Markdown text={`${text}  \`\`\``} isGrowing />);
  await waitFor(() => expect(painted).toContain('let a;'));
});

test('a text of many blocks looks the same when it is growing, and leaves those that are whole as they are', () => {
  const paragraphs = Array.from({ length: 120 }, (_, index) => `part ${index} of **many**`);
  const whole = shown(paragraphs.join('\n\n')).innerHTML;
  const { container, rerender } = render(<Markdown text="" isGrowing />);
  const grow = (count: number) => rerender(<Markdown text={paragraphs.slice(0, count).join('\n\n')} isGrowing />);
  grow(70);
  const first = container.querySelector('p');
  for (const count of [99, 100, 101, 120]) grow(count);
  expect(container.innerHTML).toBe(whole);
  expect(container.querySelector('p')).toBe(first);
});

describe('a foreign text', () => {
  const INJECTIONS = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'a <b onclick="alert(1)">b</b>',
    '<iframe src="https://e.com"></iframe>',
    '<svg><animate onbegin=alert(1) attributeName=x></svg>',
    '<style>body { display: none }</style>',
    '<a href="javascript:alert(1)">x</a>',
    '```html\n<script>alert(1)</script>\n```',
    '`<script>alert(1)</script>`',
    '| <img src=x onerror=alert(1)> |\n|---|\n| <script>1</script> |',
    '- <img src=x onerror=alert(1)>',
    '> <script>alert(1)</script>',
    '# <script>alert(1)</script>',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '![<script>](https://e.com/x.png)',
    '[<img src=x onerror=alert(1)>](https://e.com)',
    '<!-- --> <script>alert(1)</script>',
    '<math><mtext><script>alert(1)</script></mtext></math>',
  ];
  const FOREIGN =
    'script, img, iframe, svg, style, math, b, object, embed, form, input, link, meta, [onclick], [onerror], [style], [src]';

  test.each(INJECTIONS)('brings no element of its own: %s', (text) => {
    expect(shown(text).querySelectorAll(FOREIGN)).toHaveLength(0);
    expect(render(<Markdown text={text} isGrowing />).container.querySelectorAll(FOREIGN)).toHaveLength(0);
  });

  test('is shown with its HTML as text', () => {
    expect(shown('<b>bold</b> and <script>x</script>').textContent).toBe('<b>bold</b> and <script>x</script>');
  });

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    '&#106;avascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://e.com/x',
    '//e.com/x',
    '/chats',
    'relative',
    '#anchor',
    'https://everturn.example@evil.example/',
    'https://user:secret@evil.example/',
  ])('does not lead to %s', (address) => {
    expect(
      shown(`[words](${address}) [words](<${address}>)\n\n[r]\n\n[r]: ${address}`).querySelectorAll('a'),
    ).toHaveLength(0);
  });

  test('leads to pages and mail, and says where', () => {
    const view = shown('[report](https://e.com/a?b=1) https://e.org/x [mail](mailto:a@e.com)');
    const links = [...view.querySelectorAll('a')];
    expect(links.map(({ href }) => href)).toEqual(['https://e.com/a?b=1', 'https://e.org/x', 'mailto:a@e.com']);
    expect(links.map(({ textContent }) => textContent)).toEqual([
      'report (e.com)',
      'https://e.org/x',
      'mail (a@e.com)',
    ]);
    for (const { rel, target } of links) expect([rel, target]).toEqual(['noopener noreferrer nofollow ugc', '_blank']);
  });

  test('says where a link leads whose words are the address of another place', () => {
    expect(shown('[https://bank.example](https://evil.example/)').textContent).toBe(
      'https://bank.example (evil.example)',
    );
    expect(shown('[e.com.evil.example](https://e.com/)').textContent).not.toBe('');
  });

  test('loads no picture, and links it instead', () => {
    const view = shown('![a chart](https://e.com/x.png?secret=1)');
    expect([view.querySelector('img'), view.textContent]).toEqual([null, 'Picture: a chart (e.com)']);
  });

  test.each([
    ['[the report](./out/report%201.md)', 'link out/report 1.md: the report'],
    ['![Sales](chart.png)', 'picture chart.png: Sales'],
    ['[up](../secret) ![up](a/../../b.png)', '[up](../secret) ![up](a/../../b.png)'],
    ['[root](/etc/passwd) [mark](#a)', '[root](/etc/passwd) [mark](#a)'],
    ['[other](ftp:report.md)', '[other](ftp:report.md)'],
  ])('names files by their paths, for who can show them: %s', (text, words) => {
    const files = {
      link: (path: string, content: ReactNode) => (
        <>
          {`link ${path}: `}
          {content}
        </>
      ),
      picture: (path: string, description: string) => `picture ${path}: ${description}`,
    };
    const { container } = render(
      <OwnFilesContext value={files}>
        <Markdown text={text} />
      </OwnFilesContext>,
    );
    expect(container.textContent).toBe(words);
  });

  test('shows characters in code that cannot be seen', () => {
    expect(shown('`a\u202Eb\u200B`').textContent).toBe('a⟨U+202E⟩b⟨U+200B⟩');
    expect(shown('```\na\u2066b\n```').querySelector('code')?.textContent).toBe('a⟨U+2066⟩b');
  });

  test.each(HOSTILE)('is shown, whatever it holds: %s', (_name, text) => {
    const words = (shown(text).textContent ?? '').length;
    expect(words).toBeGreaterThanOrEqual(0);
  });
});
