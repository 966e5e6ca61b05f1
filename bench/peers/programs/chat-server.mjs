import { once } from 'node:events';
import { createServer } from 'node:http';
import { env } from 'node:process';
import express from 'express';
import pg from 'pg';
import { WebSocketServer } from 'ws';

// What the peers share: chats in PostgreSQL, a model that is asked over HTTP, and the product's two ways to watch a
// turn, so that the same drivers fit. Settings: DATABASE_URL, MODEL_URL.

/** How many messages of a chat the model is given. */
const HISTORY = 100;

const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 20 });

/**
 * A stored message that is to be answered.
 * @typedef {{ readonly id: string, readonly chatId: string }} Question
 */

/**
 * Takes the tokens of an answer as they come.
 * @typedef {(token: string) => void} Say
 */

/**
 * Serves chats; tells the parent process the address. `runTurn` answers a question that is stored, and resolves when
 * the answer is stored as well.
 * @param {(question: Question, say: Say) => Promise<void>} runTurn
 */
export async function serveChats(runTurn) {
  await pool.query(`
    create table if not exists chats (id uuid primary key default uuidv7());
    create table if not exists messages (
      id bigint generated always as identity primary key,
      chat_id uuid not null references chats,
      role text not null,
      content text not null,
      answers bigint unique references messages
    );
    create index if not exists messages_by_chat on messages (chat_id, id)`);
  const server = createServer(chatRoutes(runTurn));
  serveSockets(server, runTurn);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.once('disconnect', () => process.exit());
  process.send?.({ url: `http://127.0.0.1:${server.address().port}` });
}

/**
 * Asks the model for the next message of a chat.
 * @param {string} chatId
 * @param {Say} say
 */
export async function askModel(chatId, say) {
  const response = await fetch(`${env.MODEL_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'bench', stream: true, messages: await readHistory(chatId) }),
  });
  if (!response.ok) throw new Error(`the model answered ${response.status}: ${await response.text()}`);
  const decoder = new TextDecoder();
  let answer = '';
  let rest = '';
  for await (const bytes of response.body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const token of lines.map(tokenOf)) {
      if (token === '') continue;
      answer += token;
      say(token);
    }
  }
  return answer;
}

/**
 * Stores the answer to a question, once however often it is called.
 * @param {Question} question
 * @param {string} answer
 */
export async function storeAnswer({ id, chatId }, answer) {
  await pool.query({
    name: 'store-answer',
    text: `insert into messages (chat_id, role, content, answers) values ($1, 'assistant', $2, $3)
      on conflict (answers) do nothing`,
    values: [chatId, answer, id],
  });
}

function chatRoutes(runTurn) {
  const app = express();
  app.use(express.json());
  app.post('/api/chats', async (_request, response) => {
    const { rows } = await pool.query({ name: 'create-chat', text: 'insert into chats default values returning id' });
    response.status(201).json(rows[0]);
  });
  app.post('/api/chats/:id/stream', async (request, response) => {
    const question = await storeQuestion(request.params.id, request.body.content);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    const send = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
    try {
      await runTurn(question, (content) => send('chunk', { content }));
      send('stream_end', {});
    } catch (error) {
      send('error', { message: error.message });
    }
    response.end();
  });
  return app;
}

function serveSockets(server, runTurn) {
  new WebSocketServer({ server }).on('connection', (socket, request) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const chatId = pathname.split('/').at(-1);
    const send = (frame) => socket.send(JSON.stringify(frame));
    const answer = async ({ content }) => {
      try {
        await runTurn(await storeQuestion(chatId, content), (token) => send({ type: 'chunk', content: token }));
        send({ type: 'stream_end' });
      } catch (error) {
        send({ type: 'error', message: error.message });
      }
    };
    socket.on('message', (data) => void answer(JSON.parse(data)));
  });
}

async function storeQuestion(chatId, content) {
  const { rows } = await pool.query({
    name: 'store-question',
    text: `insert into messages (chat_id, role, content) values ($1, 'user', $2) returning id, chat_id as "chatId"`,
    values: [chatId, content],
  });
  return rows[0];
}

async function readHistory(chatId) {
  const { rows } = await pool.query({
    name: 'read-history',
    text: `select role, content from (
        select id, role, content from messages where chat_id = $1 order by id desc limit ${HISTORY}
      ) as newest order by id`,
    values: [chatId],
  });
  return rows;
}

/** Returns the text of a line of the model's event stream. */
function tokenOf(line) {
  if (!line.startsWith('data: {')) return '';
  return JSON.parse(line.slice('data: '.length)).choices[0]?.delta.content ?? '';
}
