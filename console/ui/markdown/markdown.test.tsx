import { describe, expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { HOSTILE } from './hostile-texts.ts';
import { Markdown } from './markdown.tsx';

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

  test('shows characters in code that cannot be seen', () => {
    expect(shown('`a\u202Eb\u200B`').textContent).toBe('a⟨U+202E⟩b⟨U+200B⟩');
    expect(shown('```\na\u2066b\n```').querySelector('code')?.textContent).toBe('a⟨U+2066⟩b');
  });

  test.each(HOSTILE)('is shown, whatever it holds: %s', (_name, text) => {
    const words = (shown(text).textContent ?? '').length;
    expect(words).toBeGreaterThanOrEqual(0);
  });
});
