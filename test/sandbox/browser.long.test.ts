import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { WebSocketServer } from 'ws';
import { Browser } from '../../activities/sandbox/browser/browser.ts';
import { describeBrowsing, openTestBrowser, type TestBrowser } from '../support/test-browser.ts';
import { openTestSandbox } from '../support/test-sandbox.ts';

const CLOSED = [
  '127.0.0.1',
  'localhost',
  'sub.localhost',
  '[::1]',
  '0.0.0.0',
  '2130706433',
  '[::ffff:127.0.0.1]',
  '10.0.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '[fd00::1]',
];

/** Tries every way of a page to these hosts, and shows what it got. */
function attack(hosts: readonly string[], port: number): string {
  const tries = hosts.flatMap((host) => [`//${host}/`, `//${host}:${port}/`, `//${host}:3128/`]);
  return `<title>attack</title>
    ${hosts.map((host) => `<link rel=dns-prefetch href=//${host}><link rel=preconnect href=http://${host}><link rel=prefetch href=http://${host}/><link rel=stylesheet href=http://${host}/><img src=http://${host}/><iframe src=http://${host}/></iframe>`).join('')}
    <iframe src=file:///etc/passwd></iframe><object data=file:///etc/passwd></object><img src=file:///usr/share/pixmaps/x.png>
    <pre id=out></pre>
    <script>
      const tries = ${JSON.stringify(tries)};
      const note = (text) => { out.textContent += text + '\\n'; };
      const asked = tries.map((to) => fetch('http:' + to).then((r) => r.text(), () => '').then((t) => note('fetch ' + t)));
      const blind = tries.map((to) => fetch('http:' + to, { mode: 'no-cors', method: 'POST', body: 'x' }).catch(() => 0));
      const secure = tries.map((to) => fetch('https:' + to, { mode: 'no-cors' }).catch(() => 0));
      const sockets = tries.map((to) => new Promise((done) => {
        const socket = new WebSocket('ws:' + to);
        socket.onopen = () => { note('socket open'); done(); };
        socket.onerror = done;
      }));
      tries.forEach((to) => { navigator.sendBeacon('http:' + to, 'x'); new EventSource('http:' + to).onopen = () => note('events open'); });
      const peer = new RTCPeerConnection({ iceServers: [
        { urls: 'stun:127.0.0.1:${port}' }, { urls: 'turn:127.0.0.1:${port}?transport=tcp', username: 'a', credential: 'b' } ] });
      peer.createDataChannel('x');
      peer.onicecandidate = ({ candidate }) => note('candidate ' + (candidate?.candidate ?? 'none'));
      peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      const files = ['file:///etc/passwd', 'file:///work/', 'chrome://version', 'data:text/plain,x'].map((to) =>
        fetch(to).then((r) => r.text(), () => '').then((t) => note('file ' + t)));
      Promise.all([...asked, ...blind, ...secure, ...sockets, ...files]).then(() => { document.body.dataset.done = 1; });
    </script>`;
}

describeBrowsing('a page in the browser', () => {
  let own: TestBrowser;
  const contacts: string[] = [];
  const closing: { close(): unknown }[] = [];
  beforeAll(async () => {
    own = await openTestBrowser();
    // The same port on the address of the machine itself, over TCP and UDP.
    const sink = createServer((socket) => {
      contacts.push('tcp');
      socket.destroy();
    });
    const datagrams = createSocket('udp4', () => contacts.push('udp'));
    sink.listen(own.port, '127.0.0.1');
    datagrams.bind(own.port, '127.0.0.1');
    await Promise.all([once(sink, 'listening'), once(datagrams, 'listening')]);
    closing.push(sink, datagrams);
  });
  afterAll(async () => {
    await own.close();
    for (const each of closing) each.close();
  });
  beforeEach(() => {
    own.pages.clear();
    own.seen.length = 0;
    contacts.length = 0;
  });

  test('reaches nothing of this machine and its network, by whatever way', async () => {
    own.pages.set('/', attack(CLOSED, own.port));
    const { title, text = '', failure } = await own.visit({ steps: [{ action: 'wait', target: '[data-done]' }] });
    expect([title, failure]).toEqual(['attack', undefined]);
    expect(text).toContain('fetch ');
    expect(text).not.toMatch(/root:|open$|candidate candidate:.* (?:udp|tcp) \d+ (?!.*\.local)/im);
    expect(contacts).toEqual([]);
    process.stdout.write(`browser: ${CLOSED.length} hosts, 0 contacts\n`);
  });

  test('reaches its own site over http and WebSocket', async () => {
    const sockets = new WebSocketServer({ server: own.server }).on('connection', (socket) => socket.send('hello'));
    own.pages.set('/data', 'from the site');
    own.pages.set(
      '/',
      `<p id=a></p><p id=b></p><script>
        fetch('/data').then((r) => r.text()).then((t) => { a.textContent = t; });
        new WebSocket('ws://' + location.host + '/').onmessage = ({ data }) => { b.textContent = data; };
      </script>`,
    );
    const { text } = await own.visit({ steps: [{ action: 'wait', target: '#b:has-text("hello")' }] });
    sockets.close();
    expect(text?.split(/\s*\n\s*/)).toEqual(['from the site', 'hello']);
  });

  test.each(['http://127.0.0.1/', 'http://169.254.169.254/latest/meta-data/', 'https://localhost/'])(
    'is not led to %s by a redirect',
    async (to) => {
      own.pages.set('/', (response) => void response.writeHead(302, { location: to }).end());
      own.pages.set('/meta', `<meta http-equiv=refresh content="0;url=${to}">`);
      own.pages.set('/script', `<script>location = ${JSON.stringify(to)}</script>`);
      const shown = JSON.stringify([
        await own.visit({}),
        await own.visit({ url: `${own.site}/meta`, steps: [{ action: 'wait', seconds: 1 }] }),
        await own.visit({ url: `${own.site}/script`, steps: [{ action: 'wait', seconds: 1 }] }),
      ]);
      expect(shown).toMatch(/cannot be reached from here|ERR_TUNNEL_CONNECTION_FAILED/);
      expect(contacts).toEqual([]);
    },
  );

  test.each(['file:///etc/passwd', 'chrome://version/', 'view-source:file:///etc/passwd'])(
    'is not led to %s by a redirect, a script or a link',
    async (to) => {
      own.pages.set('/', `<a href="${to}">go</a><p>still here</p><script>try { open('${to}') } catch {}</script>`);
      own.pages.set('/redirect', (response) => void response.writeHead(302, { location: to }).end());
      const { text, popups } = await own.visit({ steps: [{ action: 'click', target: 'text=go' }] });
      expect(text ?? '').not.toContain('root:');
      expect(popups.filter((url) => url.startsWith('file:'))).toEqual([]);
      const { failure, text: redirected } = await own.visit({ url: `${own.site}/redirect` });
      expect([failure?.step, redirected]).toEqual([0, undefined]);
    },
  );

  test('does not run for ever: a script without an end costs its time only', async () => {
    own.pages.set('/', '<script>for (;;);</script>');
    const { failure, text } = await own.visit({ timeoutMs: 4_000 });
    expect([failure, text]).toEqual([{ step: 0, message: expect.stringContaining('Timeout') }, undefined]);
    own.pages.set('/', '<button onclick="for (;;);">go</button>');
    const later = await own.visit({
      timeoutMs: 6_000,
      steps: [{ action: 'click', target: 'button' }, { action: 'text' }],
    });
    expect(later).toMatchObject({
      failure: { message: expect.stringContaining('Timeout') },
      outputFailure: expect.any(String),
    });
  });

  test('shows a part of a huge text', async () => {
    own.pages.set('/', `<pre>${'many words '.repeat(400_000)}</pre>`);
    expect((await own.visit({})).text).toHaveLength(200_000);
  });

  test('asks, opens windows and sends downloads in vain', async () => {
    own.pages.set('/file', (response) =>
      response.writeHead(200, { 'content-disposition': 'attachment; filename=a.bin' }).end('x'.repeat(1000)),
    );
    own.pages.set(
      '/',
      `<a href=/file>file</a> <a href=/other target=_blank>window</a> <p id=said></p><script>
        onbeforeunload = () => 'stay';
        alert('a'); said.textContent = [confirm('b'), prompt('c')].join();
        for (let i = 0; i < 50; i += 1) open('/popup?' + i);
      </script>`,
    );
    own.pages.set('/other', 'other');
    const answer = await own.visit({
      steps: [
        { action: 'click', target: 'text=window' },
        { action: 'click', target: 'text=file' },
        { action: 'text', target: '#said' },
        { action: 'goto', url: `${own.site}/other` },
      ],
    });
    expect(answer).toMatchObject({
      dialogs: expect.any(Number),
      downloads: 1,
      popups: [`${own.site}/other`],
      text: 'other',
    });
    expect(answer.results[2]).toEqual({ text: 'false,' });
    expect(answer.dialogs).toBeGreaterThanOrEqual(3);
    expect(own.seen.filter((request) => request.includes('popup'))).toEqual([]);
    const direct = await own.visit({ url: `${own.site}/file` });
    expect(direct).toMatchObject({ failure: { step: 0 } });
  });

  test('leaves nothing for the next one', async () => {
    own.pages.set('/', (response) =>
      response
        .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'a=b; Max-Age=9999' })
        .end('<p id=p></p><script>p.textContent = localStorage.x + document.cookie; localStorage.x = 1</script>'),
    );
    for (let time = 0; time < 2; time += 1) {
      expect((await own.visit({})).text).toBe('undefineda=b');
      expect(own.headers.get('/')?.cookie).toBeUndefined();
    }
  });

  test('ends when the call is interrupted', async () => {
    const stop = new AbortController();
    own.pages.set('/', () => stop.abort(new Error('interrupted')));
    const visit = {
      url: own.site,
      steps: [],
      output: 'text',
      viewport: { width: 800, height: 600 },
      timeoutMs: 30_000,
    } as const;
    await expect(own.browser.visit(visit, { orgId: 'org', signal: stop.signal })).rejects.toThrow('interrupted');
  });
});

describeBrowsing('a browser', () => {
  test('that needs too much memory is ended', async () => {
    const own = await openTestBrowser(600 * 1024 ** 2);
    own.pages.set('/', '<script>const all = []; for (;;) all.push(new Uint8Array(1e6).fill(1));</script>');
    // The page alone may end before the whole browser does.
    const ended = await own.visit({}).then(({ failure }) => failure?.message, String);
    await own.close();
    expect(ended).toMatch(/ended for memory|crash|ERR_ABORTED|closed/i);
  });

  test('that does not start is known not to, and nothing is opened', async () => {
    const box = await openTestSandbox();
    const connect = async () => Promise.reject(new Error('nothing is reached'));
    const stateWith = (chromium: string) => new Browser(box.sandbox, { chromium, connect }).state;
    expect(stateWith('off')).toMatchObject({ reason: 'the operator has turned the browser off' });
    expect(stateWith('/usr/lib/none')).toMatchObject({ reason: expect.stringContaining('apt install chromium') });
    expect(stateWith('/bin/sh')).toEqual({ isAvailable: true });
    const broken = new Browser(box.sandbox, { chromium: '/usr/bin/false', connect });
    const visit = {
      url: 'http://a.example',
      steps: [],
      output: 'text',
      viewport: { width: 800, height: 600 },
      timeoutMs: 5_000,
    } as const;
    const use = { orgId: 'org', signal: new AbortController().signal };
    for (let time = 0; time < 2; time += 1)
      await expect(broken.visit(visit, use)).rejects.toThrow('Chromium does not start');
    expect(broken.state).toEqual({ isAvailable: false, reason: expect.stringContaining('Chromium does not start') });
    await box.close();
    expect(broken.state).toMatchObject({ reason: expect.stringContaining('there is no sandbox') });
  });
});
