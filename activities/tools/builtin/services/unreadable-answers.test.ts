import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { apiUrlOf } from '../../../../domain/integrations/address.ts';
import { integrationKind } from '../../../../domain/integrations/kinds/index.ts';
import { json, OutsideServer, type Reply } from '../../../../test/support/outside-server.ts';
import { KNOWN_WRITES, type KnownWrite, readAt, writeOf } from '../../../../test/support/services/writes/index.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { BUILTIN_TOOLS } from '../index.ts';

const PAGE = '<!DOCTYPE html><html><body>Please sign in</body></html>';
const WRITES = KNOWN_WRITES.flatMap(({ writes }) => writes);

let server: OutsideServer;
let tools: TestTools;
let answer: Reply;
beforeAll(async () => {
  server = await OutsideServer.start();
  server.reply = (response, request) => {
    const write = writeOf(request);
    if (write === undefined) json(readAt(request) ?? {})(response, request);
    else answer(response, request);
  };
  const integrations = KNOWN_WRITES.map(({ kind, credentials, settings = {} }) => ({
    kind,
    name: kind,
    apiUrl: apiUrlOf({ kind, baseUrl: `${server.url}/${kind}` }),
    fields: Object.keys(credentials),
    secretPlaces: [],
    settings,
    secrets: credentials,
  }));
  tools = await createTestTools({ privateHosts: `127.0.0.1:${server.port}`, integrations });
});
afterAll(async () => {
  await tools.close();
  server.close();
});
beforeEach(() => {
  server.seen.length = 0;
});

const as = (type: string, body: string): Reply => {
  return (response) => void response.writeHead(200, { 'content-type': type }).end(body);
};

function call({ tool, arguments: args }: KnownWrite) {
  const found = BUILTIN_TOOLS.find(({ key }) => key === tool);
  if (found === undefined) throw new Error(`there is no tool ${tool}`);
  return prepareCall(found, args);
}

test('each tool that writes to a service over HTTP is among those of these tests, with each effect that it has', () => {
  const isHttp = (kind: string) => KNOWN_WRITES.some((known) => known.kind === kind);
  const named = BUILTIN_TOOLS.filter(({ definition: { needsIntegration = [], effect } }) => {
    const overHttp = needsIntegration.filter((kind) => integrationKind(kind).test !== 'sign_in');
    return effect !== 'read' && overHttp.length > 0;
  });
  expect(named.map(({ key }) => key).toSorted()).toEqual([...new Set(WRITES.map(({ tool }) => tool))].toSorted());
  expect(named.flatMap(({ definition }) => definition.needsIntegration ?? []).filter((kind) => !isHttp(kind))).toEqual(
    [],
  );
});

describe.each(WRITES.map((write) => [`${write.tool} ${JSON.stringify(write.arguments)}`, write] as const))(
  'a call of %s',
  (_what, write) => {
    test('has the declared effect, and succeeds with the answer of the service', async () => {
      answer = write.answer === undefined ? (response) => void response.writeHead(204).end() : json(write.answer);
      const prepared = call(write);
      expect(prepared.effect).toBe(write.effect);
      expect(await prepared.run(tools.context)).toMatchObject({ isForeign: true });
      expect(server.seen.filter((request) => writeOf(request) === write)).toHaveLength(1);
    });

    test.each([
      ['a web page', 'text/html', PAGE],
      ['a web page that is said to be JSON', 'application/json', PAGE],
    ])('may have taken effect when it is answered with %s', async (_page, type, body) => {
      answer = as(type, body);
      await expect(call(write).run(tools.context)).rejects.toMatchObject({ kind: 'upstream', isUncertain: true });
    });

    test('may have taken effect when the service fails in the middle of it', async () => {
      answer = json({ message: 'Oops' }, 500);
      await expect(call(write).run(tools.context)).rejects.toMatchObject({ kind: 'upstream', isUncertain: true });
    });

    test('has changed nothing when the service refuses it', async () => {
      answer = json({ message: 'No' }, 403);
      await expect(call(write).run(tools.context)).rejects.toMatchObject({ kind: 'denied', isUncertain: false });
    });
  },
);

describe('a write whose answer is read', () => {
  const READ = WRITES.filter(({ tool, answer: reply }) => reply !== undefined && tool !== 'github_api');
  const isRead = ({ tool, arguments: { action } }: KnownWrite) =>
    !(tool === 'github_actions' || (tool === 'confluence' && action === 'update'));

  test.each(READ.filter(isRead).map((write) => [write.tool, write] as const))(
    'of %s may have taken effect when the answer breaks off',
    async (_tool, write) => {
      answer = as('application/json', '{"id":');
      await expect(call(write).run(tools.context)).rejects.toMatchObject({ kind: 'upstream', isUncertain: true });
    },
  );

  test.each(WRITES.filter(({ tool }) => /^(?:slack|notion|linear|asana)$/.test(tool)).map((each) => [each.tool, each]))(
    'of %s may have taken effect when the answer is that of something else',
    async (_tool, write) => {
      answer = json(['something', 'else']);
      await expect(call(write as KnownWrite).run(tools.context)).rejects.toMatchObject({ isUncertain: true });
    },
  );
});
