import { expect, test } from '@jest/globals';
import { REFRESH, SIGNED_IN } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { createApi } from '../core/http/api-client.ts';
import { Session } from '../core/session/session.ts';
import { type BoardEvent, watchBoard } from './use-task-board.ts';

const script = serveScript();
const STREAM = 'GET /api/board/stream';
const headers = { 'content-type': 'text/event-stream' };
const eventOf = ({ event, data }: BoardEvent) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

test('a stream that ends is opened again, and one that is refused is not', async () => {
  const removed: BoardEvent = { event: 'removed', data: { id: '1' } };
  const board: BoardEvent = { event: 'board', data: { project_id: 'p', columns: [] } };
  const body = `: open\n\n${eventOf(board)}${eventOf(removed)}`;
  script.answer({ [REFRESH]: { body: SIGNED_IN }, [STREAM]: { headers, body } });
  const session = new Session();
  const events: BoardEvent[] = [];
  const states: boolean[] = [];
  await watchBoard(createApi(session, 'an-org'), {
    projectId: 'p',
    signal: new AbortController().signal,
    onEvent: (event) => {
      events.push(event);
      script.answer({ [STREAM]: { status: 403, body: { detail: 'Not yours' } } });
    },
    onLive: (isLive) => states.push(isLive),
  });
  session.close();
  expect(events).toEqual([board, removed]);
  expect(states).toEqual([true, false, false]);
  expect(script.requests.filter(({ path }) => path === '/api/board/stream')).toHaveLength(2);
});

test('an aborted watch ends', async () => {
  script.answer({ [REFRESH]: { body: SIGNED_IN }, [STREAM]: { status: 503, body: { detail: 'Busy' } } });
  const [session, ended] = [new Session(), new AbortController()];
  const states: boolean[] = [];
  await watchBoard(createApi(session, 'an-org'), {
    projectId: 'p',
    signal: ended.signal,
    onEvent: () => undefined,
    onLive: (isLive) => {
      states.push(isLive);
      ended.abort();
    },
  });
  session.close();
  expect(states).toEqual([false]);
});
