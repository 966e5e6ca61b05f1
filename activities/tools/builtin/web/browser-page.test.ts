import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { longTest } from '../../../../test/support/in-length.ts';
import { describeBrowsing, openTestBrowser, type TestBrowser } from '../../../../test/support/test-browser.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { ToolArguments } from '../../tool.ts';
import { browserPage } from './browser-page.ts';

let tools: TestTools;
afterEach(() => tools.close());

const run = async (args: ToolArguments) => prepareCall(browserPage, args).run(tools.context);

describe('without a browser', () => {
  beforeEach(async () => {
    tools = await createTestTools();
  });

  test('no page is opened, in words', async () => {
    await expect(run({ url: 'https://example.com' })).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('There is no browser here'),
    });
  });

  test.each<[ToolArguments, string]>([
    [{ url: 'file:///etc/passwd' }, 'begins with https'],
    [{ url: 'javascript:alert(1)' }, 'begins with https'],
    [{ url: 'chrome://version' }, 'begins with https'],
    [{ url: 'https://a:b@example.com' }, 'must not contain a user name'],
    [{ steps: [{ action: 'goto', url: 'data:text/html,x' }] }, 'begins with https'],
    [{ steps: [{ action: 'goto' }] }, 'Step 1, goto, requires url'],
    [{ steps: [{ action: 'text' }, { action: 'type', target: 'input' }] }, 'Step 2, type, requires text'],
    [{ steps: [{ action: 'wait' }] }, 'requires target or seconds'],
    [{ steps: [{ action: 'screenshot', path: 'a.exe' }] }, 'does not end in .png'],
    [{ steps: [{ action: 'screenshot', path: '../a.png' }] }, '..'],
    [{ output: 'pdf', path: 'a.png' }, 'does not end in .pdf'],
    [{ output: 'text', path: 'a.png' }, 'goes with the output'],
  ])('the arguments %j are refused', async (args, words) => {
    const refusal = { kind: 'invalid_input', message: expect.stringContaining(words) };
    await expect(run({ url: 'https://example.com', ...args })).rejects.toMatchObject(refusal);
  });

  test.each<[ToolArguments, string, string]>([
    [{}, 'read', 'never'],
    [{ steps: [{ action: 'text' }, { action: 'goto', url: 'https://example.com' }] }, 'read', 'never'],
    [{ output: 'screenshot' }, 'keyed', 'never'],
    [{ steps: [{ action: 'click', target: 'a' }] }, 'once', 'writes'],
    [{ steps: [{ action: 'press', key: 'Enter' }], output: 'pdf' }, 'once', 'writes'],
  ])('the effect of %j is %s, and a person is asked %s', (args, effect, approval) => {
    const call = prepareCall(browserPage, { url: 'https://example.com/a', ...args });
    expect(call).toMatchObject({ effect, approval, label: 'Visiting example.com/a' });
  });
});

describeBrowsing('with a browser', () => {
  let own: TestBrowser;
  beforeAll(async () => {
    own = await openTestBrowser();
  });
  afterAll(() => own.close());
  beforeEach(async () => {
    own.pages.clear();
    own.seen.length = 0;
    tools = await createTestTools({ browser: own.browser });
  });

  const visit = async (args: ToolArguments = {}) => {
    const { value, isForeign } = await run({ url: own.site, ...args });
    expect(isForeign).toBe(true);
    return value as Record<string, unknown>;
  };

  test('a form is filled in and sent, once', async () => {
    own.pages.set(
      '/',
      `<form method=post action=/sent><label>Name <input name=name></label>
        <select name=size><option>small</option><option>large</option></select><button>Send</button></form>
        <form action=/found><input name=q id=q></form>`,
    );
    own.pages.set('/sent', 'thank you');
    own.pages.set('/found', 'found it');
    const filled = [
      { action: 'type', target: 'input[name=name]', text: 'Ada & co' },
      { action: 'select', target: 'select', text: 'large' },
      { action: 'click', target: 'text=Send' },
      { action: 'text' },
      { action: 'goto', url: own.site },
    ];
    const searched = [
      { action: 'type', target: '#q', text: 'x' },
      { action: 'press', key: 'Enter', target: '#q' },
    ];
    const visited = await visit({ steps: [...filled, ...searched] });
    expect(visited).toMatchObject({ url: `${own.site}/found?q=x`, content: 'found it' });
    expect(visited['steps']).toContainEqual({ action: 'text', text: 'thank you' });
    expect(own.seen.filter((request) => request.startsWith('POST'))).toEqual(['POST /sent name=Ada+%26+co&size=large']);
  });

  test('a page is shown as its scripts have made it, its pictures and documents as files that count as from outside', async () => {
    own.pages.set(
      '/',
      `<title>Prices</title><ul id=list style="margin-bottom:2000px"></ul><p id=end>End</p><script>
        setTimeout(() => { list.innerHTML = '<li><a href="/a">Apples</a> 3</li><li>Pears 4</li>'; }, 50);
      </script>`,
    );
    const steps = [
      { action: 'wait', target: 'li' },
      { action: 'links' },
      { action: 'text', target: 'li >> nth=1' },
      { action: 'scroll' },
      { action: 'screenshot', target: '#end', path: 'shots/end.png' },
      { action: 'screenshot' },
    ];
    const shown = await visit({ steps, output: 'pdf', path: 'page.pdf', viewport: { width: 400, height: 300 } });
    const chosen = `browser/${tools.context.idempotencyKey}-6.png`;
    expect(shown).toEqual({
      url: `${own.site}/`,
      status: 200,
      title: 'Prices',
      steps: [
        { action: 'wait' },
        { action: 'links', links: [{ text: 'Apples', url: `${own.site}/a` }] },
        { action: 'text', text: 'Pears 4' },
        { action: 'scroll' },
        { action: 'screenshot', file: 'shots/end.png' },
        { action: 'screenshot', file: chosen },
      ],
      file: 'page.pdf',
    });
    const bytesOf = (path: string) => readFileSync(join(tools.home, path));
    expect(bytesOf('page.pdf').subarray(0, 5).toString()).toBe('%PDF-');
    // The width and the height of a PNG: the whole page.
    const picture = bytesOf(chosen);
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20) > 2_000]).toEqual([400, true]);
    for (const path of ['shots/end.png', chosen, 'page.pdf'])
      expect(await tools.context.workspace.isForeign(path.split('/'))).toBe(true);
  });

  longTest('a step that fails is told, with what was done before and what the page shows', async () => {
    own.pages.set('/', '<p>Nothing to press</p>');
    const steps = [{ action: 'text' }, { action: 'click', target: '#none' }, { action: 'text' }];
    expect(await visit({ steps, timeout_s: 6, output: 'html' })).toMatchObject({
      steps: [{ action: 'text', text: 'Nothing to press' }],
      failed: expect.stringMatching(/^Step 2: .*Timeout/),
      content: expect.stringContaining('<p>Nothing to press</p>'),
    });
  });

  longTest('a page that may not be reached is told in words, with and without TLS', async () => {
    await expect(run({ url: 'https://127.0.0.1/' })).rejects.toMatchObject({
      kind: 'upstream',
      message: expect.stringContaining('cannot be reached from here'),
    });
    expect(await visit({ url: 'http://127.0.0.1/' })).toMatchObject({
      status: 502,
      content: expect.stringContaining('cannot be reached from here'),
    });
  });

  longTest('a page that never comes is told in words', async () => {
    own.pages.set('/', () => undefined);
    await expect(run({ url: own.site, timeout_s: 5 })).rejects.toMatchObject({ kind: 'timeout' });
  });
});
