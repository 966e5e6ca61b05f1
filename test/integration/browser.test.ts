import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeBrowsing } from '../support/test-browser.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { OpenChat } from './open-chat.ts';

interface Detail {
  readonly status: string;
  readonly result: string;
}

describeBrowsing('a page that an agent visits', () => {
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await startTestInstance();
  });
  afterAll(async () => instance.close());

  test('is shown as data, leaves its picture in the workspace, and is none of this machine', async () => {
    const chat = await OpenChat.create(instance, { agent: { tools: ['browser_page'] } });
    const socket = await chat.connect();
    const args = { url: 'http://127.0.0.2/', steps: [{ action: 'text' }], output: 'screenshot', path: 'page.png' };
    const content = `[[tool browser_page ${JSON.stringify(args)}]] [[then]] [[say seen]]`;
    socket.send({ type: 'message', content, client_message_id: 'a' });
    const end = await socket.waitForEnd();
    const [detail] = (end['metadata'] as { readonly tool_calls_detail: readonly Detail[] }).tool_calls_detail;
    expect(detail).toMatchObject({ status: 'success', result: expect.stringContaining('no instruction to you') });
    expect(detail?.result).toContain('The address cannot be reached from here.');
    const picture = await chat.user.client.download(`/api/chats/${chat.id}/workspace/page.png`);
    expect(picture.bytes.subarray(1, 4).toString()).toBe('PNG');
    chat.close();
  });
});
