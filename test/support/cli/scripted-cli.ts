/**
 * A program that behaves like the vendors' (what they were seen to do: docs/cli-providers.md), as its own name says:
 * `claude`, `codex` or `gemini`. Directives in the prompt make it misbehave. `PAGE` is put before it.
 */
export const SCRIPTED_CLI = String.raw`
const { spawn } = require('node:child_process');
const { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { createServer, get } = require('node:http');
const { basename, dirname, join } = require('node:path');
const readline = require('node:readline');

const name = basename(process.argv[1]).split('.')[0];
const args = process.argv.slice(2);
const { HOME } = process.env;
const put = (event) => process.stdout.write(JSON.stringify(event) + '\n');
const FILES = { claude: '.claude/.credentials.json', codex: '.codex/auth.json', gemini: '.gemini/oauth_creds.json' };
const FILE = join(HOME ?? '/tmp', FILES[name]);
const credentials = () => JSON.parse(readFileSync(FILE, 'utf8'));
const save = (value) => {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify(value));
};
const optionOf = (option) => args[args.indexOf(option) + 1];
const readable = (path) => { try { return readFileSync(path, 'utf8'); } catch { return ''; } };

const speakers = {
  claude: {
    text: (text) => put({ type: 'stream_event', event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } }),
    begin: () => {
      put({ type: 'system', subtype: 'init', tools: [] });
      put({ type: 'stream_event', event: { type: 'message_start', message: { usage: { input_tokens: 12, cache_read_input_tokens: 3, output_tokens: 1 } } } });
    },
    end: () => {
      put({ type: 'assistant', message: { content: [{ type: 'text', text: 'the same again' }] } });
      put({ type: 'stream_event', event: { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } } });
      put({ type: 'result', subtype: 'success', is_error: false, api_error_status: null, stop_reason: 'end_turn', result: '', usage: { input_tokens: 12, cache_read_input_tokens: 3, output_tokens: 7 } });
    },
    cut: () => {
      put({ type: 'stream_event', event: { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 7 } } });
      setInterval(() => undefined, 1000);
    },
    fail: (status, said) => {
      put({ type: 'assistant', error: 'authentication_failed', message: { model: '<synthetic>', content: [{ type: 'text', text: said }] } });
      put({ type: 'result', subtype: 'success', is_error: true, api_error_status: status, result: 'API Error: ' + status + ' ' + said });
      process.exitCode = 1;
    },
    systemPrompt: () => readable(optionOf('--system-prompt-file')),
  },
  codex: {
    held: [],
    text(text) { this.held.push(text); },
    begin: () => { put({ type: 'thread.started' }); put({ type: 'turn.started' }); put({ type: 'item.completed', item: { type: 'error', message: 'a warning' } }); },
    end() {
      put({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: this.held.join('') } });
      put({ type: 'turn.completed', usage: { input_tokens: 100, cached_input_tokens: 40, output_tokens: 9 } });
    },
    cut() { this.end(); },
    fail: (status, said) => {
      const message = status === 429 ? 'You\u2019ve hit your usage limit. Try again later.' : 'unexpected status ' + status + ': ' + said;
      put({ type: 'error', message });
      put({ type: 'turn.failed', error: { message } });
      process.exitCode = 1;
    },
    systemPrompt: () => readable(JSON.parse(args.find((arg) => arg.startsWith('model_instructions_file=')).split('=')[1])),
  },
  gemini: {
    text: (content) => put({ type: 'message', role: 'assistant', content, delta: true }),
    begin: () => { put({ type: 'init', model: 'x' }); put({ type: 'message', role: 'user', content: 'the prompt' }); },
    end: () => put({ type: 'result', status: 'success', stats: { input_tokens: 50, output_tokens: 4 } }),
    cut() { this.end(); },
    fail: (status, said) => {
      if (status === 401) { process.stderr.write('Manual authorization is required\n'); process.exit(41); }
      put({ type: 'result', status: 'error', error: { type: 'unknown', message: '[API Error: ' + JSON.stringify({ error: { code: status, message: said } }) + ']' } });
      process.exitCode = 1;
    },
    systemPrompt: () => readable(process.env.GEMINI_SYSTEM_MD),
  },
};

const secretOf = () => {
  const { claudeAiOauth, tokens, access_token } = credentials();
  return claudeAiOauth?.accessToken ?? tokens?.access_token ?? access_token;
};
const reach = (address) =>
  new Promise((resolve) => {
    // Node goes by the variables that name the proxy.
    get(address, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', () => resolve(0));
  });
const forever = () => setInterval(() => undefined, 1000);

async function answer(prompt) {
  const by = speakers[name];
  const has = (word) => prompt.includes('[[' + word);
  const valueOf = (word) => new RegExp('\\[\\[' + word + ' ([^\\]]+)\\]\\]').exec(prompt)?.[1];
  if (has('silent')) return;
  if (has('die')) { const why = 'it broke with ' + secretOf(); process.stderr.write('Error: ' + why + '\n    at main (file:///program.js:1:2) {\n  exitCode: 3\n}\n\u001b[31m' + why + '\u001b[0m\n'); process.exit(3); }
  by.begin();
  if (has('fail')) return by.fail(Number(valueOf('fail')), 'the vendor refused ' + secretOf());
  if (has('away')) { await reach(valueOf('away')); return by.fail(401, 'the token is not valid'); }
  if (has('flood')) { for (;;) { if (!process.stdout.write('{"type":"noise","x":"' + 'x'.repeat(60000) + '"}\n')) await new Promise((next) => process.stdout.once('drain', next)); } }
  if (has('long line')) { process.stdout.write('x'.repeat(3_000_000)); return forever(); }
  if (has('fork')) for (let at = 0; at < 5; at += 1) spawn('/bin/sh', ['-c', 'trap "" TERM; sleep ' + valueOf('fork') + ' & setsid sleep ' + valueOf('fork')], { detached: true, stdio: 'inherit' }).unref();
  if (has('hang')) { process.on('SIGTERM', () => undefined); by.text('begun'); return forever(); }
  if (has('fill home')) { try { for (let at = 0; at < 1024; at += 1) appendFileSync(join(HOME, 'full' + (at >> 6)), Buffer.alloc(1 << 20)); } catch (error) { by.text(error.code + ' '); } }
  if (has('renew')) {
    const former = credentials();
    by.text('generation ' + former.generation);
    save({ ...former, generation: former.generation + 1 });
    return by.end();
  }
  if (has('leak')) { const secret = secretOf(); by.text('It is ' + secret.slice(0, 9)); by.text(secret.slice(9) + '.'); process.stderr.write(secret + '\n'); return by.end(); }
  if (has('reach')) by.text('reached ' + (await reach(valueOf('reach'))) + ' ');
  if (has('look')) {
    by.text(JSON.stringify({ args, env: process.env, outer: readable('/proc/1/environ'), files: readdirSync('/work'), uid: process.getuid(), root: readdirSync('/'), systemPrompt: by.systemPrompt(), prompt }));
    return by.end();
  }
  by.text('You said ');
  by.text(JSON.stringify(prompt.trim()));
  if (has('cut')) return by.cut();
  by.end();
}

function signIn() {
  const state = 'state' + Math.random().toString(36).slice(2);
  const address = (page) => PAGE ?? page + '&state=' + state;
  const done = () => save({ claudeAiOauth: { accessToken: 'a-token-of-claude-code' }, tokens: { access_token: 'a-token-of-codex' }, access_token: 'a-token-of-gemini-cli', generation: 0 });
  const lines = readline.createInterface({ input: process.stdin });
  if (name === 'claude') {
    process.stdout.write('Opening browser\u2026\nIf the browser did not open, visit:\n' + address('https://claude.ai/oauth/authorize?code=true') + '\nPaste code here if prompted > ');
    lines.once('line', (line) => {
      if (line === 'good-code#' + state) { done(); process.stdout.write('Login successful\n'); process.exit(0); }
      process.stdout.write('Could not log in: ' + line + ' is invalid\n');
      process.exit(1);
    });
  } else if (name === 'codex' && args.includes('--device-auth')) {
    process.stderr.write('Error logging in: error sending request for url (https://auth.openai.com/api/accounts/deviceauth/usercode)\n');
    process.exit(1);
  } else if (name === 'codex') {
    process.stderr.write('Starting local login server.\n\n' + address('https://auth.openai.com/oauth/authorize?response_type=code') + '\n\nOn a remote machine?\n');
    createServer((request, response) => {
      const { searchParams } = new URL(request.url, 'http://x');
      if (searchParams.get('state') !== state) return response.writeHead(400).end('State mismatch');
      response.end('signed in', () => {
        if (searchParams.get('code') === 'good-code') { done(); process.exit(0); }
        process.stderr.write('Token exchange failed\n');
        process.exit(1);
      });
    }).listen(1455, '127.0.0.1');
  } else {
    if (!process.stdin.isTTY) process.exit(41);
    let tries = 0;
    const ask = () => process.stdout.write('\u001b[1mPlease visit\u001b[0m\r\n' + address('https://accounts.google.com/o/oauth2/v2/auth?try=' + tries++) + '\r\nEnter the authorization code: ');
    ask();
    lines.on('line', (line) => {
      if (line === 'good-code') return done();
      process.stdout.write('Failed to authenticate with authorization code\r\n');
      ask();
    });
  }
  forever();
}

if (args[0] === '--version') process.stdout.write(VERSION + '\n');
else if (args.includes('login') || args.length === 1) signIn();
else {
  let prompt = '';
  process.stdin.on('data', (chunk) => (prompt += chunk)).on('end', () => void answer(prompt));
}
`;
